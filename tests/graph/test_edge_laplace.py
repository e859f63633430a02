"""edge-laplace: refusals, the query that runs, its sensitivity, and what is published."""

import json
from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import binomtest, chisquare

from sfumato.errors import BudgetError, ParameterError
from sfumato.graph.edge_laplace import METHOD, Grid
from sfumato.graph.network import Topology
from sfumato.graph.pairs import Pairs
from sfumato.inspection.audit.replay import RecordingPurse
from sfumato.privacy.guarantee import ZCDP, ApproxDP, PureDP, Seeded
from sfumato.privacy.mechanism import Purse
from sfumato.privacy.randomness import SeededBits, SystemBits

FALSE_ALARM = 1e-6  # chance that a right bound fails one statistical test
NO_PAIRS = Pairs(np.empty(0, np.int64), np.empty(0, np.int64))
ABSURD = [np.nan, np.inf, -np.inf, 1e308, -1e308, 5e-324, -0.0, 0.0, 2.0**60]
STEPS = ["1/10", "1/3", "0.25", "7/1000", "10/65536"]
BUDGETS = [PureDP("0.5"), ZCDP("0.1"), ApproxDP(1, "1e-6")]


def line(edges):
    ends = np.arange(edges)
    return Topology(range(edges + 1), ends, ends + 1, True)


def planned(edges, budget=BUDGETS[0], **options):
    return METHOD.price(line(edges), budget, options)


def run(plan, weight, purse):
    return plan.change(np.array(weight, float), NO_PAIRS, purse, lambda _: None)


def recorded(plan, weight, script=None):
    """The purse of a run, which knows what the query gave out before and after its noise."""
    purse = RecordingPurse(plan.guarantee, script)
    run(plan, weight, purse)
    return purse


def moved(plan, one, other):
    """How far the codes of two weightings are apart in l1, by the run itself."""
    ((_, l1, _),) = recorded(plan, one).distances(recorded(plan, other))
    return l1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "high must be given: .* public"),
        ({"high": 0}, "high must be a number above 0"),
        ({"high": "nan"}, "high must be a number above 0"),
        ({"high": 5, "low": "-x"}, "low must be a number of at least 0"),
        ({"high": 5, "low": -5, "step": "2e-9"}, r"step must be at least \(high - low\) / 2\*\*32"),
        ({"high": 5, "low": "-0.12345678901234567"}, "too many digits"),
        ({"high": 5, "low": 5}, "high must be above low"),
        ({"high": 5, "step": 0}, "step must be a number above 0"),
        ({"high": 5, "step": "0.3"}, "step must divide high - low"),
        ({"high": 5, "low": 1, "step": 5}, "step must divide high - low"),
        ({"high": 5, "step": "5e-10"}, r"step must be at least high / 2\*\*32"),
        ({"high": "0.12345678901234567"}, "too many digits"),
        ({"high": 5, "distance": 0}, "distance must be a number above 0"),
        ({"high": 5, "width": 1}, "no option width; it has: high, low, distance, step"),
    ],
)
def test_options_outside_their_rule_are_refused_by_name(options, message):
    with pytest.raises(ParameterError, match=message):
        planned(1, **options)


def test_noise_that_no_sampler_draws_is_refused_before_a_weight_is_read():
    with pytest.raises(ParameterError, match="step is too fine for this budget"):
        planned(1, PureDP("1e-13"), high=1)
    with pytest.raises(ParameterError, match="needs a budget"):
        METHOD.price(line(1), None, {"high": 1})


@pytest.mark.parametrize(
    "options",
    [
        {"high": "7.5"},
        {"high": 8, "low": 2, "distance": 3, "step": 0.5},
        {"high": 8, "low": "-1/3"},
    ],
)
def test_the_options_of_a_plan_are_json_that_gives_the_same_plan(options):
    plan = planned(3, **options)
    again = planned(3, **json.loads(json.dumps(dict(plan.options))))
    assert again.events == plan.events
    assert again.options == plan.options
    weights = (run(p, [1, 2, 3], Purse(p.guarantee, SeededBits(1))).weight for p in (plan, again))
    assert np.array_equal(*weights)


@pytest.mark.parametrize("budget", BUDGETS, ids=str)
def test_every_budget_is_spent_whole_and_promised(budget):
    plan = planned(4, budget, high=10)
    assert plan.guarantee == budget
    purse = Purse(plan.guarantee, SystemBits())
    run(plan, np.ones(4), purse)
    assert purse.events == list(plan.events)
    assert purse.guarantee == budget
    assert Purse(plan.guarantee, SeededBits(1)).guarantee == Seeded()


