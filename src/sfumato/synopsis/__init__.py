"""Noisy statistics, kind by kind: what was measured, in which order, and what it means."""
