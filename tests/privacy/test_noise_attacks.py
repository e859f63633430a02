"""Attacks on the digits of a release: on its grid and on its lowest bits."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import chi2_contingency

from sfumato.privacy.noise import discrete_gaussian, discrete_laplace
from sfumato.privacy.randomness import SeededBits

FALSE_ALARM = 1e-6  # chance that harmless noise fails one statistical test
SCALE = 2**20
DRAWS = 500_000

SAMPLERS = {
    "laplace": discrete_laplace,
    "gaussian": lambda s, n, bits: discrete_gaussian(s * s, n, bits),
}


@pytest.fixture
def bits():
    return SeededBits(0)


def on_the_grid(released) -> bool:
    return all(Fraction(x).denominator == 1 for x in released.tolist())


@pytest.mark.parametrize("law", SAMPLERS)
def test_every_released_number_is_an_integer_whatever_the_answer(law, bits):
    zero, one = (answer + SAMPLERS[law](Fraction(3), 20_000, bits) for answer in (0, 1))
    assert on_the_grid(zero)
    assert on_the_grid(one)
    assert set(range(-6, 8)) <= set(zero.tolist()) & set(one.tolist()), "supports differ"


def test_float_noise_leaves_the_grid():
    assert not on_the_grid(1 + np.random.default_rng(0).laplace(scale=3, size=100))


def lowest_set_bit(x):
    """The power of two that x is an odd multiple of; zero is a multiple of every power."""
    fraction, exponent = np.frexp(np.asarray(x, float))
    whole = np.ldexp(fraction, 53).astype(np.int64)
    return np.where(whole == 0, 99, exponent - 53 + np.log2(np.maximum(whole & -whole, 1)))


def told_apart(a, b) -> bool:
    """Whether a chi-square on the lowest set bits separates two sets of releases."""
    cuts = np.arange(-60, 16)
    cells = [np.searchsorted(cuts, lowest_set_bit(x)) for x in (a, b)]
    table = np.array([np.bincount(c, minlength=cuts.size + 1) for c in cells])
    return chi2_contingency(table[:, table.sum(axis=0) > 0]).pvalue < FALSE_ALARM


@pytest.mark.parametrize("answer", [1, 2**10])
@pytest.mark.parametrize("law", SAMPLERS)
def test_the_lowest_bits_of_a_release_do_not_tell_the_answer(law, answer, bits):
    zero, other = (a + SAMPLERS[law](Fraction(SCALE), DRAWS, bits) for a in (0, answer))
    assert not told_apart(zero, other)


def test_the_lowest_bits_of_float_noise_do_tell_the_answer():
    rng = np.random.default_rng(0)
    zero, other = (a + rng.laplace(scale=SCALE, size=DRAWS) for a in (0, 2**10))
    assert told_apart(zero, other)


@pytest.mark.parametrize("law", SAMPLERS)
def test_exact_noise_added_as_a_float_does_tell_the_answer(law, bits):
    zero, other = (a + SAMPLERS[law](Fraction(SCALE), DRAWS, bits) / 3 for a in (0, 2**10))
    assert told_apart(zero, other)
