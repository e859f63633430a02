"""Sums of Laplace noise: exact tails, quantiles that cover, and published bounds that do not."""

import math
import time
from decimal import Decimal, localcontext
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import binomtest, norm

from sfumato.accuracy.inversion import around, line
from sfumato.accuracy.laplace_sum import RELATIVE_ERROR, LaplaceSum
from sfumato.accuracy.thesis import claimed_sum, sum_bound
from sfumato.errors import ParameterError

FALSE_ALARM = 1e-6  # chance that a right law fails one statistical test
RUNS = 10_000


def alike(count):
    return LaplaceSum.alike(count, 1.0)


def in_decimals(count, z):
    """The mixture with exact weights and 60 digits."""
    with localcontext() as context:
        context.prec = 60
        z = Decimal(str(z))
        total = poisson = Decimal(0)
        term = (-z).exp()
        for j in range(1, count + 1):
            poisson += term  # Q(j, z) = P(Poisson(z) < j)
            term = term * z / j
            total += poisson * comb(2 * count - j - 1, count - j) / Decimal(2) ** (2 * count - j)
        return float(total)


@pytest.mark.parametrize("z", [0.0, 0.1, 1.0, 7.5, 40.0, 300.0])
def test_one_and_two_noises_have_their_closed_forms(z):
    assert alike(1).at_least(z) == pytest.approx(math.exp(-z) / 2, rel=1e-12)
    assert alike(2).at_least(z) == pytest.approx(math.exp(-z) * (1 + z / 2) / 2, rel=1e-12)


@pytest.mark.parametrize("count", [1, 2, 3, 10, 60, 400])
@pytest.mark.parametrize("z", [0.0, 0.5, 3.0, 20.0, 90.0])
def test_the_mixture_agrees_with_sixty_digits_to_a_tenth_of_its_stated_error(count, z):
    assert alike(count).at_least(z) == pytest.approx(in_decimals(count, z), rel=RELATIVE_ERROR / 10)


@pytest.mark.parametrize("count", [1, 2, 5, 30])
@pytest.mark.parametrize("x", [0.3, 2.0, 9.0])
def test_inverting_the_characteristic_function_gives_the_same(count, x):
    """Gil-Pelaez: P(E > x) = 1/2 − 1/π ∫ sin(tx) / t (1 + t²)^−N dt, by adaptive quadrature."""
    whole, _ = quad(lambda t: math.sin(t * x) / t * (1 + t * t) ** -count, 0, 60, limit=2_000)
    rest = 0.0 if count > 1 else 60.0**-2  # what lies beyond is below this
    assert alike(count).at_least(x) == pytest.approx(0.5 - whole / math.pi, abs=2e-7 + rest)


@given(st.integers(1, 10**6), st.floats(0, 50))
def test_zero_is_in_the_middle_and_signs_never_matter(count, z):
    law = alike(count)
    assert law.at_least(0.0) == pytest.approx(0.5, rel=1e-11)
    assert law.at_least(z) + law.at_least(-z) == pytest.approx(1, rel=1e-12)
    assert LaplaceSum.of([2.0, 1.0], [-1, 2]) == LaplaceSum.of([2.0, 2.0])


def test_a_million_noises_are_stable_and_quick():
    law, start = alike(10**6), time.process_time()
    reach = law.two_sided(0.05)
    assert time.process_time() - start < 2
    assert reach == pytest.approx(norm.isf(0.025) * math.sqrt(2 * 10**6), rel=1e-5)
    assert law.at_least(0.0) == pytest.approx(0.5, rel=1e-12)
    for x in (0.0, 500.0, 3_000.0, 12_000.0, 40_000.0):  # down to 1e-176
        other = line(law._pieces, x, whole=False)
        assert law.at_least(x) == pytest.approx(other.value, rel=RELATIVE_ERROR)
        assert abs(law.at_least(x) - other.value) <= other.error + law.tail(x).error


@pytest.mark.parametrize(
    ("count", "one_sided", "two_sided"),
    [(1, 2.303, 2.996), (10, 7.341, 8.861), (100, 23.25, 27.75), (1000, 73.57, 87.66)],
)
def test_known_quantiles(count, one_sided, two_sided):
    law = LaplaceSum.alike(count, 2.0)
    assert law.one_sided(0.05) == pytest.approx(2 * one_sided, rel=1e-3)
    assert law.two_sided("0.05") == pytest.approx(2 * two_sided, rel=1e-3)


@given(st.integers(1, 300), st.floats(1e-12, 0.9))
def test_a_quantile_is_the_smallest_safe_one(count, chance):
    law = alike(count)
    reach = law.one_sided(chance)
    assert law.tail(reach).upper <= chance or reach == 0
    assert reach == 0 or law.at_least(reach * (1 - 1e-9) - 1e-9) > chance


@pytest.mark.parametrize("count", [1, 6, 100, 1_000])
def test_two_sided_quantiles_cover_as_often_as_they_say(count, rng):
    reach = LaplaceSum.alike(count, 3.0).two_sided(0.05)
    sums = np.array([rng.laplace(scale=3.0, size=count).sum() for _ in range(RUNS)])
    missed = int((np.abs(sums) > reach).sum())
    assert binomtest(missed, RUNS, 0.05).pvalue > FALSE_ALARM
    too_small = int((np.abs(sums) > 0.85 * reach).sum())  # must be caught
    assert binomtest(too_small, RUNS, 0.05).pvalue < FALSE_ALARM


