"""What tests/ledger/test_period.py says of a ledger in a file, of one in PostgreSQL."""

from ledger_elsewhere import in_postgres

OF_FILES = ("test_the_table_and_the_auditor_refuse_a_line_from_before_the_last_one",)

globals().update(in_postgres("test_period", without=OF_FILES))
