"""What tests/ledger/test_export.py says of a ledger in a file, of one in PostgreSQL."""

from ledger_elsewhere import in_postgres

OF_FILES = (
    "test_lines_that_cover_a_fingerprint_of_an_older_version_are_named_and_no_others",
    "test_no_guess_can_be_tested_with_the_hash_of_such_a_line_not_even_with_the_key",
    "test_what_is_no_export_is_refused_in_words",
    "test_a_line_without_an_end_is_refused_before_it_is_read",
    "test_a_pipe_is_no_export_and_nobody_waits_for_it",
)

globals().update(in_postgres("test_export", without=OF_FILES))
