"""reservoir-mean: price, times, accuracy as stated, the secret sample, and refusals."""

from itertools import combinations, product
from math import comb, exp, log, sqrt
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binomtest, chisquare

from sfumato.errors import BudgetError, DataError, ParameterError
from sfumato.privacy.guarantee import ZCDP, ApproxDP, PureDP
from sfumato.privacy.mechanism import Purse
from sfumato.privacy.randomness import SeededBits
from sfumato.privacy.response import RandomizedResponse
from sfumato.privacy.subsample import amplified, within_amplified
from sfumato.stream import reservoir as module
from sfumato.stream.reservoir_mean import METHOD
from sfumato.stream.source import open_bits

FALSE_ALARM = 1e-6  # chance that a right method fails one statistical test
PAGE = Path(__file__).parents[2] / "docs" / METHOD.proof


def published(data, epsilon=1, seed=1, horizon=None, **options):
    """Times and values of one run, in one piece."""
    plan = METHOD.price(horizon or len(data), PureDP(epsilon), options)
    parts = list(plan.run(open_bits(data), Purse(plan.budget, SeededBits(seed))))
    times, values = (np.concatenate(part) for part in zip(*parts, strict=True))
    return times, values


class NoBits:
    seeded = True

    def words(self, count):
        raise AssertionError("bits were drawn")


class Plain:
    """Bits in memory, without any check."""

    def __init__(self, values):
        self.values, self.position = values, 0

    def read(self, count):
        found = self.values[self.position : self.position + count]
        self.position += found.size
        return found

    def skip(self, count):
        there = min(count, self.values.size - self.position)
        self.position += there
        return there


@pytest.mark.slow
@pytest.mark.parametrize(("size", "runs", "passes"), [(20, 3_000, True), (4, 3_000, False)])
def test_the_error_stays_within_sigma_as_often_as_stated(size, runs, passes, monkeypatch):
    """At σ = 0.4, λ = 0.05, ε = 2; a fifth of the sample must not do."""
    monkeypatch.setattr(module, "_BLOCK", 32)
    assert RandomizedResponse("bits", PureDP(2)).sample_size(0.4, 0.05) == 20
    data, bits = np.arange(60, dtype=np.uint8) % 2, SeededBits(3)
    plan = METHOD.price(60, PureDP(2), {"size": size})
    failures = 0
    for _ in range(runs):
        ((_, value),) = plan.run(Plain(data), Purse(plan.budget, bits))
        failures += abs(value[0] - 0.5) > 0.4
    found = binomtest(int(failures), runs, 0.05, alternative="greater")
    assert (found.pvalue > FALSE_ALARM) == passes


def test_the_published_bound_with_one_sided_noise_never_holds(rng):
    """Theorem 8.4.4 of the source: exponential noise has the mean 1/ε, and so has the error."""
    epsilon, sigma, failure, runs = 1.0, 0.1, 0.05, 10_000
    size = int((20 + 10 * sigma) / sigma**2 * log(2 / failure))
    assert size == 7746
    ones = rng.hypergeometric(30_000, 70_000, size, runs)
    error = ones / size + rng.gamma(size, 1 / epsilon, runs) / size - 0.3
    claimed = sigma + sqrt(6 * sigma**2 / (2 + sigma)) / epsilon
    assert not (np.abs(error) <= claimed).any()
    assert error.mean() == pytest.approx(1 / epsilon, abs=0.01)


def test_the_series_costs_epsilon_once_however_many_times_it_is_published():
    plan = METHOD.price(1000, PureDP("0.7"), {"times": "every=1", "size": 30})
    assert [event.cost for event in plan.events] == [PureDP("0.7")]
    assert plan.budget == PureDP("0.7")
    purse = Purse(plan.budget, SeededBits(1))
    list(plan.run(open_bits(np.zeros(1000, np.uint8)), purse))
    assert tuple(purse.events) == plan.events


def test_nothing_is_drawn_or_read_beyond_the_purse():
    class NoSource:
        def read(self, count):
            raise AssertionError("a bit was read")

        skip = read

    for options in ({"size": 5}, {"size": 5, "single": True}):
        plan = METHOD.price(10, PureDP(1), options)
        with pytest.raises(BudgetError, match="more than was reserved"):
            list(plan.run(NoSource(), Purse(PureDP("0.5"), NoBits())))


def series_law(bits, size, epsilon):
    """Exact law of the published counts of ones after each bit, by enumeration."""
    q = RandomizedResponse("bits", PureDP(epsilon)).flip_probability
    states = {((), ()): 1.0}  # responses held, counts published
    for time, bit in enumerate(bits, 1):
        after = {}
        for (held, counts), weight in states.items():
            moves = []
            if time <= size:
                for answer in (0, 1):
                    moves.append(((*held, answer), 1 - q if answer == bit else q))
            else:
                moves.append((held, 1 - size / time))
                for slot, answer in product(range(size), (0, 1)):
                    new = (*held[:slot], answer, *held[slot + 1 :])
                    moves.append((new, (1 - q if answer == bit else q) / time))
            for new, chance in moves:
                key = new, (*counts, sum(new))
                after[key] = after.get(key, 0.0) + weight * chance
        states = after
    law = {}
    for (_, counts), weight in states.items():
        law[counts] = law.get(counts, 0.0) + weight
    return law


