"""What tests/ledger/test_ledger.py says of a ledger in a file, of one in PostgreSQL."""

from ledger_elsewhere import in_postgres

OF_FILES = (
    "test_the_examples_in_the_guide_run",
    "test_a_grant_never_exceeds_what_was_said",  # many ledgers, and nothing that a table does
)

globals().update(in_postgres("test_ledger", without=OF_FILES))
