"""What tests/ledger/test_ledger_model.py says of a ledger in a file, of one in PostgreSQL."""

from ledger_elsewhere import in_postgres

globals().update(in_postgres("test_ledger_model"))
