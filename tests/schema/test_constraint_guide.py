"""The guide to constraints is true: its examples run, and its schema is one that can be kept."""

import doctest
import re
from pathlib import Path

from sfumato.render.rules import Rules
from sfumato.schema import Schema
from sfumato.schema.domain import Domain

PAGE = Path(__file__).parents[2] / "docs" / "guide" / "constraints.md"


def test_the_examples_of_the_guide_to_constraints_are_what_happens():
    found = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8")
    assert found.attempted > 5
    assert found.failed == 0


def test_the_schema_of_the_guide_to_constraints_can_be_kept():
    text, *_ = re.findall(r"```yaml\n(.*?)```", PAGE.read_text("utf-8"), flags=re.S)
    rules = Rules.of(Domain.of(Schema.parse(text)))
    assert len(rules.rules) == 3
