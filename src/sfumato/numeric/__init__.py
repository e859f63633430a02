"""Arithmetic on machine numbers: compiled loops, threads, array types."""
