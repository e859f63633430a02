"""What tests/ledger/test_ledger_head.py says of a ledger in a file, of one in PostgreSQL."""

from ledger_elsewhere import in_postgres

OF_FILES = ("test_from_one_head_the_next_cannot_be_guessed",)

globals().update(in_postgres("test_ledger_head", without=OF_FILES))
