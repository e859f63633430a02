"""The page on reading a report is true: its examples run."""

import doctest
from pathlib import Path

GUIDE = Path(__file__).parents[2] / "docs" / "guide" / "report.md"


def test_the_examples_are_what_happens():
    found = doctest.testfile(str(GUIDE), module_relative=False, encoding="utf-8")
    assert found.attempted > 0
    assert found.failed == 0
