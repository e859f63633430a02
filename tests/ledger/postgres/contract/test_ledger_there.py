"""What tests/ledger/test_ledger.py says of a ledger in a file, of one in PostgreSQL."""

from ledger_elsewhere import PLACES, in_postgres

OF_FILES = (
    "test_the_examples_in_the_guide_run",
    "test_the_fingerprint_key_is_random_kept_and_never_shown",  # by the name that a file has
    "test_a_grant_never_exceeds_what_was_said",  # many ledgers, and nothing that a table does
)

globals().update(in_postgres("test_ledger", without=OF_FILES))


def test_the_key_of_a_ledger_in_a_database_is_random_kept_and_never_shown(ledger, path):
    with PLACES.create("other") as other:
        assert len(ledger.fingerprint_key) == 32
        assert ledger.fingerprint_key != other.fingerprint_key
    with PLACES(path) as again:
        assert again.fingerprint_key == ledger.fingerprint_key
        assert repr(again) == f"Ledger('{again.name}')"
        assert "//maker@" not in repr(again)
