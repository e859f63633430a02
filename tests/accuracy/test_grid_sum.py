"""Noises of unlike weights on a grid, and fine Gaussian noise: never below the true tails."""

from fractions import Fraction
from math import sqrt

import numpy as np
import pytest
from scipy.stats import binomtest

from sfumato.accuracy import grid_sum
from sfumato.accuracy.discrete_sum import DiscreteSum, Part
from sfumato.accuracy.gaussian_sum import GaussianSum
from sfumato.accuracy.grid_sum import GridSum
from sfumato.errors import ParameterError
from sfumato.privacy.noise import discrete_gaussian
from sfumato.privacy.randomness import SeededBits

FALSE_ALARM = 1e-6  # chance that a right bound fails one statistical test
RUNS = 20_000
CHANCES = (0.1, 0.01, 1e-4, 1e-7)
SUMS = [
    [Part("laplace", Fraction(9), 2, 3), Part("laplace", Fraction(9), 1, 2)],
    [Part("gaussian", Fraction(90), 2, 8), Part("gaussian", Fraction(90), 3, 1)],
    [Part("laplace", Fraction(5), 3, 16), Part("laplace", Fraction(11), 3, 5)],
    [Part("laplace", Fraction(1, 2), 1, 4), Part("laplace", Fraction(1, 2), 1, 1)],
]


def convolved(law, reach=450):
    """P(S ≥ k) for k = 0, 1, …, in steps of the law, by plain convolution."""
    found = np.array([1.0])
    for part in law.parts:
        k, size = np.arange(-reach, reach + 1), float(part.size)
        mass = np.exp(-np.abs(k) / size if part.kind == "laplace" else -(k**2) / (2 * size))
        spread = np.zeros(2 * reach * part.weight + 1)
        spread[:: part.weight] = mass / mass.sum()
        for _ in range(part.count):
            length = len(found) + len(spread) - 1
            found = np.fft.irfft(np.fft.rfft(found, length) * np.fft.rfft(spread, length), length)
    tails = np.cumsum(found[::-1])[::-1]
    return tails[len(found) // 2 :]


@pytest.fixture
def coarse(monkeypatch):
    """A grid of few cells, so that noises are moved."""
    monkeypatch.setattr(grid_sum, "_STEPS", 2**6)
    monkeypatch.setattr(grid_sum, "_POINTS", 2**9)
    grid_sum._grid.cache_clear()
    yield
    grid_sum._grid.cache_clear()


@pytest.mark.parametrize("parts", SUMS)
def test_on_its_own_steps_it_is_the_exact_law(parts):
    law = DiscreteSum.of(parts)
    tails, found = convolved(law), GridSum(law)
    for chance in CHANCES:
        k = int(np.argmax(tails[1:] <= chance))
        assert found.one_sided(chance) == k * float(law.step) == law.one_sided(chance)
        tail = found.tail(k * law.step)
        assert tail.value == pytest.approx(tails[k], abs=1e-11)
        assert abs(tail.value - tails[k]) <= tail.error + 1e-13


@pytest.mark.usefixtures("coarse")
@pytest.mark.parametrize("parts", SUMS[:3])
def test_on_a_coarse_grid_it_is_wider_and_never_narrower(parts):
    law = DiscreteSum.of(parts)
    tails, found = convolved(law), GridSum(law)
    assert grid_sum._grid(law).cell > law.step
    for chance in CHANCES:
        k = int(np.argmax(tails[1:] <= chance))
        assert k * float(law.step) <= found.one_sided(chance) < 2 * k * float(law.step)
        for x in (-k, 0, k):
            tail, true = found.tail(x * law.step), tails[x] if x >= 0 else 1 - tails[1 - x]
            assert tail.value - tail.error <= true <= tail.upper
            assert found.tail(x * law.step, strict=True).upper <= tail.upper


def test_far_out_the_bound_of_chernoff_takes_over():
    law = DiscreteSum.of(SUMS[0])
    found = GridSum(law)
    assert found.tail(5_000).upper == law.chernoff(5_000) < 1e-60
    assert law.chernoff(found.one_sided(Fraction(1, 10**30))) <= 1e-30
    assert found.joined(found).law == law.joined(law)
    assert found.deviation == law.deviation


def fine(weights, variance, chance):
    """The reach of weighted noises of this variance as a Gaussian of bounded rest."""
    grain, apart = np.abs(weights).sum() / 2, len(weights) / (8 * variance)
    return GaussianSum(sqrt(variance * (weights @ weights)), grain, apart).two_sided(chance)


def test_fine_gaussian_noise_stays_within_its_quantiles_and_less_is_rejected():
    weights, variance, chance = np.array([1.0, 0.43, -0.31, 0.27]), 10_000, 0.05
    noise = discrete_gaussian(Fraction(variance), RUNS * 4, SeededBits(8)).reshape(RUNS, 4)
    far = np.abs(noise @ weights)
    missed = int((far > fine(weights, variance, chance)).sum())
    assert binomtest(missed, RUNS, chance, alternative="greater").pvalue > FALSE_ALARM
    assert missed > RUNS * chance / 2  # and it is not much too wide
    too_small = int((far > fine(weights, variance * 0.8, chance)).sum())
    assert binomtest(too_small, RUNS, chance, alternative="greater").pvalue < FALSE_ALARM


@pytest.mark.parametrize("variance", [1, 3, 50])
def test_a_rounded_gaussian_has_nearly_the_mass_of_the_discrete_one(variance):
    """The inequality that the coupling rests on, point by point."""
    from scipy.stats import norm

    k = np.arange(-60, 61)
    mass = np.exp(-(k**2) / (2 * variance))
    rounded = np.diff(norm.cdf(np.append(k - 0.5, 60.5), scale=sqrt(variance)))
    lost = np.maximum(mass / mass.sum() - rounded, 0).sum()
    assert 0 < lost <= 1 / (8 * variance)


def test_a_gaussian_sum_is_bounded_from_both_sides():
    law = GaussianSum(10.0, grain=0.5, apart=1e-3)
    tail = law.tail(20)
    assert tail.value == pytest.approx(0.02275, abs=1e-5)
    assert tail.upper == pytest.approx(0.0256 + 1e-3, abs=1e-4)
    assert law.one_sided(1e-4) == pytest.approx(10 * sqrt(-2 * np.log(1e-4)) + 0.5)  # Chernoff
    assert law.chernoff(0) == 1
    assert law.joined(law).grain == 1
    with pytest.raises(ParameterError, match="spread must be above 0"):
        GaussianSum(0.0)
