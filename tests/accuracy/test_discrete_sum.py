"""Sums of discrete noise: exact tails by every way, quantiles that cover and are never short."""

import math
import time
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from sfumato.accuracy.coming_back import Worth
from sfumato.accuracy.discrete_sum import DiscreteSum, Part
from sfumato.accuracy.inversion import line
from sfumato.accuracy.laplace_sum import LaplaceSum
from sfumato.errors import ParameterError
from sfumato.privacy.noise import discrete_gaussian, discrete_laplace
from sfumato.privacy.randomness import SeededBits
from slowness import slow

FALSE_ALARM = 1e-6  # chance that a right law fails one statistical test
RUNS = 10_000


def part(kind, size, count=1, weight=1):
    return Part(kind, Fraction(size), count, weight)


def law(*parts):
    return DiscreteSum.of(parts)


def convolved(*parts):
    """P(S = k) of a sum by plain convolution of the laws as they are defined."""
    total = np.ones(1)
    for p in parts:
        size = float(p.size)
        reach = int(80 * size + 40 if p.kind == "laplace" else 30 * math.sqrt(size) + 30)
        k = np.arange(-reach, reach + 1)
        chance = np.exp(-np.abs(k) / size if p.kind == "laplace" else -(k**2) / (2 * size))
        spread = np.zeros(2 * reach * p.weight + 1)
        spread[:: p.weight] = chance / chance.sum()
        for _ in range(p.count):
            total = np.convolve(total, spread)
    return total


CASES = [
    [part("laplace", 3)],
    [part("laplace", 3, 2)],
    [part("laplace", 3, 20)],
    [part("laplace", 2, 40)],
    [part("laplace", "1/3", 40)],
    [part("laplace", "1/20", 5)],
    [part("laplace", 3, 2), part("laplace", 5, 3)],
    [part("laplace", "1/2", 2), part("laplace", 8, 3)],
    [part("laplace", 3), part("laplace", "301/100", 4)],
    [part("laplace", 3, 3, 1), part("laplace", 3, 2, 2)],
    [part("laplace", 2, 2, 2), part("laplace", 2, 1, 3)],
    [part("gaussian", 9)],
    [part("gaussian", "1/10", 3)],
    [part("gaussian", "99/100", 3)],
    [part("gaussian", 1, 3)],
    [part("gaussian", 30, 5), part("gaussian", 30, 2, 2)],
    [part("gaussian", 2), part("gaussian", 2, 1, 11)],
    [part("gaussian", 9), part("laplace", 2, 3)],
    [part("gaussian", 40, 3, 6), part("gaussian", 40, 2, 5), part("gaussian", 25, 4)],
    [part("laplace", 8, 20, 3), part("laplace", 8, 20, 2)],
    # Half-way round, what has weight 2 is all back, and the rest has hardly fallen.
    [part("gaussian", 40, 3, 2), part("gaussian", 2)],
]


*_, LONGEST, _ = CASES
every_case = pytest.mark.parametrize(
    "parts", [slow(case) if case is LONGEST else case for case in CASES], ids=str
)


@every_case
def test_tails_are_those_of_plain_convolution(parts):
    chances, found = convolved(*parts), law(*parts)
    middle = len(chances) // 2
    for k in {0, 1, 2, 3, 7, round(found.deviation), round(4 * found.deviation)}:
        expected = chances[middle + k :].sum()
        if expected > 1e-12:  # below, the sum itself is rounding
            tail = found.tail(k)
            assert tail.value == pytest.approx(expected, rel=1e-11)
            assert abs(tail.value - expected) <= tail.error + 1e-13 * expected
            assert found.tail(-k, strict=True).value == pytest.approx(1 - expected, abs=1e-12)


