"""The guide to audits is true: its examples run, and it lists every method and control."""

import doctest
from pathlib import Path

import pytest

from sfumato.inspection.audit.controls import BROKEN
from sfumato.methods import METHODS

GUIDE = Path(__file__).parents[3] / "docs" / "guide" / "audit.md"


@pytest.mark.slow
def test_the_examples_of_the_guide_run():
    found = doctest.testfile(str(GUIDE), module_relative=False, encoding="utf-8")
    assert found.attempted > 6
    assert found.failed == 0


def test_every_method_that_can_be_audited_and_every_control_is_in_the_guide():
    text = GUIDE.read_text(encoding="utf-8")
    for name, method in METHODS.items():
        assert not method.budgeted or f"| {name} |" in text, name
    for broken in BROKEN.values():
        assert broken.source in text, broken.name
