"""Exchanges write many files to the disk, and wait for it: here that is a disk in memory."""

from pathlib import Path

import pytest

from killing import quick_folder


@pytest.fixture
def tmp_path():
    with quick_folder() as place:
        yield Path(place)
