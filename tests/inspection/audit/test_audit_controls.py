"""Mechanisms that are known to be broken: each must be caught, and a sound one must not."""

import os

import numpy as np
import pytest

from sfumato.errors import ParameterError
from sfumato.inspection.audit.bound import Claim
from sfumato.inspection.audit.controls import BROKEN, run
from sfumato.inspection.audit.finding import Sample, examine
from sfumato.inspection.audit.learned import learned
from slowness import slow_but

SEED = int(os.environ.get("SFUMATO_TEST_SEED", "0"))
FALSE_ALARM = 1e-6


# The costly ones are also among the controls that the command runs.
COSTLY = ("lip as published", "lop as published")


@pytest.mark.parametrize("name", slow_but([n for n in BROKEN if n not in COSTLY], BROKEN))
def test_every_broken_mechanism_is_caught(name):
    found = run(name, epsilon=1, runs=10_000, confidence=1 - FALSE_ALARM, seed=SEED)
    assert found.caught
    assert found.proof.found > 1.2


@pytest.mark.parametrize("name", ["one-sided exponential noise", "LDA with exact class sizes"])
def test_an_infinite_loss_grows_with_the_runs(name):
    few, many = (run(name, runs=runs, seed=SEED).proof for runs in (2_000, 20_000))
    assert many.found > few.found + 0.5


def test_a_finite_loss_does_not_grow_beyond_itself():
    """Lap-PCA with M = 4 loses 4ε, the private mean 3.92ε: more cannot be proved."""
    for name, loss in (
        ("Lap-PCA with the printed scale", 4),
        ("centring by the private mean", 3.92),
    ):
        proof = run(name, epsilon="0.5", runs=100_000, confidence=1 - FALSE_ALARM, seed=SEED).proof
        assert 0.5 < proof.found <= 0.5 * loss


def test_sound_noise_is_not_caught(rng):
    """The same procedure on the mechanism that the broken ones should have been."""
    for epsilon in (0.5, 1.0, 2.0):
        first, second = (rng.laplace(side, 1 / epsilon, (20_000, 1)) for side in (0, 1))
        sample = Sample(first, second, learned(["output"]))
        found = examine(sample, Claim(epsilon, 0.0, None), 1 - FALSE_ALARM)
        assert 0.7 * epsilon < found.best.found <= epsilon


def test_the_broken_mechanisms_are_those_of_the_papers():
    """What each does, in one figure that can be worked out by hand."""
    rng = np.random.default_rng(SEED)
    drawn = {
        name: broken.draw(1, 1.0, 4_000, rng) for name, broken in BROKEN.items() if broken.draw
    }
    assert drawn["one-sided exponential noise"].min() >= 1
    assert drawn["centring by the private mean"].mean() == pytest.approx(3.92 / 50, abs=0.005)
    spread = np.abs(drawn["LDA with exact class sizes"]).mean(axis=0)
    assert spread == pytest.approx([3, 1.5], rel=0.15)
    assert np.abs(drawn["Lap-PCA with the printed scale"]).max() <= 4 + 1e-9


def test_an_unknown_control_is_refused_with_the_known_ones():
    with pytest.raises(ParameterError, match="one-sided exponential noise"):
        run("magic")
