"""What tests/ledger/test_granting.py says of a ledger in a file, of one in PostgreSQL."""

from ledger_elsewhere import in_postgres

OF_FILES = (
    "test_the_table_and_the_auditor_refuse_a_forged_approval",
    "test_the_table_and_the_auditor_refuse_a_grant_by_one_where_two_are_needed",
    "test_an_answer_after_a_checkpoint_is_held_against_what_came_before_it",
)

globals().update(in_postgres("test_granting", without=OF_FILES))
