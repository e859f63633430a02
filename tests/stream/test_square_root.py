"""The square root: exact recovery, certified sensitivity, error against the tree."""

from fractions import Fraction
from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.inspection.audit.replay import RecordingPurse
from sfumato.numeric.compiled import HAVE_NUMBA, compiled
from sfumato.privacy.guarantee import ZCDP, ApproxDP
from sfumato.stream import square_root_kernel
from sfumato.stream.square_root import DecayingSums, RecoveredCounts
from sfumato.synopsis import decaying
from sfumato.synopsis.decaying import Design, _power_below
from stream_world import all_streams, largest_moves, measurements, planned, series

BUDGET = ApproxDP(1, "1e-6")


def coefficients(design):
    """a_k in counts, as exact rationals: what one new count adds to the measurement at lag k."""
    decays = [1 - Fraction(1, 2**j) for j in range(1, design.decays + 1)]
    for k in range(design.steps):
        kept = sum(share * decay**k for share, decay in zip(design.shares, decays, strict=True))
        yield Fraction(kept + (design.direct if k == 0 else 0)) / design.unit


def response(design):
    """What a unit of noise on the first measurement adds to every later count."""
    impulse = np.zeros(design.steps, np.int64)
    impulse[0] = design.unit
    return RecoveredCounts(design).estimate(impulse)


@pytest.mark.parametrize("length", range(1, 9))
def test_without_noise_every_count_is_exact(length):
    design = Design(length, 1)
    for stream in all_streams(length):
        counts = RecoveredCounts(design).estimate(DecayingSums(design).query(np.array(stream)))
        assert np.abs(counts - np.cumsum(stream)).max() < 1e-6


