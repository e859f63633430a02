"""What tests/ledger/test_ledger_account.py says of a ledger in a file, of one in PostgreSQL."""

from ledger_elsewhere import in_postgres

OF_FILES = ("test_the_file_itself_refuses_a_second_promise",)

globals().update(in_postgres("test_ledger_account", without=OF_FILES))
