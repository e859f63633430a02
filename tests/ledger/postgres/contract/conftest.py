"""Where the ledgers of these tests lie."""

import pytest

from ledger_elsewhere import PLACES


@pytest.fixture(autouse=True)
def places(people):
    PLACES.people = people
    yield
    PLACES.clear()
