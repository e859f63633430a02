"""What tests/ledger/test_ledger_checkpoint.py says of a ledger in a file, of one in PostgreSQL."""

from ledger_elsewhere import in_postgres

OF_FILES = (
    "test_an_edit_that_a_balance_rests_on_is_refused_at_opening",
    "test_an_edit_of_an_old_line_is_found_by_verify",
    "test_releases_under_way_that_the_lines_do_not_tell_of_are_found_by_verify",
    "test_a_flip_in_an_index_never_gives_an_older_balance",
    "test_a_checkpoint_is_written_only_over_lines_that_were_audited",
)

globals().update(in_postgres("test_ledger_checkpoint", without=OF_FILES))