def test_a_published_series_loses_epsilon_because_its_sample_is_not_secret():
    """So the amplified figure, which holds for the last value alone, is not claimed for it."""
    size, length, epsilon = 2, 5, 1.0
    series = last = 0.0
    for place, rest in product(range(length), product((0, 1), repeat=length - 1)):
        pair = [series_law((*rest[:place], b, *rest[place:]), size, epsilon) for b in (0, 1)]
        series = max(series, *(abs(log(pair[0][c] / pair[1][c])) for c in pair[0]))
        ends = [
            [sum(w for c, w in law.items() if c[-1] == count) for count in range(size + 1)]
            for law in pair
        ]
        last = max(last, *np.abs(np.log(np.divide(*ends))))
    single = float(amplified(PureDP(1), size, length).epsilon)
    assert last == pytest.approx(single) == pytest.approx(0.52314, abs=1e-5)
    assert series == pytest.approx(epsilon)
    plan = METHOD.price(length, PureDP(1), {"size": size, "times": "every=1"})
    assert plan.events[0].cost.epsilon == 1


@pytest.mark.parametrize(("base", "passes"), [("amplified", True), ("unamplified", False)])
def test_one_mean_of_a_secret_sample_has_the_law_that_spends_the_whole_budget(base, passes):
    """Against enumeration over all samples; responses at the budget itself are rejected."""
    bits, size, runs, total = (1, 0, 0, 0, 0), 2, 6_000, PureDP("0.5")
    spent = within_amplified(total, size, 5) if base == "amplified" else total
    q = RandomizedResponse("bits", spent).flip_probability
    law = np.zeros(size + 1)
    for sample in combinations(bits, size):
        one = np.array([1.0])
        for bit in sample:
            one = np.convolve(one, [q, 1 - q] if bit else [1 - q, q])
        law += one / comb(5, size)
    plan = METHOD.price(5, total, {"size": size, "single": True})
    words, found = SeededBits(4), []
    for _ in range(runs):
        ((time, value),) = plan.run(Plain(np.array(bits, np.uint8)), Purse(total, words))
        assert time.tolist() == [5]
        found.append(round(2 * value[0]))  # 0, 1/2 and 1: cut to the range, and still apart
    counts = np.bincount(found, minlength=3)
    assert (chisquare(counts, law * runs).pvalue > FALSE_ALARM) == passes


def test_a_secret_sample_pays_no_more_than_the_budget_and_answers_more_truthfully():
    series = METHOD.price(10**6, PureDP("0.1"), {"sigma": "0.05"})
    single = METHOD.price(10**6, PureDP("0.1"), {"sigma": "0.05", "single": "yes"})
    assert single.events[0].cost.epsilon <= single.budget.epsilon == PureDP("0.1").epsilon
    assert single.events[0].noise < series.events[0].noise
    assert "must stay secret" in single.limits[-1]
    assert not any("secret" in limit for limit in series.limits)


def test_a_secret_sample_is_read_at_its_places_only_and_is_as_large_as_sigma_asks():
    data = np.random.default_rng(1).integers(0, 2, 50_000).astype(np.uint8)

    class Watched:
        def __init__(self):
            self.source, self.reads = open_bits(data), 0

        def read(self, count):
            self.reads += count
            return self.source.read(count)

        def skip(self, count):
            return self.source.skip(count)

    stream = Watched()
    plan = METHOD.price(50_000, PureDP(1), {"sigma": "0.1", "single": True})
    ((_, value),) = plan.run(stream, Purse(plan.budget, SeededBits(5)))
    base = within_amplified(PureDP(1), stream.reads, 50_000)
    fewer = within_amplified(PureDP(1), stream.reads - 1, 50_000)
    assert RandomizedResponse("bits", base).error(stream.reads, 0.05) <= 0.1
    assert RandomizedResponse("bits", fewer).error(stream.reads - 1, 0.05) > 0.1
    assert stream.reads < 200  # 864 at times that follow each other
    assert abs(value[0] - data.mean()) < 0.2


@pytest.mark.parametrize(
    ("times", "meant"),
    [
        (None, [90]),
        ("30,60, 90", [30, 60, 90]),
        ([30, 60], [30, 60]),
        (np.array([1, 90]), [1, 90]),
        (45, [45]),
        ("every=40", [40, 80]),
        ("every=90", [90]),
    ],
)
def test_times_may_be_written_in_many_ways(times, meant):
    found, values = published(np.zeros(90, np.uint8), size=9, times=times)
    assert found.tolist() == meant
    assert ((values >= 0) & (values <= 1)).all()


def test_options_as_texts_and_as_values_publish_the_same_and_are_told_alike():
    data = np.arange(5_000, dtype=np.uint8) % 2
    one = published(data, times="1000,5000", sigma="0.1", confidence="0.9", single="no")
    other = published(data, times=[1000, 5000], sigma=0.1, confidence=0.9, single=False)
    assert one[1].tolist() == other[1].tolist()
    plan = METHOD.price(5_000, PureDP(1), {"times": [1000, 5000], "sigma": 0.1})
    again = METHOD.price(5_000, PureDP(1), plan.options)
    assert again.options == plan.options
    assert again.events == plan.events


