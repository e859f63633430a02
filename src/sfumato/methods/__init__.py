"""Recipes, one small file each."""
