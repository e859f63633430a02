"""The guide is true: its examples run and its schemas are schemas."""

import doctest
import re
from pathlib import Path

import pytest

from sfumato.schema import Schema

GUIDE = Path(__file__).parents[1] / "docs" / "guide" / "schema.md"
BLOCKS = re.findall(r"```yaml\n(.*?)```", GUIDE.read_text("utf-8"), flags=re.S)


def test_what_the_guide_says_about_values_outside_is_what_happens():
    found = doctest.testfile(str(GUIDE), module_relative=False, encoding="utf-8")
    assert found.attempted > 0
    assert found.failed == 0


@pytest.mark.parametrize("text", BLOCKS)
def test_every_schema_in_the_guide_is_one(text):
    assert Schema.parse(text).name == "clinic"


def test_the_guide_shows_every_kind():
    shown = {column.kind for text in BLOCKS for column in Schema.parse(text).columns.values()}
    assert shown == {"number", "integer", "category", "boolean", "date", "id"}


@pytest.mark.parametrize(
    "page",
    [
        "estimate.md",
        "fit.md",
        "mosaic.md",
        "networks.md",
        "signature.md",
        "streams.md",
        "verify.md",
    ],
)
def test_the_examples_of_other_pages_are_what_happens(page):
    found = doctest.testfile(str(GUIDE.with_name(page)), module_relative=False, encoding="utf-8")
    assert found.attempted > 0
    assert found.failed == 0
