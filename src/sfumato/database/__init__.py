"""Databases by address: without a password, and why one lets nobody in."""
