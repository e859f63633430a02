"""What tests/ledger/test_ledger.py says of a ledger in a file, of one in PostgreSQL."""

from ledger_elsewhere import in_postgres

OF_FILES = ("test_the_examples_in_the_guide_run",)

globals().update(in_postgres("test_ledger", without=OF_FILES))
