"""Real noise: no promise is contradicted, three times the budget is, and so are broken samplers.

A sound mechanism fails one of these tests with a chance of at most 1e-6: each bound is at that
confidence.  Frozen noise cannot see a sampler that draws something else than it is asked for.
"""

import os
from dataclasses import replace
from fractions import Fraction

import pytest

from sfumato.errors import ParameterError
from sfumato.inspection.audit.choice import check_split, sample_choice
from sfumato.inspection.audit.mechanisms import MECHANISMS, audit_mechanism
from sfumato.inspection.audit.network import sample_network
from sfumato.inspection.audit.ranges import sample_ranges
from sfumato.inspection.audit.sampled import Effort
from sfumato.inspection.audit.stream_counter import sample_counter
from sfumato.inspection.audit.stream_reservoir import sample_reservoir
from sfumato.privacy import choice, mechanism, response
from sfumato.privacy.guarantee import ZCDP, PureDP
from sfumato.privacy.randomness import SeededBits

FALSE_ALARM = 1e-6
SEED = int(os.environ.get("SFUMATO_TEST_SEED", "0"))
PURE, GAUSSIAN = PureDP(1), ZCDP("0.5")
SAMPLES = {
    "weights": (sample_network, 700, PURE),
    "square root": (lambda b, e: sample_counter("square-root", b, e), 500, GAUSSIAN),
    "reservoir": (sample_reservoir, 600, PURE),
    "judge": (sample_choice, 5_000, PURE),
    "range": (sample_ranges, 3_000, PURE),
}
# Series and counts, which take longer, are in a whole audit below, with more runs than these.
ALONE = ("weights", "reservoir", "judge", "range")


def sampled(name):
    sample, runs, budget = SAMPLES[name]
    return sample(budget, Effort(runs, 1 - FALSE_ALARM, SeededBits(SEED)))


@pytest.mark.parametrize("name", ALONE)
def test_no_promise_is_contradicted_and_its_control_is(name):
    found = sampled(name)
    assert not found.finding.caught, found.finding.best
    assert found.power, found.control.best


def a_third_of_the_noise(monkeypatch):
    real = mechanism.discrete_laplace
    monkeypatch.setattr(
        mechanism, "discrete_laplace", lambda scale, size, bits: real(scale / 3, size, bits)
    )


def a_third_of_the_deviation(monkeypatch):
    real = mechanism.discrete_gaussian
    monkeypatch.setattr(
        mechanism, "discrete_gaussian", lambda size, count, bits: real(size / 9, count, bits)
    )


def a_third_of_the_flips(monkeypatch):
    real = response.bernoulli_exp
    monkeypatch.setattr(
        response, "bernoulli_exp", lambda z, at, bits: real(3 * z, lambda i: 3 * at(i), bits)
    )


def a_third_of_the_temperature(monkeypatch):
    real = choice.draw_index
    monkeypatch.setattr(
        choice, "draw_index", lambda gaps, rate, size, bits: real(gaps, 3 * rate, size, bits)
    )


@pytest.mark.parametrize(
    ("fault", "name"),
    [
        (a_third_of_the_noise, "weights"),
        pytest.param(a_third_of_the_deviation, "square root", marks=pytest.mark.slow),
        (a_third_of_the_flips, "reservoir"),
        (a_third_of_the_temperature, "judge"),
    ],
    ids=lambda given: getattr(given, "__name__", given),
)
def test_a_sampler_that_draws_too_little_is_caught(fault, name, monkeypatch):
    fault(monkeypatch)
    assert sampled(name).finding.caught


@pytest.mark.usefixtures("quick")
def test_a_broken_sampler_contradicts_the_whole_audit(monkeypatch):
    a_third_of_the_temperature(monkeypatch)
    found = audit_mechanism("private-choice", runs=5_000, confidence=1 - FALSE_ALARM, seed=SEED)
    assert found.verdict == "caught"
    assert found.violations == ()
    assert "epsilon is at least" in str(found)


@pytest.mark.slow
@pytest.mark.parametrize("name", MECHANISMS)
def test_every_mechanism_passes_its_whole_audit(name):
    found = audit_mechanism(name, confidence=1 - FALSE_ALARM, seed=SEED)
    assert found.verdict == "not contradicted", str(found)
    assert found.worst == pytest.approx(1, abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("name", MECHANISMS)
def test_every_mechanism_passes_at_other_budgets(name):
    found = audit_mechanism(name, epsilon="0.3", delta="1e-5", runs=20, seed=SEED)
    assert found.violations == ()
    assert found.worst == pytest.approx(1, abs=1e-6)


@pytest.fixture
def quick(monkeypatch):
    """A choice of which little is compared with frozen noise."""
    less = replace(MECHANISMS["private-choice"], frozen=(lambda b: check_split(b.pure),))
    monkeypatch.setitem(MECHANISMS, "private-choice", less)


@pytest.mark.usefixtures("quick")
def test_too_few_runs_prove_nothing_and_the_audit_says_so():
    found = audit_mechanism("private-choice", runs=20, seed=SEED)
    assert found.verdict == "no power"
    assert "take more" in str(found)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"method": "magic"}, "no audit of 'magic'; choose one of count-query"),
        ({"runs": 3}, "runs must be"),
        ({"confidence": 1.0}, "confidence must be"),
        ({"epsilon": 0}, "epsilon must be"),
        ({"delta": "0.1", "rho": 1}, "either delta or rho"),
        ({"rho": Fraction(-1)}, "rho must be"),
    ],
)
def test_wrong_parameters_are_refused_by_name(changes, said):
    with pytest.raises(ParameterError, match=said):
        audit_mechanism(**({"method": "counter"} | changes))
