"""The guide for recipients is true: its examples run."""

import doctest
from pathlib import Path

GUIDE = Path(__file__).parents[2] / "docs" / "guide" / "receiver.md"


def test_every_example_says_what_happens():
    found = doctest.testfile(str(GUIDE), module_relative=False, encoding="utf-8")
    assert found.attempted > 15
    assert found.failed == 0
