"""The guides to inspecting and comparing are true: their examples run."""

import doctest
from pathlib import Path

import pytest

GUIDE = Path(__file__).parents[2] / "docs" / "guide"


@pytest.mark.parametrize("page", ["inspect.md", "compare.md"])
def test_the_examples_of_the_page_are_what_happens(page):
    found = doctest.testfile(str(GUIDE / page), module_relative=False, encoding="utf-8")
    assert found.attempted > 3
    assert found.failed == 0