def test_different_scales_have_their_partial_fractions():
    scales = np.array([1.0, 2.0, 3.5])
    law = LaplaceSum.of(scales)
    for x in (0.0, 0.7, 4.0, 30.0, 100.0):
        others = [np.delete(scales, i) for i in range(3)]
        parts = [
            0.5 * math.exp(-x / b) / np.prod(1 - (rest / b) ** 2)
            for b, rest in zip(scales, others, strict=True)
        ]
        found = law.tail(x)
        assert found.value == pytest.approx(sum(parts), rel=1e-11)
        assert found.error < 1e-10 * found.value


@given(
    st.lists(st.floats(1e-3, 1e3), min_size=2, max_size=20),
    st.floats(0, 6),
)
def test_different_scales_never_beat_chernoff_and_keep_their_middle(scales, far):
    law = LaplaceSum.of(scales)
    x = far * law.deviation
    found = law.tail(x)
    assert found.error < 1e-9
    assert found.upper <= law.chernoff(x) * (1 + 1e-9)
    assert law.tail(0.0).value == pytest.approx(0.5, abs=1e-9)


@pytest.mark.parametrize("groups", [((1.0, 3), (4.0, 2)), ((0.5, 60), (2.0, 40))])
def test_sums_of_different_scales_cover(groups, rng):
    law = LaplaceSum(groups)
    sums = sum(rng.laplace(scale=b, size=(RUNS, n)).sum(axis=1) for b, n in groups)
    missed = int((np.abs(sums) > law.two_sided(0.02)).sum())
    assert binomtest(missed, RUNS, 0.02).pvalue > FALSE_ALARM
    widest = max(b for b, _ in groups)
    as_if_alike = LaplaceSum.alike(law.count, widest).two_sided(0.02)  # must be caught
    assert binomtest(int((np.abs(sums) > as_if_alike).sum()), RUNS, 0.02).pvalue < FALSE_ALARM


def test_scales_that_are_nearly_the_same_are_nearly_the_same():
    near, same = LaplaceSum.of([1.0, 1.0 + 1e-9]), alike(2)
    for x in (0.5, 5.0, 50.0):
        assert near.at_least(x) == pytest.approx(same.at_least(x), rel=1e-7)


def test_scales_too_far_apart_for_the_integral_get_a_bound_that_holds():
    law = LaplaceSum(((1e-9, 100), (1.0, 1)))  # in effect one noise
    found = law.tail(3.0)
    assert found.error > 0.01
    assert found.upper >= alike(1).at_least(3.0)


def test_a_path_that_meets_a_pole_is_given_up_for_the_bound():
    found = around(lambda s: -40 * np.log(s - 1.0), 1.0 - 1e-12, 4.0, bound=0.25)
    assert found == (0.0, 0.25)


@pytest.mark.parametrize("chance", [0.3, 0.05, 1e-3, 1e-9])
@pytest.mark.parametrize("count", [1, 5, 17, 18, 19, 100, 5_000])
def test_the_theorem_that_holds_holds_and_wastes_six_sevenths(chance, count):
    law = alike(count)
    assert law.at_least(sum_bound(count, chance, two_sided=False)) <= 0.15 * chance
    assert 2 * law.at_least(sum_bound(count, chance)) <= 0.15 * chance
    assert law.at_least(law.one_sided(chance)) <= law.chernoff(law.one_sided(chance))


@pytest.mark.parametrize(
    ("chance", "one_sided", "two_sided"), [(0.05, 60, 64), (0.1, 59, 60), (0.01, 70, 76)]
)
def test_the_bound_that_knows_no_number_of_noises_is_false(chance, one_sided, two_sided):
    """Theorems 7.2.2 and 7.2.3: they fail from exactly these numbers on."""

    def tail(count, *, both):
        sides = 2 if both else 1
        return sides * alike(count).at_least(claimed_sum(chance, two_sided=both))

    assert tail(one_sided - 1, both=False) <= chance < tail(one_sided, both=False)
    assert tail(two_sided - 1, both=True) <= chance < tail(two_sided, both=True)


def test_the_false_bound_is_seen_to_fail_in_draws(rng):
    """At a thousand noises 0.344 lie beyond what 0.05 were to exceed; the true bound holds."""
    sums = np.array([rng.laplace(size=1_000).sum() for _ in range(RUNS)])
    beyond = int((sums >= claimed_sum(0.05, two_sided=False)).sum())
    assert binomtest(beyond, RUNS, 0.05, alternative="greater").pvalue < FALSE_ALARM
    assert beyond / RUNS == pytest.approx(0.344, abs=0.03)
    beyond = int((sums >= sum_bound(1_000, 0.05, two_sided=False)).sum())
    assert binomtest(beyond, RUNS, 0.05, alternative="greater").pvalue > FALSE_ALARM


def test_means_and_joined_sums_are_sums():
    assert alike(4).scaled(-0.25) == LaplaceSum.alike(4, 0.25)
    assert alike(4).joined(alike(2)) == alike(6)
    assert alike(1).joined(LaplaceSum.alike(1, 2.0)).deviation == pytest.approx(math.sqrt(10))


@pytest.mark.parametrize(
    ("make", "rule"),
    [
        (lambda: LaplaceSum(()), "one noise"),
        (lambda: LaplaceSum.alike(0, 1.0), "count must be at least 1"),
        (lambda: LaplaceSum.alike(1, 0.0), "scale must be positive"),
        (lambda: LaplaceSum.alike(1, math.inf), "scale must be positive"),
        (lambda: LaplaceSum.of([1.0], [1.0, 2.0]), "weights must be as many"),
        (lambda: alike(1).one_sided(1), "chance must be above 0 and below 1"),
        (lambda: alike(1).two_sided("nought"), "chance must be a number above 0"),
    ],
)
def test_impossible_parameters_are_refused(make, rule):
    with pytest.raises(ParameterError, match=rule):
        make()
