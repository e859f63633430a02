"""What tests/ledger/test_history.py says of a ledger in a file, of one in PostgreSQL."""

from ledger_elsewhere import in_postgres

OF_FILES = ("test_a_line_that_was_edited_is_not_shown",)

globals().update(in_postgres("test_history", without=OF_FILES))