def test_times_far_apart_are_published_one_by_one_and_near_ones_together():
    plan = METHOD.price(300_000, PureDP(1), {"times": "1,2,3,200000,300000", "size": 5})
    source = open_bits(np.zeros(300_000, np.uint8))
    behind = []
    for times, _ in plan.run(source, Purse(plan.budget, SeededBits(1))):
        behind.append((times.tolist(), source.position))
    assert behind == [([1, 2, 3], 3), ([200_000], 200_000), ([300_000], 300_000)]


@pytest.mark.parametrize(
    "times",
    ["20,10", "10,10", [5, 5], "0,10", "-1", "91", "x", "every=0", "every=91", [], "", "1.5"],
)
def test_times_that_are_not_ascending_numbers_up_to_the_horizon_are_refused(times):
    with pytest.raises(ParameterError, match="times"):
        METHOD.price(90, PureDP(1), {"size": 5, "times": times})


def test_more_than_a_million_times_are_refused():
    with pytest.raises(ParameterError, match="at most 1000000"):
        METHOD.price(10**7, PureDP(1), {"size": 5, "times": "every=1"})


@pytest.mark.parametrize("single", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_a_stream_that_ends_before_a_time_is_refused_wherever_the_sample_lies(single, seed):
    with pytest.raises(DataError, match="the stream ended after 19 bits, and bit"):
        published(np.zeros(19, np.uint8), horizon=20, size=1, single=single, seed=seed)


@pytest.mark.parametrize("single", [False, True])
def test_what_is_neither_0_nor_1_counts_as_a_zero(single):
    found, clean = (
        published(bits, size=4, single=single)[1].tolist() for bits in ([0, 1, 7, 1], [0, 1, 0, 1])
    )
    assert found == clean


def test_a_secret_sample_for_several_times_is_refused():
    with pytest.raises(ParameterError, match="single is for one time, got 2"):
        METHOD.price(90, PureDP(1), {"size": 5, "times": "10,20", "single": True})


@pytest.mark.parametrize("options", [{}, {"size": 5, "sigma": 0.1}])
def test_either_a_size_or_an_error_is_asked_for(options):
    with pytest.raises(ParameterError, match="give either size"):
        METHOD.price(90, PureDP(1), options)


@pytest.mark.parametrize("single", [False, True])
def test_an_error_that_the_bits_cannot_give_is_refused(single):
    with pytest.raises(ParameterError, match="raise sigma or epsilon"):
        METHOD.price(500, PureDP("0.5"), {"sigma": "0.1", "single": single})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("size", 0),
        ("size", "many"),
        ("sigma", 0),
        ("sigma", 1),
        ("confidence", 1),
        ("single", "maybe"),
    ],
)
def test_options_outside_their_rule_are_refused_by_name(name, value):
    with pytest.raises(ParameterError, match=name):
        METHOD.price(
            90, PureDP(1), {"size": 5} | {name: value} if name != "sigma" else {name: value}
        )


def test_unknown_options_are_refused_by_name():
    with pytest.raises(ParameterError, match="reservoir-mean has no option rank"):
        METHOD.price(90, PureDP(1), {"rank": 5})


@pytest.mark.parametrize("budget", [ZCDP(1), ApproxDP(1, "1e-6")])
def test_budgets_that_are_not_pure_are_refused(budget):
    with pytest.raises(ParameterError, match="leave out delta and rho"):
        METHOD.price(90, budget, {"size": 5})


@pytest.mark.parametrize("horizon", [0, 2**51, "x"])
def test_horizons_without_a_stream_are_refused(horizon):
    with pytest.raises(ParameterError, match="horizon"):
        METHOD.price(horizon, PureDP(1), {"size": 5})


def test_the_plan_says_how_far_off_a_mean_may_be():
    plan = METHOD.price(10_000, PureDP(1), {"sigma": "0.1", "times": "100,10000"})
    assert plan.limits == (
        "The mean of 864 responses is off by more than 0.1 with a chance of at most 0.05 at any "
        "one time.",
        "Before bit 864 there are fewer: 0.2939 takes its place at 100.",
    )
    stated = float(plan.limits[1].split()[6])
    exact = (exp(1) + 1) / (exp(1) - 1) * sqrt(log(40) / 200)
    assert exact <= stated < exact + 1e-4


def test_a_size_beyond_the_stream_keeps_every_bit():
    data = np.array([1, 0, 0, 1, 0], np.uint8)
    _, values = published(data, epsilon=10**6, size=10**9, times="every=1")
    np.testing.assert_allclose(values, np.cumsum(data) / np.arange(1, 6))


def test_the_proof_page_names_the_method_and_its_options():
    page = PAGE.read_text(encoding="utf-8")
    assert "# reservoir-mean" in page
    for option in METHOD.options:
        assert f"`{option}`" in page
