"""Sfumato: the picture stays, no person shows."""

__version__ = "0.1.0"