def test_a_purse_that_is_too_small_is_refused_before_a_bit_is_drawn():
    class NoBits:
        seeded = False

        def words(self, count):
            raise AssertionError("a bit was drawn")

    with pytest.raises(BudgetError, match="more than was reserved"):
        run(planned(4, high=10), np.ones(4), Purse(PureDP("0.4"), NoBits()))


@pytest.mark.parametrize("low", ["0", "1/7", "-5/3"])
@pytest.mark.parametrize("step", STEPS)
def test_codes_are_those_of_exact_arithmetic(step, low, rng):
    """Random floats, and floats at and next to the borders between codes."""
    low, step = Fraction(low), Fraction(step)
    grid = Grid(low, low + step * 400, step)
    borders = np.array([float(low + (k + Fraction(1, 2)) * step) for k in range(-3, 404)])
    near = [np.nextafter(borders, -np.inf), borders, np.nextafter(borders, np.inf)]
    weight = np.concatenate([*near, rng.uniform(-3, 2 * abs(float(grid.high)), 2_000)])
    exact = [
        min(max((Fraction(float(x)) - low) / step + Fraction(1, 2), Fraction(0)), Fraction(400))
        for x in weight
    ]
    assert grid.codes(weight).tolist() == [int(place) for place in exact]


def test_absurd_weights_have_codes_too():
    grid = Grid(Fraction(1), Fraction(3), Fraction(1, 2))
    assert grid.codes(np.array(ABSURD)).tolist() == [0, 4, 0, 4, 0, 0, 0, 0, 4]


def neighbours(grid, distance, rng):
    """Two weightings of five edges on the grid whose difference adds up to the distance or less."""
    last, q = grid.last, int(distance / grid.step)
    one = rng.integers(0, last + 1, 5)
    change = rng.multinomial(rng.integers(0, q + 1), rng.dirichlet(np.ones(5)))
    other = np.clip(one + change * rng.choice([-1, 1], 5), 0, last)
    points = np.array([float(grid.low + k * grid.step) for k in range(last + 1)])
    return points[one], points[other]


@pytest.mark.parametrize("step", ["1/10", "1/3", "0.25"])
def test_no_neighbours_on_the_grid_move_the_query_beyond_its_sensitivity(step, rng):
    step, distance = Fraction(step), 7 * Fraction(step)
    plan = planned(5, high=30 * step, step=step, distance=distance)
    grid, most = Grid(Fraction(0), 30 * step, step), float(plan.events[0].sensitivity)
    assert most == 7
    found = [moved(plan, *neighbours(grid, distance, rng)) for _ in range(400)]
    assert max(found) == most  # attained, and a claim of less would have been caught


def off_the_grid(rng, step, count):
    """Pairs of floats, absurd ones among them, that differ by at most seven steps when clipped."""
    low, high, most = 0.0, 30 * float(step), 7 * step
    bases = np.concatenate([rng.uniform(-5, 1.2 * high, count), ABSURD])
    halves = (rng.integers(0, 30, count) + 0.5) * float(step)
    for base in np.concatenate([bases, halves]):
        for factor in (7, -7, 3, 0.1):
            other = base + factor * float(step)
            for candidate in (other, np.nextafter(other, base), *ABSURD):
                ends = [min(max(low if np.isnan(x) else x, low), high) for x in (base, candidate)]
                if abs(Fraction(float(ends[0])) - Fraction(float(ends[1]))) <= most:
                    yield base, candidate


@pytest.mark.parametrize("step", ["1/10", "1/3", "0.25"])
def test_a_single_weight_off_the_grid_moves_its_code_by_the_distance_at_most(step, rng):
    step = Fraction(step)
    plan = planned(1_000_000, high=30 * step, step=step, distance=7 * step)
    one, other = np.array(list(off_the_grid(rng, step, 300))).T
    assert len(one) > 1_500
    first, second = (recorded(planned(len(one), **plan.options), w) for w in (one, other))
    codes = [purse.statistics[0].exact[0] for purse in (first, second)]
    assert np.abs(codes[0] - codes[1]).max() == 7 == plan.events[0].sensitivity


@pytest.mark.parametrize("step", ["1/10", "1/3", "0.25"])
def test_rounding_half_to_even_would_break_the_bound(step, rng):
    """Positive control: what numpy rounds to moves by a step more than the weight."""
    step = Fraction(step)
    one, other = np.array(list(off_the_grid(rng, step, 300))).T
    inside = [np.clip(np.nan_to_num(w, nan=0.0), 0, 30 * float(step)) for w in (one, other)]
    careless = [np.rint(w / float(step)) for w in inside]
    assert np.abs(careless[0] - careless[1]).max() == 8


