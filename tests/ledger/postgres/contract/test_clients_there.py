"""What tests/ledger/test_clients.py says of a ledger in a file, of one in PostgreSQL."""

from ledger_elsewhere import in_postgres

OF_FILES = (
    "test_a_use_is_a_line_that_names_its_release_and_costs_the_data_set_nothing_more",
    "test_the_table_refuses_a_return_of_what_was_not_used_or_refunded_and_a_second_one",
)

globals().update(in_postgres("test_clients", without=OF_FILES))
