"""Shares of discrete Laplace noise: each has the Pólya law, and together they have Laplace's."""

from fractions import Fraction
from math import exp, prod

import numpy as np
import pytest
from scipy.stats import chisquare, nbinom
from scipy.stats import poisson as poisson_law

from sfumato.errors import ParameterError
from sfumato.inspection.audit.noise_law import Drawn, p_values
from sfumato.privacy import enclosure, polya
from sfumato.privacy.polya import laplace_share
from sfumato.privacy.randomness import SeededBits

FALSE_ALARM = 1e-6  # chance that a right sampler fails one statistical test
DRAWS = 40_000


def weight(shares, k):
    """P(N = k) / ((1 − a)^(1/shares) a^k), a rational."""
    r = Fraction(1, shares)
    return prod(((r + i) / (i + 1) for i in range(k)), start=Fraction(1))


@pytest.mark.parametrize("shares", [1, 2, 3, 7])
def test_so_many_shares_convolve_to_the_geometric_law_exactly(shares):
    one = [weight(shares, k) for k in range(12)]
    total = [Fraction(1)] + [Fraction(0)] * 11
    for _ in range(shares):
        total = [sum(total[i] * one[k - i] for i in range(k + 1)) for k in range(12)]
    assert total == [1] * 12
    short = [weight(shares + 1, k) for k in range(12)]  # a share for one party more
    assert short[1:] != one[1:]


@pytest.mark.parametrize("scale", [Fraction(1, 3), Fraction(1), Fraction(7, 2), Fraction(2)])
@pytest.mark.parametrize("shares", [1, 3])
def test_the_thinned_points_have_the_means_of_the_polya_law(scale, shares):
    """Every value lies in one block, and mean times acceptance is r aᵏ / k; by enumeration."""
    blocks = max((-(-scale.numerator // scale.denominator) - 1).bit_length(), 0)
    width = 2**blocks
    assert width >= scale
    for k in range(1, 40):
        j = k.bit_length() - 1
        q = k // width - 1
        if j < blocks:
            mean, kept = Fraction(1, shares * 2**j), Fraction(2**j, k)
        else:
            mean = Fraction(1, shares * width * 2**q)
            kept = Fraction(width * 2**q, k)
            assert 2**q * exp(-k / scale) <= 1  # a probability
        assert mean * kept == Fraction(1, shares * k)  # exp(−k / scale) is the other factor


def agrees(found, law, cells):
    """p-value of draws against a law, values from `cells` on taken together."""
    seen = np.bincount(np.minimum(found, cells), minlength=cells + 1)
    chances = np.array([law.pmf(k) for k in range(cells)])
    expected = np.append(chances, 1 - chances.sum()) * len(found)
    kept = expected >= 10
    if not kept.all():
        seen = np.append(seen[kept], seen[~kept].sum())
        expected = np.append(expected[kept], expected[~kept].sum())
    return chisquare(seen, expected).pvalue


@pytest.mark.parametrize("scale", [Fraction(1), Fraction(7, 2), Fraction(25)])
@pytest.mark.parametrize("shares", [1, 2, 5])
def test_a_share_has_the_polya_law_and_no_other(scale, shares):
    found = polya.polya(scale, shares, DRAWS, SeededBits(5))
    stop = 1 - exp(-1 / scale)
    assert agrees(found, nbinom(1 / shares, stop), 60) > FALSE_ALARM
    assert agrees(found, nbinom(1 / (shares + 1), stop), 60) < FALSE_ALARM
    assert agrees(found, nbinom(1 / shares, 1 - exp(-1 / (1.3 * scale))), 60) < FALSE_ALARM


@pytest.mark.parametrize("scale", [Fraction(2), Fraction(1000), Fraction(2**31), Fraction(2**55)])
@pytest.mark.parametrize("shares", [2, 3])
def test_honest_shares_make_the_noise_of_one_owner(scale, shares):
    bits, rng = SeededBits(9), np.random.default_rng(0)
    drawn = [laplace_share(scale, shares, 4_000, bits) for _ in range(shares)]
    size = np.full(4_000, float(scale))

    def smallest(noise):
        return min(p_values(Drawn("discrete-laplace", noise, size), rng).values())

    assert smallest(sum(drawn)) > FALSE_ALARM
    assert smallest(sum(drawn[1:])) < FALSE_ALARM  # one that is left out is missed


@pytest.mark.parametrize("mean", [Fraction(1, 7), Fraction(3), Fraction(58)])
def test_poisson_has_its_law_and_no_other(mean):
    found = polya.poisson(mean, DRAWS, SeededBits(3))
    assert agrees(found, poisson_law(float(mean)), 120) > FALSE_ALARM
    assert agrees(found, poisson_law(1.1 * float(mean)), 120) < FALSE_ALARM


def test_draws_that_rationals_decide_are_those_that_floats_decide(monkeypatch):
    fast = polya.polya(Fraction(40), 2, 300, SeededBits(4))
    counted = polya.poisson(Fraction(5), 300, SeededBits(4))
    monkeypatch.setattr(enclosure, "SLOP", 1.0)  # nothing is decided by floats
    assert np.array_equal(polya.polya(Fraction(40), 2, 300, SeededBits(4)), fast)
    ends = np.zeros(1, np.uint64), np.full(1, 2**64 - 1, np.uint64)
    monkeypatch.setattr(polya, "_edges", lambda mean: ends)
    assert np.array_equal(polya.poisson(Fraction(5), 300, SeededBits(4)), counted)


class Zeros:
    """A word of zeros, and then coins that show tails at once."""

    seeded = True

    def __init__(self):
        self.given = 0

    def words(self, count):
        self.given += 1
        return np.full(count, 0 if self.given == 1 else 8, np.uint64)


def test_coins_are_thrown_until_one_shows_tails():
    assert polya._heads(1, Zeros()).tolist() == [64 + 3]


@pytest.mark.parametrize(
    ("scale", "shares", "word"),
    [(Fraction(0), 1, "scale"), (Fraction(2**57), 1, "scale"), (1.0, 1, "scale"),
     (Fraction(1), 0, "shares"), (Fraction(1), True, "shares")],
)  # fmt: skip
def test_impossible_shares_are_refused_by_name(scale, shares, word):
    with pytest.raises(ParameterError, match=word):
        polya.polya(scale, shares, 1, SeededBits(0))


def test_impossible_means_are_refused():
    with pytest.raises(ParameterError, match="mean"):
        polya.poisson(Fraction(65), 1, SeededBits(0))


def test_tiny_scales_give_no_noise():
    assert not polya.polya(Fraction(1, 10**400), 2, 50, SeededBits(0)).any()