def test_several_weights_off_the_grid_may_exceed_it_by_a_step_each_and_the_limits_say_so():
    plan = planned(3, high=30, step=1, distance=3)
    below, above = np.full(3, 4.4), np.full(3, 4.6)
    assert moved(plan, below, above) == 3  # though they differ by 0.6 in all
    one, other = np.array([4.4, 4.4, 4.0]), np.array([5.5, 5.5, 4.8])
    assert np.abs(one - other).sum() <= 3.000001
    assert moved(plan, one, other) == 5 <= 3 * (1 + 3 / 3)
    assert any("1 + c/3" in limit for limit in plan.limits)


def test_a_distance_between_two_steps_counts_as_the_next_one():
    plan = planned(1, high=30, step=1, distance="2.5")
    assert plan.events[0].sensitivity == 3
    assert moved(plan, [4.4], [6.6]) == 3


def test_the_default_distance_lets_one_weight_change_altogether():
    plan = planned(2, high=30, low=10)
    assert moved(plan, [-np.inf, 20], [np.inf, 20]) == 2**16 == plan.events[0].sensitivity


def test_frozen_outputs_have_a_likelihood_ratio_of_at_most_e_to_the_epsilon():
    """All neighbours on a tiny grid, by the codes of the run; attained, in exact fractions."""
    epsilon, q = Fraction(1, 3), 2
    plan = planned(2, PureDP(epsilon), high=3, step=1, distance=q)
    scale = plan.events[0].noise
    assert scale == q / epsilon
    worst = Fraction(0)
    for one, other in product(product(range(4), repeat=2), repeat=2):
        if sum(abs(a - b) for a, b in zip(one, other, strict=True)) > q:
            continue
        first = recorded(plan, one)
        second = recorded(plan, other, script=first.outputs)
        codes = [p.statistics[0].exact[0].tolist() for p in (first, second)]
        assert np.array_equal(
            *(
                run(plan, w, RecordingPurse(plan.guarantee, first.outputs)).weight
                for w in (one, other)
            )
        )
        for out in product(range(-3, 7), repeat=2):
            loss = sum(abs(o - b) - abs(o - a) for o, a, b in zip(out, *codes, strict=True)) / scale
            assert loss <= epsilon
            worst = max(worst, loss)
    assert worst == epsilon


def chances(code, p, first, last):
    """P(clip(code + X) = k) for P(X = k) ∝ p^|k|, as fractions."""

    def below(x):  # P(X <= x)
        return p ** (-x) / (1 + p) if x < 0 else 1 - p ** (x + 1) / (1 + p)

    edges = [Fraction(0), *(below(k - code) for k in range(first, last)), Fraction(1)]
    return [b - a for a, b in pairwise(edges)]


@pytest.mark.parametrize(("claimed", "holds"), [(2, True), (1, False)])
def test_published_weights_have_a_probability_ratio_within_the_bound(claimed, holds):
    """Codes as they run, clipping as it runs, all outcomes of one weight; the bound is p^-q."""
    grid, p = Grid(Fraction(0), Fraction(3), Fraction(1)), Fraction(1, 2)
    points = sorted(set(grid.weights(np.arange(-9, 12)).tolist()))
    assert points == [1.0, 2.0, 3.0]
    worst = Fraction(0)
    weights = [np.nan, -1, 0, 0.5, 1, 1.49999, 1.5, 2, 2.6, 3, 99, np.inf]
    for one, other in product(weights, repeat=2):
        apart = abs(np.subtract(*np.clip(np.nan_to_num([one, other], nan=0.0), 0, 3)))
        if apart <= 2:
            laws = (chances(int(grid.codes(np.array([w]))[0]), p, 1, 3) for w in (one, other))
            worst = max(worst, *(a / b for a, b in zip(*laws, strict=True)))
    assert (worst <= p**-claimed) == holds


@given(arrays(np.float64, 6, elements=st.floats(width=64) | st.sampled_from(ABSURD)))
def test_no_outcome_error_or_type_depends_on_a_weight(weight):
    plan = planned(6, high="7.5", low="0", step="0.1")
    before, purse = weight.copy(), Purse(plan.guarantee, SeededBits(3))
    made = run(plan, weight, purse)
    assert made.weight.dtype == np.float64
    assert made.weight.shape == (6,)
    assert np.all((made.weight > 0) & (made.weight <= 7.5))
    assert purse.events == list(plan.events)
    assert made.synopsis == run(plan, np.ones(6), Purse(plan.guarantee, SeededBits(4))).synopsis
    assert np.array_equal(weight, before, equal_nan=True)


