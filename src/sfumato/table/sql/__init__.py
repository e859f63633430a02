"""Tables of databases: DuckDB, PostgreSQL, and what hands out Arrow over a connection."""