def test_a_transform_that_comes_back_is_told_from_one_that_stays_away():
    """Cutting the line short is right for the first two and wrong for the third."""
    *gone, back = CASES[-3:]
    assert all(0 < law(*parts)._falling < math.pi for parts in gone)
    found, cut = law(*back), law(*back)
    assert found._falling == 0
    expected = convolved(*back)
    expected = expected[len(expected) // 2 + 1 :].sum()
    assert found.tail(1).value == pytest.approx(expected, rel=1e-11)
    cut.__dict__["_falling"] = math.pi / 2  # as if it stayed away
    wrong = cut.tail(1)
    assert abs(wrong.value - expected) > 1e6 * wrong.error


# Half-way round, all even weights are back; in between they are hardly ever back together.
EVEN = [part("gaussian", 4, 1, 2 * k) for k in range(1, 90, 3)] + [part("gaussian", "1/4")]


@pytest.mark.parametrize("deviations", [3, 5])
def test_points_at_which_nothing_is_left_are_skipped_and_counted_as_an_error(deviations):
    found = law(*EVEN)
    k = max(round(deviations * found.deviation), 1)
    assert found._falling == 0
    assert 0 < found._worth.share < 0.05
    asked = []

    class Counting:
        """Pieces that note how many points they were asked for."""

        def __init__(self, piece):
            self.piece = piece

        def __getattr__(self, name):
            return getattr(self.piece, name)

        def log_mgf(self, s):
            asked.append(len(s))
            return self.piece.log_mgf(s)

    pieces = [Counting(piece) for piece in found._pieces]
    every = line(pieces, float(k), whole=True, falling=0.0)
    most = max(asked)
    asked.clear()
    some = line(pieces, float(k), whole=True, falling=0.0, worth=found._worth)
    assert max(asked) < most / 10
    assert some == found.tail(k)
    assert abs(some.value - every.value) <= every.error + some.error
    assert some.error < 1e-10 * some.value
    # The control: without what is back half-way round, there is more missing than is said.
    early = Worth(found._worth.runs[:1], found._worth.parts)
    short = line(pieces, float(k), whole=True, falling=0.0, worth=early)
    assert abs(short.value - every.value) > 1e3 * (every.error + short.error)


@every_case
def test_a_quantile_is_the_smallest_whole_number_that_is_safe(parts):
    chances, found = convolved(*parts), law(*parts)
    middle = len(chances) // 2
    beyond = np.cumsum(chances[::-1])[::-1][middle:]  # P(S ≥ 0), P(S ≥ 1) …
    for chance in (0.3, 0.05, 1e-3, 1e-7):
        reach = found.one_sided(chance)
        assert reach == int(reach)
        assert beyond[int(reach) + 1] <= chance * (1 + 1e-9)
        assert reach == 0 or beyond[int(reach)] > chance * (1 - 1e-9)
        assert found.two_sided(chance) == found.one_sided(chance / 2)


@settings(max_examples=40)
@given(st.integers(2, 32), st.fractions(2, 20), st.floats(0.01, 6))
def test_three_ways_to_the_same_tail(count, scale, far):
    """The positive mixture, the path around the poles, and the straight line."""
    few = law(part("laplace", scale, count))
    k = 1 + int(far * few.deviation)
    mixture, around = few.tail(k), few._around_poles(k)
    straight = line(few._pieces, float(k), whole=True)
    assert around.value == pytest.approx(mixture.value, rel=1e-10)
    assert abs(straight.value - mixture.value) <= straight.error + mixture.error


@pytest.mark.parametrize("scale", [1e6, 1e9, 1e15])
@pytest.mark.parametrize("count", [1, 7, 33, 1_000])
def test_fine_steps_come_to_the_law_with_a_density(scale, count):
    fine, smooth = DiscreteSum.laplace(scale, count), LaplaceSum.alike(count, scale)
    assert fine.two_sided(0.05) == pytest.approx(smooth.two_sided(0.05), rel=2 / scale + 1e-11)
    x = 3 * smooth.deviation
    assert fine.at_least(x) == pytest.approx(smooth.at_least(x), rel=20 / scale + 1e-10)


@given(st.integers(1, 60), st.integers(1, 200), st.floats(1e-6, 0.5))
def test_discrete_noise_reaches_no_farther_than_its_smooth_twin_and_one_step(count, scale, chance):
    """Smooth Laplace noise is the discrete one plus a small independent rest."""
    smooth = LaplaceSum.alike(count, float(scale))
    fine = DiscreteSum.laplace(scale, count)
    assert fine.deviation < smooth.deviation
    assert fine.chernoff(smooth.deviation * 3) <= smooth.chernoff(smooth.deviation * 3 - 1)
    if count == 1:
        assert fine.one_sided(chance) <= math.ceil(smooth.one_sided(chance))


def draws(kind, size, count, bits):
    drawn = discrete_laplace if kind == "laplace" else discrete_gaussian
    return drawn(Fraction(size), RUNS * count, bits).reshape(RUNS, count).sum(axis=1)


@pytest.mark.parametrize(
    ("kind", "size", "count"),
    [
        ("laplace", "7/3", 1),
        ("laplace", 20, 6),
        ("laplace", 5, 40),
        ("laplace", 32768, 3),
        ("gaussian", 200, 1),
        ("gaussian", "3/2", 9),
    ],
)
def test_quantiles_cover_the_noise_that_is_really_added(kind, size, count):
    found, noise = law(part(kind, size, count)), draws(kind, size, count, SeededBits(5))
    reach = found.two_sided(0.05)
    expected = 2 * found.tail(reach, strict=True).value  # at most 0.05, by a step
    assert expected <= 0.05
    missed = int((np.abs(noise) > reach).sum())
    assert binomtest(missed, RUNS, expected).pvalue > FALSE_ALARM
    short = int((np.abs(noise) > 0.8 * reach - 1).sum())  # must be caught
    assert binomtest(short, RUNS, 0.05, alternative="greater").pvalue < FALSE_ALARM


def test_a_million_noises_are_stable_and_quick():
    start = time.process_time()
    for scale in (1, 1_000, 10**9):
        million = DiscreteSum.laplace(scale, 10**6)
        reach = million.two_sided(0.05)
        assert reach == pytest.approx(1.959964 * million.deviation, rel=1e-3)
        assert million.tail(10 * million.deviation).error < 1e-12 * 1e-20
    assert time.process_time() - start < 3


def test_the_work_does_not_grow_with_the_scale():
    """Some hundred points do, whether a step is coarse or fine."""
    small, large = (DiscreteSum.laplace(scale, 100) for scale in (10**2, 10**12))
    times = []
    for each in (small, large):
        start = time.process_time()
        for far in range(1, 40):
            each.tail(far * each.deviation / 10)
        times.append(time.process_time() - start)
    assert times[1] < 5 * times[0] + 0.05


def test_unlike_scales_agree_from_coarse_to_fine_steps():
    """By the line below a thousand steps, around the poles above."""
    for scales in ((2, 3), (1, 40), (7, 7.5, 8)):
        coarse, fine = (
            law(*(part("laplace", Fraction(str(b)) * by) for b in scales)) for by in (60, 6_000)
        )
        for far in (0.5, 3):
            x = far * fine.deviation
            assert coarse.at_least(x / 100) == pytest.approx(fine.at_least(x), rel=0.02)
        assert coarse._around_poles(100).value == pytest.approx(coarse.at_least(100), rel=1e-10)


def test_where_the_integral_is_out_of_reach_a_bound_that_holds_stands_in():
    unlike = law(part("laplace", 10**9, 1, 1), part("laplace", 10**9, 1, 2))
    smooth = LaplaceSum.of([1e9, 2e9])
    assert unlike.tail(5e9).value == 0
    assert unlike.tail(5e9).upper >= smooth.at_least(5e9)
    assert unlike.two_sided(0.05) > smooth.two_sided(0.05)


@pytest.mark.parametrize("size", ["1/2000", "1e-30"])
@pytest.mark.parametrize("kind", ["laplace", "gaussian"])
def test_noise_that_is_never_seen_reaches_nowhere(kind, size):
    for never in (law(part(kind, size)), law(part(kind, size, 10**6), part(kind, size, 1, 2))):
        assert never.two_sided(1e-12) == 0
        assert never.tail(1).upper < 1e-90
        assert never.deviation < 1e-50
    rare = DiscreteSum.laplace("1/200", 5)
    assert 5 * math.exp(-200) <= rare.tail(1).upper < 1e-80  # still a bound


def test_steps_and_weights_that_all_share_are_one_thing():
    doubled = law(part("laplace", 5, 3, 2))
    assert doubled == DiscreteSum.laplace(5, 3, step=2)
    assert doubled.tail(3).value == DiscreteSum.laplace(5, 3).tail(2).value
    assert doubled.one_sided(0.05) == 2 * DiscreteSum.laplace(5, 3).one_sided(0.05)


def test_quantiles_in_steps_that_no_float_holds_are_rounded_up():
    thirds = DiscreteSum.laplace(7, step=Fraction(1, 3))
    exactly = Fraction(int(DiscreteSum.laplace(7).one_sided(0.01)), 3)
    assert Fraction(thirds.one_sided(0.01)) >= exactly
    assert thirds.tail(thirds.one_sided(0.01), strict=True).upper <= 0.01


def test_joined_laws_meet_on_the_finest_common_step():
    joined = DiscreteSum.laplace(3, step="1/2").joined(DiscreteSum.laplace(3, step="1/3"))
    assert joined.step == Fraction(1, 6)
    assert [(p.weight, p.count) for p in joined.parts] == [(2, 1), (3, 1)]
    same = DiscreteSum.gaussian(4, 2).joined(DiscreteSum.gaussian(4, 3))
    assert same == DiscreteSum.gaussian(4, 5)
    assert DiscreteSum.gaussian(4).scaled("1/2").deviation == pytest.approx(1, rel=1e-9)


@pytest.mark.parametrize(
    ("make", "rule"),
    [
        (lambda: DiscreteSum(()), "one noise"),
        (lambda: DiscreteSum.laplace(0), "scale must be a number above 0"),
        (lambda: DiscreteSum.gaussian(-1), "variance must be a number above 0"),
        (lambda: DiscreteSum.laplace(1, 0), "count and weight must be at least 1"),
        (lambda: part("uniform", 1), "kind must be laplace or gaussian"),
        (lambda: DiscreteSum.laplace(1).one_sided(0), "chance must be a number above 0"),
    ],
)
def test_impossible_parameters_are_refused(make, rule):
    with pytest.raises(ParameterError, match=rule):
        make()
