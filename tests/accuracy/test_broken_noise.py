"""Noise that is there one and a half times: what parties' shares add up to."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binom, nbinom

from sfumato.accuracy.discrete_sum import DiscreteSum, Part
from sfumato.accuracy.noisy import Entries
from sfumato.errors import ParameterError
from sfumato.privacy.polya import laplace_share
from sfumato.privacy.randomness import SeededBits

FALSE_ALARM = 1e-6


def law(scale, often, count=1):
    return DiscreteSum.of([Part("laplace", Fraction(scale), count, 1, Fraction(often))])


def convolved(scale, power, most=4000):
    """P(S ≥ k) for k = 0, 1 …: the difference of two negative binomials, added up plainly."""
    mass = nbinom.pmf(np.arange(most), power, -np.expm1(-1 / scale))
    both = np.convolve(mass, mass[::-1])
    return np.cumsum(both[::-1])[::-1][most - 1 :]


@pytest.mark.parametrize(("scale", "often"), [(1, "3/2"), (5, "4/3"), (20, "7/5"), (3, "101/100")])
@pytest.mark.parametrize("count", [1, 3])
def test_tails_are_those_of_plain_convolution(scale, often, count):
    true, found = convolved(scale, float(count * Fraction(often))), law(scale, often, count)
    for k in (1, 2, 5, 10, 3 * scale, 6 * scale):
        tail = found.tail(k)
        assert tail.value == pytest.approx(true[k], rel=1e-7)
        assert abs(tail.value - true[k]) <= tail.error + 1e-12


def test_whole_powers_are_so_many_noises():
    for k in (1, 4, 30):
        assert law(5, 2, 3).tail(k).value == pytest.approx(DiscreteSum.laplace(5, 6).tail(k).value)


@pytest.mark.parametrize("scale", [20, 300, 10**6])
def test_quantiles_of_drawn_shares_are_not_passed_too_often(scale):
    """Scales beyond the line's reach have Chernoff's bound, which is wider."""
    bits, runs, chance = SeededBits(3), 20_000, 0.1
    drawn = sum(laplace_share(Fraction(scale), 2, runs, bits) for _ in range(3))
    passed = [int((np.abs(drawn) > law(scale, o).two_sided(chance)).sum()) for o in ("3/2", "1")]
    most = binom.isf(FALSE_ALARM, runs, chance)
    assert passed[0] <= most
    if scale < 10**6:
        assert passed[1] > most  # the control: the noise of one owner is not enough


def test_sums_of_entries_carry_it():
    entries = Entries(np.array([40, 70]), "laplace", Fraction(5), often=Fraction(3, 2))
    one, other = (entries.total([k], Fraction(1)) for k in (0, 1))
    assert (one + other).law == law(5, "3/2", 2)


def test_gaussian_noise_is_there_a_whole_number_of_times():
    with pytest.raises(ParameterError, match="whole for Gaussian noise"):
        Part("gaussian", Fraction(5), 1, 1, Fraction(3, 2))
    thrice = DiscreteSum.of([Part("gaussian", Fraction(5), 1, 1, Fraction(3))])
    assert thrice.deviation**2 == pytest.approx(15, rel=1e-3)
