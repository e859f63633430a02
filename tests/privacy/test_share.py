"""One party's share of the noise: priced for the honest shares alone."""

from fractions import Fraction
from math import sqrt

import numpy as np
import pytest
from scipy.special import logsumexp

from sfumato.errors import ParameterError
from sfumato.inspection.audit.noise_law import Drawn, p_values
from sfumato.privacy.guarantee import ZCDP, ApproxDP, PureDP
from sfumato.privacy.mechanism import Noise
from sfumato.privacy.randomness import SeededBits
from sfumato.privacy.sensitivity import Sensitivity
from sfumato.privacy.share import NoiseShare, _extra, _gap

FALSE_ALARM = 1e-6
ONE = Sensitivity(Fraction(1), Fraction(1))


def gaussian(variance, far=60):
    x = np.arange(-far, far + 1)
    mass = np.exp(-(x**2) / (2 * float(variance)))
    return mass / mass.sum()


def summed(variance, shares):
    total = np.ones(1)
    for _ in range(shares):
        total = np.convolve(total, gaussian(variance, 60))
    return total


@pytest.mark.parametrize("variance", ["1/2", "3/5", "1", "2"])
@pytest.mark.parametrize("shares", [2, 3, 6])
def test_a_sum_of_gaussians_is_within_the_stated_factor_of_a_gaussian(variance, shares):
    variance = Fraction(variance)
    found = summed(variance, shares)
    middle = len(found) // 2
    near = slice(middle - 8, middle + 9)
    true = gaussian(shares * variance, middle)
    off = np.abs(np.log(found[near] / true[near])).max()
    bound = float(_gap([variance], [1], shares))
    assert off <= bound + 1e-12
    assert shares > 2 or off > bound / 3  # and for two not by much


def renyi(mass, order, shift=1):
    a, b = mass[shift:], mass[:-shift]
    kept = (a > 1e-290) & (b > 1e-290)
    terms = order * np.log(a[kept]) + (1 - order) * np.log(b[kept])
    return logsumexp(terms) / (order - 1)


@pytest.mark.parametrize("shares", [2, 3])
@pytest.mark.parametrize("order", [1.001, 1.1, 2, 5, 20])
def test_the_honest_shares_cost_no_more_than_the_owner_would_pay(shares, order):
    rho = Fraction(1, 10)
    share = NoiseShare(Noise("count", ONE, ZCDP(rho)), shares)
    variance = share._variance(ZCDP(rho), np.ones(1, np.int64))
    assert renyi(summed(variance / shares, shares), order) <= float(rho) * order + 1e-12
    less = variance * Fraction(9, 10)
    assert renyi(summed(less / shares, shares), order) > float(rho) * order  # a control


def test_the_extra_price_is_what_the_proof_says():
    rho, gap = Fraction(1, 10), Fraction(1, 10**12)
    expected = 0.1 * sqrt(1e-12) + sqrt(1e-12) + 2e-12
    assert float(_extra(rho, gap)) == pytest.approx(expected, rel=1e-9)
    assert (_extra(Fraction(0), gap) - 2 * gap) ** 2 >= gap  # the root is rounded up
    assert _extra(rho, Fraction(0)) == 0


@pytest.mark.parametrize("budget", [PureDP("1/2"), ZCDP("1/50"), ApproxDP("1", "1e-6")])
def test_shares_add_up_to_the_noise_of_the_owner(budget):
    noise, rng = Noise("counts", ONE, budget), np.random.default_rng(0)
    units = np.repeat([1, 1000], 3_000)
    bits = SeededBits(2)
    shares = [NoiseShare(noise, 3).draw(units, bits) for _ in range(3)]
    event = noise.event
    laplace = event.mechanism == "discrete-laplace"
    size = float(event.noise) * units.astype(float) ** (1 if laplace else 2)

    def smallest(found):
        return min(p_values(Drawn(event.mechanism, found, size), rng).values())

    assert smallest(sum(shares)) > FALSE_ALARM
    assert smallest(sum(shares[1:])) < FALSE_ALARM


def test_a_share_of_one_is_the_whole_noise():
    share = NoiseShare(Noise("count", ONE, ZCDP("10")), 1)
    assert share._variance(ZCDP("10"), np.ones(1, np.int64)) == Fraction(1, 20)


def test_gaussian_noise_that_is_too_small_to_be_divided_is_refused():
    share = NoiseShare(Noise("count", ONE, ZCDP("1")), 2)
    with pytest.raises(ParameterError, match="too small to be divided among 2 parties"):
        share.check(np.ones(1, np.int64))
    NoiseShare(share.noise, 2).check(np.full(1, 1000))  # in finer steps there is more of it
