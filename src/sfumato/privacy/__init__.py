"""Exact noise, guarantees, sensitivities and the ledger."""
