"""Verdicts: every combination of success, baseline, control and power, in words."""

import dataclasses

import numpy as np
import pytest

from sfumato.errors import ParameterError
from sfumato.inspection.attack import Attack, Chance, Error, Gap, Rate

HIGH, LOW = Rate(900, 1000), Rate(100, 1000)
NEAR, FAR = Error.of(np.full(50, 0.01)), Error.of(np.full(50, 1.0))


def attack(**changes):
    facts = {
        "name": "guesswork",
        "knows": "nothing",
        "success": HIGH,
        "baseline": LOW,
        "baseline_is": "guessing",
        "control": LOW,
        "control_is": "on others",
        "confidence": 0.95,
    }
    return Attack(**(facts | changes))


@pytest.mark.parametrize(
    ("changes", "verdict"),
    [
        ({}, "succeeds"),
        ({"baseline": HIGH}, "traces"),
        ({"control": HIGH}, "population"),
        ({"control": HIGH, "baseline": HIGH}, "fails"),
        ({"control": None}, "undecided"),
        ({"control": None, "baseline": HIGH}, "fails"),
        ({"baseline": Chance(0.5)}, "succeeds"),
        ({"success": Rate(5, 5)}, "no power"),
        ({"control": Rate(0, 5)}, "no power"),
        ({"obstacle": "it rained"}, "no power"),
        ({"reach": Gap(0.1, -0.1, 0.3)}, "no power"),
        ({"reach": Gap(0.3, 0.1, 0.5)}, "succeeds"),
        ({"reach": Gap(0.3, 0.1, 0.5), "success": Rate(0, 0)}, "fails"),
        ({"reach": Gap(0.3, 0.1, 0.5), "obstacle": "it rained"}, "no power"),
        ({"success": NEAR, "baseline": FAR, "control": FAR}, "succeeds"),
        ({"success": FAR, "baseline": NEAR, "control": NEAR}, "fails"),
        ({"success": FAR, "baseline": FAR, "control": FAR}, "fails"),
    ],
)
def test_the_verdict_follows_from_what_was_beaten(changes, verdict):
    found = attack(**changes)
    assert found.verdict == verdict
    assert found.power == (verdict != "no power")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, ["guesswork: right in 90.0% of 1000 tries (88.0% to 91.8%)", "10.0% by guessing"]),
        ({}, ["10.0% on others", "gives away its records"]),
        ({"subject": "ward"}, ["guesswork, ward:"]),
        ({"success": Rate(0, 0)}, ["guesswork: found nothing to say, 10.0% by guessing"]),
        ({"baseline": HIGH}, ["does better by guessing"]),
        ({"control": HIGH}, ["holds for everybody"]),
        ({"control": None}, ["without control records one cannot say"]),
        ({"control": HIGH, "baseline": HIGH}, ["No better than guessing"]),
        ({"obstacle": "it rained"}, ["No verdict: it rained."]),
        ({"success": Rate(5, 5)}, ["No verdict: 5 tries are too few"]),
        ({"reach": Gap(0, -1, 1)}, ["even if the records themselves had been released"]),
        ({"success": NEAR, "baseline": FAR, "control": FAR}, ["off by 0.10 deviations"]),
    ],
)
def test_the_sentence_says_it_in_plain_words(changes, words):
    sentence = attack(**changes).sentence
    assert all(word in sentence for word in words), sentence


def test_a_result_cannot_be_changed_afterwards():
    with pytest.raises(dataclasses.FrozenInstanceError):
        attack().success = LOW


def test_the_method_of_the_interval_is_named():
    assert attack().interval_is == "Clopper-Pearson"
    assert attack(success=NEAR, baseline=FAR, control=FAR).interval_is == "normal"


@pytest.mark.parametrize("confidence", [0, 1, -1, 2, float("nan"), "0.9", True])
def test_impossible_confidence_is_refused(confidence):
    with pytest.raises(ParameterError, match="confidence must lie between 0 and 1"):
        attack(confidence=confidence)


def test_what_an_attack_would_have_gained_is_told_where_that_was_tried():
    parts = {"success": Rate(1, 100), "control": Rate(1, 100), "reach": Gap(0.9, 0.8, 1)}
    assert attack(**parts).strength == (
        "If the records themselves had been released, it would have gained at least 80.0%."
    )
    assert attack(**parts | {"reach": None}).strength == ""
    assert attack(**parts | {"reach": Gap(0, -1, 1)}).strength == ""
