"""Where the ledgers of these tests lie."""

import pytest

from ledger_elsewhere import PLACES


@pytest.fixture(autouse=True)
def places(people):
    PLACES.people = people
    yield
    PLACES.clear()


# Kept for every change; of the others each makes many ledgers.
QUICK = ("ledger_unit", "ledger_head", "history", "ledger_stop")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    for item in items:
        here = item.path.parent.name == "contract"
        if here and item.path.stem not in [f"test_{name}_there" for name in QUICK]:
            item.add_marker(pytest.mark.slow)
