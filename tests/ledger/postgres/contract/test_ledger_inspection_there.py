"""What tests/ledger/test_ledger_inspection.py says of a ledger in a file, of one in PostgreSQL."""

import pytest

from ledger_elsewhere import PLACES, in_postgres
from ledger_world import ABOUT, DIGEST, PLAN
from sfumato.privacy.guarantee import PureDP

OF_FILES = (
    "test_a_ledger_that_became_newer_while_open_is_neither_written_nor_brought_back",
    "test_killed_anywhere_an_inspection_is_counted_once_or_not_at_all",
    "test_an_inspection_is_synced_after_its_last_write_and_before_it_returns",
    "test_the_table_refuses_inspections_of_what_was_never_released",
    "test_the_auditor_refuses_a_forged_inspection",
    "test_a_changed_inspection_is_found",
)

globals().update(in_postgres("test_ledger_inspection", without=OF_FILES))


@pytest.fixture
def older():
    """The releases that the ledger of an earlier Sfumato holds, as far as these tests ask."""
    with PLACES.create("older") as ledger:
        for dataset in ("adult", "clinic"):
            ledger.grant(dataset, PureDP(3), reason="approved")
        for release in ("published", "drawn", "reserved"):
            ledger.reserve(release, "adult", PureDP(1), plan=PLAN, protects=ABOUT)
        for release in ("published", "drawn"):
            ledger.draw(release, None)
        ledger.settle("published", DIGEST)
    return "older"
