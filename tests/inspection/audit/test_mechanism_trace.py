"""What a trace writes down, what it leaves alone, and what draws are worth."""

from fractions import Fraction
from threading import Thread

import numpy as np
import pytest

from sfumato.inspection.audit.coupled import Family, checked, replay
from sfumato.inspection.audit.price import Price, largest_rho, price, same_law
from sfumato.inspection.audit.trace import Added, Coins, Diverged, Drawn, Trace, tracing
from sfumato.privacy.budget import rho_within
from sfumato.privacy.choice import Choice
from sfumato.privacy.guarantee import ZCDP, ApproxDP, PureDP
from sfumato.privacy.mechanism import Noise, Purse
from sfumato.privacy.noise import discrete_laplace
from sfumato.privacy.randomness import SeededBits, SystemBits
from sfumato.privacy.response import RandomizedResponse
from sfumato.privacy.sensitivity import Sensitivity

ONE = Noise("count", Sensitivity(Fraction(1), Fraction(1)), PureDP(1))


def counted(value, noise=ONE, units=1):
    exact = np.atleast_1d(np.array(value))
    return Purse(noise.budget, SeededBits(1)).pay(noise).add(exact, np.full(exact.size, units))


def test_a_release_in_another_thread_draws_its_own_noise():
    """A trace that froze it would publish exact values."""
    drawn = []

    def release():
        drawn.append(counted(np.zeros(500, np.int64)))
        drawn.append(RandomizedResponse("bit", PureDP(1)).flips(500, SystemBits()))
        drawn.append(
            Choice("column", Fraction(1), PureDP("1e-6")).draw(np.arange(90), SystemBits())
        )

    trace = Trace()
    with tracing(trace):
        other = Thread(target=release)
        other.start()
        other.join()
        assert not counted(np.zeros(500, np.int64)).any()
    assert np.unique(drawn[0]).size > 3
    assert 50 < drawn[1].sum() < 250  # 134 on average, with a deviation of 10
    assert len(trace.calls) == 1


def test_everything_is_as_before_when_a_trace_ends_even_by_an_error():
    before = counted([5, 6, 7]).tolist()
    with pytest.raises(ZeroDivisionError), tracing(Trace()):
        raise ZeroDivisionError
    assert counted([5, 6, 7]).tolist() == before
    assert discrete_laplace(Fraction(9), 50, SeededBits(0)).any()


def test_a_script_gives_the_same_outputs_and_other_noise():
    first = replay(counted, [41], 1)
    second = replay(counted, [42], 1, first.trace.script)
    assert first.view == second.view
    assert price(first.trace.calls, second.trace.calls) == Price(pure=Fraction(1))


def test_units_and_gaussian_noise_are_priced_in_steps():
    noise = Noise("sum", Sensitivity(Fraction(3), Fraction(9)), ZCDP("0.5"))
    runs = [replay(lambda v: counted(v, noise, 8), v, 0) for v in ([0, 0], [8, 16])]
    assert runs[0].trace.calls[0].laws == (("gaussian", Fraction(9 * 64)),)
    moved = price(
        runs[0].trace.calls,
        replay(lambda v: counted(v, noise, 8), [8, 16], 0, runs[0].trace.script).trace.calls,
    )
    assert moved == Price(gaussian=Fraction(64 + 256, 2 * 9 * 64))


def test_what_asks_for_other_noise_leaves_the_script():
    first = replay(counted, [41], 0)
    assert replay(counted, [41, 42], 0, first.trace.script) is None
    assert replay(lambda v: (counted(v), counted(v)), [41], 0, first.trace.script) is None
    with pytest.raises(Diverged), tracing(Trace([np.array([9])])):
        Choice("column", Fraction(1), PureDP(1)).draw(np.array([1, 2]), SeededBits(0))


def test_noise_that_depends_on_a_value_is_noticed():
    def louder(value):
        return counted(value, Noise("count", ONE.sensitivity, PureDP(1 if value[0] else 2)))

    found = checked("louder", PureDP(9), louder, [Family("a count", [0], [("another", [1])])])
    assert found.violations == ["a count, another: which noise is drawn depends on it"]


def test_coins_and_draws_are_priced_by_what_they_ask_for():
    coins = [Coins(Fraction(1, 2), np.array(flips)) for flips in ([0, 1, 1], [1, 1, 0])]
    assert price(coins[:1], coins[1:]) == Price(pure=Fraction(1))
    draws = [Drawn(Fraction(1, 4), np.array(gaps), np.array([0])) for gaps in ([0, 3], [2, 0])]
    assert price(draws[:1], draws[1:]) == Price(pure=Fraction(5, 4))
    assert not same_law(coins[:1], draws[:1])


def test_a_value_without_noise_has_no_price():
    bare = [Added("x", np.array([k]), (), np.array([0]), np.array([7])) for k in (0, 1)]
    cost = price(bare[:1], bare[1:])
    assert cost.bare
    assert not cost.within(PureDP(10**6))


@pytest.mark.parametrize("epsilon", ["0.1", "1", "8"])
@pytest.mark.parametrize("delta", ["1e-2", "1e-6", "1e-12"])
def test_two_conversions_from_rho_agree(epsilon, delta):
    """The purse's, in exact decimals, and the audit's, in floats."""
    ours = largest_rho(float(epsilon), float(delta))
    theirs = rho_within(epsilon, delta).rho
    assert 0 <= ours - float(theirs) < 1.1e-9 + 1e-9 * ours
    promise = ApproxDP(epsilon, delta)
    assert Price(gaussian=theirs).within(promise)
    assert not Price(gaussian=theirs * Fraction(1001, 1000)).within(promise)
