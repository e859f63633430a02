"""The private side: the one place that sees records and spends budget."""
