"""An exchange that all have joined, and a party's ledger, on a disk in memory: it writes much."""

from pathlib import Path

import pytest

from killing import quick_folder
from party_world import World
from sfumato.ledger import Ledger
from sfumato.privacy.guarantee import PureDP


@pytest.fixture
def tmp_path():
    with quick_folder() as place:
        yield Path(place)


@pytest.fixture
def world(tmp_path):
    return World(tmp_path).joined()


@pytest.fixture
def ledger(tmp_path):
    with Ledger.create(tmp_path / "north.db") as made:
        made.grant("study", PureDP(3), reason="approved")
        yield made