@pytest.mark.parametrize(("steps", "most"), [(2**15, 1), (2**10, 2**16), (3000, 2**33)])
def test_without_noise_rounded_counts_of_long_streams_are_exact(steps, most, rng):
    if steps > 2**12 and not HAVE_NUMBA:
        pytest.skip("slow without numba")
    design = Design(steps, most)
    given_counts = rng.integers(0, most + 1, steps)
    given_counts[: steps // 2] = most  # the largest totals there can be
    sums, recovered = DecayingSums(design), RecoveredCounts(design)
    parts = np.array_split(given_counts, 7)
    counts = np.concatenate([recovered.estimate(sums.query(part)) for part in parts])
    assert np.array_equal(np.rint(counts), np.cumsum(given_counts))


@pytest.mark.parametrize("length", range(1, 9))
def test_brute_force_attains_the_sensitivity_and_never_exceeds_it(length):
    plan = planned(length, BUDGET)
    claimed = Design(length, 1).sensitivity()
    assert plan.events[0].sensitivity == claimed.l2_squared
    l1, l2_squared = largest_moves(plan, length)
    assert 0.9999 * claimed.l2_squared < l2_squared <= claimed.l2_squared
    assert l1 <= claimed.l1


@pytest.mark.parametrize("every", [2, 3])
def test_brute_force_over_blocks_stays_within_the_sensitivity_of_single_bits(every):
    plan = planned(7, BUDGET, every=every)
    steps = -(-7 // every)
    l2_squared = largest_moves(plan, 7)[1]
    claimed = Design(steps, every).sensitivity().l2_squared
    assert 0.9999 * claimed < l2_squared <= claimed


@pytest.mark.parametrize(("steps", "most"), [(1, 1), (2, 1), (50, 1), (300, 2**20), (300, 2**36)])
def test_the_certified_sensitivity_is_that_of_the_exact_coefficients_plus_rounding(steps, most):
    design = Design(steps, most)
    exact = sum(a**2 for a in coefficients(design))
    rounding = 2 * sum(design.weights) / design.unit * sqrt(steps - 1)
    claimed = design.sensitivity().l2_squared
    assert exact <= claimed
    assert float(claimed) == pytest.approx((sqrt(exact) + rounding) ** 2, rel=1e-4)


@pytest.mark.parametrize("steps", [2**12, 2**13])
def test_the_closed_form_of_a_long_sum_of_squares_is_the_sum(steps):
    design = Design(steps, 1)
    decays = 1 - 0.5 ** np.arange(1, design.decays + 1)
    lags = np.arange(1, steps)[:, None]
    later = (np.array(design.shares) / design.unit * decays**lags).sum(axis=1)
    assert float(design.sensitivity().l2_squared) == pytest.approx(1 + (later**2).sum(), rel=1e-4)


def largest_rounding(design, rng):
    """How far, in steps of a measurement, neighbours differ from the exact coefficients."""
    decays = 1 - 0.5 ** np.arange(1, design.decays + 1)
    slope = (np.array(design.shares) * decays ** np.arange(design.steps)[:, None]).sum(axis=1)
    slope[0] = design.unit
    worst = 0.0
    for top in (1, *[design.most] * 20):  # first a stream of nothing: totals that fade away
        one = rng.integers(0, top, design.steps)
        at = int(rng.integers(0, design.steps // 2))
        other = one.copy()
        other[at] += 1
        moved = DecayingSums(design).query(other) - DecayingSums(design).query(one)
        assert not moved[:at].any()
        assert moved[at] == design.unit
        worst = max(worst, np.abs(moved[at:] - slope[: design.steps - at]).max())
    return worst


COARSE = Design(2000, 2**38)  # few bits are left behind the point


def test_carried_remainders_keep_rounding_below_its_bound(rng):
    worst = largest_rounding(COARSE, rng)
    assert worst < 2 * sum(COARSE.weights)
    assert worst > 0.02 * sum(COARSE.weights)  # there is rounding: the bound needs the term


def test_remainders_that_are_dropped_would_pass_the_bound(rng, monkeypatch):
    """Positive control of the test above."""

    @compiled
    def forgetful(counts, direct, weight, power, total, rest, out):
        for t in range(counts.size):
            y = direct * counts[t]
            for j in range(total.size):
                total[j] += (counts[t] << power[j]) - (total[j] >> (j + 1))
                y += weight[j] * total[j]
            out[t] = y

    monkeypatch.setattr("sfumato.stream.square_root.measure", forgetful)
    assert largest_rounding(COARSE, rng) > 2 * sum(COARSE.weights)


@given(st.fractions(0, 1, max_denominator=2**20), st.integers(0, 300))
def test_powers_are_bounded_from_below_and_closely(base, exponent):
    found = _power_below(base, exponent)
    assert 0 <= base**exponent - found < Fraction(1, 2**140)


def root_mean_square(design):
    """Error of all counts per unit of σ at ρ = ½: sensitivity times mean row norm."""
    rows = np.cumsum(response(design) ** 2)
    return sqrt(float(design.sensitivity().l2_squared) * rows.mean())


def tree_error(steps):
    times = np.arange(1, steps + 1)
    return sqrt(steps.bit_length() * np.bitwise_count(times).mean())


@pytest.mark.parametrize(
    ("steps", "most"), [(2**10, 0.415), (2**14, 0.387), (2**17, 0.374), (2**20, 0.365)]
)
def test_the_error_is_this_share_of_the_gaussian_trees_at_equal_budget(steps, most):
    if steps > 2**12 and not HAVE_NUMBA:
        pytest.skip("slow without numba")
    assert root_mean_square(Design(steps, 1)) / tree_error(steps) < most


def test_the_error_is_below_that_of_the_exact_square_root():
    steps = 2**12
    k = np.arange(1, steps)
    exact = np.concatenate([[1.0], np.cumprod((2 * k - 1) / (2 * k))])
    rows = np.cumsum(exact**2)
    assert root_mean_square(Design(steps, 1)) < sqrt(rows[-1] * rows.mean())


def test_measured_errors_follow_from_the_response_to_noise():
    """Published minus true counts are the response applied to the very noise that was drawn."""
    plan = planned(500, ZCDP(1), smooth="none")
    purse = RecordingPurse(plan.budget)
    stream = np.arange(500) % 3 == 0
    _, values = series(plan, stream, purse)
    (statistic,) = purse.statistics
    unit = statistic.units[0][0]
    noise = (statistic.flat(statistic.outputs) - statistic.flat(statistic.exact)) / unit
    expected = np.convolve(noise, response(Design(500, 1)))[:500]
    np.testing.assert_allclose(values - np.cumsum(stream), expected, atol=1e-5)


def test_the_noise_has_the_variance_that_its_price_asks_for():
    """False alarm 1e-6: the mean square of 4,000 draws has a relative deviation of 2.2 %."""
    plan = planned(4000, ZCDP("0.5"), smooth="none")
    purse = RecordingPurse(plan.budget)
    series(plan, np.zeros(4000, np.uint8), purse)
    (statistic,) = purse.statistics
    noise = statistic.flat(statistic.outputs) - statistic.flat(statistic.exact)
    ratio = (noise.astype(float) ** 2).mean() / float(
        Design(4000, 1).sensitivity().l2_squared * Design(4000, 1).unit ** 2
    )
    allowed = 4.9 * sqrt(2 / 4000)
    assert abs(ratio - 1) < allowed
    assert abs(ratio * 1.2 - 1) > allowed  # positive control: a fifth too much is noticed


def test_weights_are_the_same_on_every_machine():
    assert Design(2**10, 1).weights == (56, 65, 43, 58, 41, 57, 40, 57, 40, 193)
    assert Design(1, 1).unit == Design(2**20, 1).unit == 2**36


@pytest.mark.parametrize(
    ("steps", "most"), [(1, 1), (2, 2**43), (2**44, 1), (2**22, 2**22), (2**10, 2**34)]
)
def test_whole_numbers_have_room_up_to_the_longest_stream(steps, most):
    design = Design(steps, most)
    assert design.direct > 0
    assert min(design.powers) >= 0
    assert min(design.weights) > 0
    # The largest total, with its remainder, and the largest measurement: all bits are one.
    assert max(most << p + j for j, p in enumerate(design.powers, start=1)) < 2**61
    decays = np.arange(1, design.decays + 1)
    largest = np.minimum(2.0**decays, steps) * np.array(design.shares, float)
    assert most * (largest.sum() + design.direct) < 2**62


@pytest.mark.skipif(not HAVE_NUMBA, reason="there is only the plain loop")
def test_the_compiled_loops_compute_what_plain_python_does(rng, monkeypatch):
    counts = rng.integers(0, 2, 300)
    design = Design(300, 1)
    fast = DecayingSums(design).query(counts)
    recovered = RecoveredCounts(design).estimate(fast)
    for name, loop in (("measure", square_root_kernel.measure), ("recover", decaying.recover)):
        plain = loop.py_func
        monkeypatch.setattr(f"sfumato.stream.square_root.{name}", plain)
    assert np.array_equal(DecayingSums(design).query(counts), fast)
    np.testing.assert_allclose(RecoveredCounts(design).estimate(fast), recovered, rtol=1e-12)


def test_measurements_do_not_depend_on_how_the_stream_is_cut():
    stream = np.arange(64) % 5 == 0
    at_once, _ = measurements(planned(64, BUDGET), stream)
    bit_by_bit, _ = measurements(planned(64, BUDGET), iter(stream.tolist()))
    assert np.array_equal(at_once, bit_by_bit)
