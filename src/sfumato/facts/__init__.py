"""Ranges, steps and categories of a table, bought: what a schema needs and nobody declared."""
