"""A ledger in a database of PostgreSQL: several hosts, roles, one budget."""
