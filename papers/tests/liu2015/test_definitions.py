"""Chapter 6 of the thesis: losses by their formulas, and what two looks into a memory show."""

from math import exp, inf, sinh

import numpy as np
import pytest

from papers.liu2015 import Settings
from papers.liu2015.chapter6 import intrusion, measure
from papers.liu2015.chapter6.published import claims
from papers.outcome import Outcome, Outcomes
from sfumato.stream.pan import NoisyTotals


@pytest.fixture(scope="module")
def found():
    found = Outcomes()
    measure.work_out(found)
    return found


@pytest.mark.parametrize("epsilon", measure.EPSILONS)
def test_rounded_laplace_noise_has_the_law_that_is_known(epsilon):
    law = measure.rounded(epsilon, 0)
    middle = measure.WIDE
    assert law[middle] == pytest.approx(1 - exp(-epsilon / 2))
    assert (
        law[middle - 3] == law[middle + 3] == pytest.approx(sinh(epsilon / 2) * exp(-3 * epsilon))
    )


@pytest.mark.parametrize("epsilon", measure.EPSILONS)
def test_losses_are_those_of_the_formulas(found, epsilon):
    def of(figure, who, what=measure.LOSS):
        return found.summary(figure, who, epsilon, what)[0]

    assert of("6.2.1", measure.LAPLACE) == pytest.approx(epsilon)
    assert of("6.2.2", measure.EXPONENTIAL, measure.BARE) == pytest.approx(1 - exp(-epsilon))
    assert of("6.2.3", measure.OUTPUT) == pytest.approx(epsilon)
    assert of("6.2.10", measure.NOISE, measure.APART) == pytest.approx(1, abs=1e-6)
    assert of("sequential", measure.MEAN) == pytest.approx(2 * epsilon, abs=1e-5)
    assert of("parallel", measure.GONE) == pytest.approx(2 * epsilon)
    assert of("parallel", measure.MOVED) == pytest.approx(3 * epsilon)
    shares = measure.FIRST, measure.SECOND
    due = sum(2 / (share * epsilon) ** 2 for share in shares)
    assert of("divided", "in two parts", measure.VARIANCE) == pytest.approx(due)


def test_a_loss_looks_only_where_both_laws_allow_something():
    p, q = np.array([0.5, 0.5, 0.0]), np.array([0.2, 0.0, 0.8])
    assert measure.loss(p, q) == pytest.approx(np.log(2.5))
    assert measure.apart(p, q) == pytest.approx(0.8)


def test_state_and_output_are_each_private_and_both_together_are_not():
    found = Outcomes()
    intrusion.work_out_memory(found)
    apart = {
        who: found.summary("6.2.7", who, intrusion.EPSILON, measure.APART)[0]
        for who in (intrusion.STATE, intrusion.OUTPUT, intrusion.BOTH, intrusion.FRESH)
    }
    most = measure.alike(intrusion.EPSILON)
    assert apart.pop(intrusion.BOTH) == pytest.approx(1)
    assert all(value == pytest.approx(most, abs=1e-6) for value in apart.values())


def test_the_bit_between_two_looks_shows_unless_the_first_is_announced(monkeypatch):
    """False alarm 1e-6: 100 guesses, each right with at most 0.57; a fault makes all of them so."""

    def right():
        found = Outcomes()
        intrusion.look_twice(0, Settings(chapters=("6",)), found)
        return {
            who: found.summary("6.2.8", who, intrusion.EPSILON, intrusion.READ)[0]
            for who in (intrusion.ANNOUNCED, intrusion.UNANNOUNCED)
        }

    shares = right()
    assert shares[intrusion.UNANNOUNCED] == 1
    assert shares[intrusion.ANNOUNCED] < 0.82
    monkeypatch.setattr(NoisyTotals, "announce", lambda self: None)
    assert right()[intrusion.ANNOUNCED] == 1


def test_a_broken_counter_is_judged_as_such(found):
    made = Outcomes()
    for outcome in found:
        made.add(outcome)
    for who in (intrusion.ONCE, intrusion.ANNOUNCED, intrusion.OFTEN):
        made.add(Outcome("6.2.8", who, intrusion.EPSILON, 0, intrusion.SHARE, inf))
    broken = {claim.figure: claim.verdict for claim in claims(made)}
    assert broken["corrected 6.2.7"] == broken["corrected 6.2.8"] == "not reached"
