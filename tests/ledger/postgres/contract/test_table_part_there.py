"""What tests/ledger/test_table_part.py says of a ledger in a file, of one in PostgreSQL."""

from ledger_elsewhere import in_postgres

OF_FILES = (
    "test_the_file_refuses_a_line_that_forgets_what_parts_have_borne",
    "test_killed_a_part_is_charged_and_drawn_at_most_once",
)

globals().update(in_postgres("test_table_part", without=OF_FILES))
