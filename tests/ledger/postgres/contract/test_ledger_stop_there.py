"""What tests/ledger/test_ledger_stop.py says of a ledger in a file, of one in PostgreSQL."""

from ledger_elsewhere import in_postgres

OF_FILES = (
    "test_the_table_and_the_auditor_refuse_a_stop_that_gives_back_more",
    "test_a_series_that_went_on_cannot_stop_nor_go_on_once_it_stopped",
    "test_killed_at_any_line_of_a_stop_the_charge_is_whole_or_that_of_the_first_step",
)

globals().update(in_postgres("test_ledger_stop", without=OF_FILES))
