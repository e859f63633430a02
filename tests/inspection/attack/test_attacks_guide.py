"""The guide to attacks is true: its examples run, and it names every attack and verdict."""

import doctest
from pathlib import Path
from typing import get_args

import pytest

from sfumato.inspection import attack
from sfumato.inspection.attack import outlier

GUIDE = Path(__file__).parents[3] / "docs" / "guide" / "attacks.md"


@pytest.mark.slow
def test_the_examples_of_the_guide_run():
    found = doctest.testfile(str(GUIDE), module_relative=False, encoding="utf-8")
    assert found.attempted > 15
    assert found.failed == 0


def test_every_attack_and_verdict_is_in_the_guide():
    text = GUIDE.read_text(encoding="utf-8")
    attacks = [name for name in attack.__all__ if name.endswith(("_attack", "attacks"))]
    assert len(attacks) == 17
    for name in (*attacks, *get_args(attack.Verdict), *get_args(outlier.Verdict)):
        assert f"`{name}`" in text, name


def test_the_guide_says_that_results_are_not_private_and_no_proof():
    text = GUIDE.read_text(encoding="utf-8")
    assert "not private" in text
    assert "no proof" in text
