"""What tests/ledger/test_period.py says of a ledger in a file, of one in PostgreSQL."""

from ledger_elsewhere import in_postgres

OF_FILES = (
    "test_the_table_and_the_auditor_refuse_a_line_from_before_the_last_one",
    "test_the_auditor_refuses_a_charge_after_the_time_that_its_budget_was_for",
    "test_the_auditor_knows_the_time_of_a_budget_that_was_granted_before_a_checkpoint",
    "test_a_charge_bears_the_time_that_was_compared_with_the_end",
)

globals().update(in_postgres("test_period", without=OF_FILES))