@pytest.mark.parametrize("low", ["0", "2.5", "-2.5"])
def test_every_published_weight_is_the_float_of_a_grid_point(low, rng):
    low, step = Fraction(low), Fraction(1, 10)
    plan = planned(3_000, PureDP(5), high="7.5", low=low, step=step)
    published = run(plan, rng.uniform(0, 9, 3_000), Purse(plan.guarantee, SeededBits(3))).weight
    points = {float(low + k * step) for k in range(int((Fraction("7.5") - low) / step) + 1)}
    points -= {0.0} if low == 0 else set()  # a length is above 0, a signed weight may be 0
    assert set(published.tolist()) == points
    noisy = rng.uniform(0, 9, 3_000) + rng.laplace(0, 1, 3_000)  # the control: float noise
    assert not set(np.clip(noisy, 0.1, 7.4).tolist()) <= points


def test_neighbours_share_their_support_where_float_noise_would_tell_them_apart():
    plan = planned(4_000, PureDP(2), high=2, step="0.25", distance="0.25")
    seen = [
        set(run(plan, np.full(4_000, w), Purse(plan.guarantee, SeededBits(s))).weight.tolist())
        for s, w in enumerate((1.0, 1.25))
    ]
    assert seen[0] & seen[1] >= {0.75, 1.0, 1.25, 1.5}
    rng = np.random.default_rng(0)
    floats = [set((w + rng.laplace(0, 0.125, 4_000)).tolist()) for w in (1.0, 1.25)]
    assert not floats[0] & floats[1]


def mass(k, *, laplace):
    """Chances of -12 … 12 steps and of the rest, at scale 3 or at variance 9."""
    weight = np.exp(-np.abs(k) / 3) if laplace else np.exp(-(k**2) / 18)
    total = 2 * weight[k >= 0].sum() - 1
    inside = weight[np.abs(k) <= 12] / total
    return np.append(inside, 1 - inside.sum())


@pytest.mark.parametrize(("error", "passes"), [("1", True), ("0.9", False), ("1.1", False)])
@pytest.mark.parametrize("laplace", [True, False])
def test_published_noise_has_the_stated_law_and_no_other(laplace, error, passes):
    """From the published weights alone, far from both bounds; ten per cent off is rejected."""
    error, edges = Fraction(error), 100_000
    # A scale of 3 steps: distance / (step epsilon); a variance of 9: (distance / step)² / 2 rho.
    budget = PureDP(2 / (3 * error)) if laplace else ZCDP(Fraction(4, 18) / error**2)
    plan = planned(edges, budget, high=10_000, step="0.1", distance="0.2")
    made = run(plan, np.full(edges, 5_000.0), Purse(plan.guarantee, SeededBits(2)))
    steps = np.rint((made.weight - 5_000) * 10).astype(int)
    due = mass(np.arange(-300, 301), laplace=laplace) * edges
    found = np.bincount(np.where(np.abs(steps) <= 12, steps + 12, 25), minlength=26)
    assert (chisquare(found, due).pvalue > FALSE_ALARM) == passes


@pytest.mark.parametrize("budget", BUDGETS[:2], ids=str)
@pytest.mark.parametrize("distance", ["0.1", "20"])
@pytest.mark.parametrize("hops", [1, 10, 100])
def test_path_errors_stay_below_the_expected_bound_in_95_of_100_releases(
    hops, distance, budget, rng
):
    """Far below the range, where noise is all there is, and where clipping decides."""
    tries = 4_000 if hops < 100 else 1_000
    plan = planned(tries * hops, budget, high=20, distance=distance)
    weight = rng.choice([0.0, 20.0, 7.123], (tries, hops))
    made = run(plan, weight.ravel(), Purse(plan.guarantee, SeededBits(9)))
    error = np.abs((made.weight.reshape(tries, hops) - weight).sum(axis=1))
    bound = made.synopsis["expected"]["path error by edges, 95 %"][str(hops)]
    missed = int((error > bound).sum())
    assert binomtest(missed, tries, 0.05, alternative="greater").pvalue > FALSE_ALARM
    assert np.mean(error > bound / 20) > 0.05  # no bound that nothing could ever reach


def test_the_bound_for_one_weight_is_nearly_exact(rng):
    plan = planned(50_000, PureDP(1), high=1000, distance=10)
    made = run(plan, np.full(50_000, 500.0), Purse(plan.guarantee, SeededBits(9)))
    bound = made.synopsis["expected"]["path error by edges, 95 %"]["1"]
    missed = int((np.abs(made.weight - 500) > bound).sum())
    assert binomtest(missed, 50_000, 0.05).pvalue > FALSE_ALARM
    assert made.synopsis["expected"]["noise scale"] == pytest.approx(10, rel=1e-3)
