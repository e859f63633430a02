"""Persons drawn with their rows, from noisy tables alone."""
