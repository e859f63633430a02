"""A ledger in a file of SQLite: one host, any number of processes."""
