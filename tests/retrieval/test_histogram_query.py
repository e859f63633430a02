"""Counts published once: sensitivity, law of the noise, answers, refusals, the walk."""

import doctest
import json
from fractions import Fraction
from itertools import product
from math import exp
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import binomtest, chisquare

from sfumato.errors import BudgetError, DataError, ParameterError
from sfumato.ledger import Ledger
from sfumato.privacy.guarantee import ZCDP, PureDP
from sfumato.privacy.mechanism import Purse
from sfumato.privacy.randomness import SeededBits
from sfumato.publishing.counts import publish_counts
from sfumato.publishing.verify import verify
from sfumato.retrieval.counts import LARGEST_COUNT, Counts, Keys
from sfumato.retrieval.histogram import Histogram
from sfumato.retrieval.published import PublishedCounts
from sfumato.retrieval.tail import Law, Share, radius

FALSE_ALARM = 1e-6  # chance that a right mechanism fails one statistical test
KEYS = tuple(f"k{place:02}" for place in range(32))


def counted(records, length):
    """Counts as they come from records that each name a place."""
    return np.bincount(records, minlength=length)


def pairs(length, most, neighbours):
    """All neighbouring lists of at most so many records."""
    for size in range(most + 1):
        for records in product(range(length), repeat=size):
            if neighbours == "add-remove":
                yield from ((records, (*records, new)) for new in range(length))
            else:
                yield from ((records, (new, *records[1:])) for new in range(length) if records)


@pytest.mark.parametrize("neighbours", ["add-remove", "replace-one"])
def test_brute_force_attains_the_sensitivity_and_never_exceeds_it(neighbours):
    way, l1, l2 = Histogram(4, neighbours, PureDP(1)), 0, 0
    for one, other in pairs(4, 3, neighbours):
        one, other = (np.array(r, np.int64) for r in (one, other))
        moved = way.query(counted(one, 4)) - way.query(counted(other, 4))
        l1, l2 = max(l1, int(np.abs(moved).sum())), max(l2, int(moved @ moved))
    assert (l1, l2) == (way.sensitivity.l1, way.sensitivity.l2_squared)


def cells(scale, n):
    """Values with an expectation of at least 20, and the chance of each under the law."""
    p = exp(-1 / scale)
    chance = {k: (1 - p) / (1 + p) * p ** abs(k) for k in range(-200, 201)}
    kept = {k: c for k, c in chance.items() if c * n >= 20}
    return np.array(list(kept)), np.array(list(kept.values()))


@pytest.mark.parametrize(("error", "passes"), [(1, True), (0.9, False), (1.1, False)])
@pytest.mark.parametrize("neighbours", ["add-remove", "replace-one"])
def test_the_noise_has_the_stated_scale_and_no_other(neighbours, error, passes):
    n, epsilon = 100_000, Fraction(1, 2)
    way = Histogram(n, neighbours, PureDP(epsilon))
    values = np.arange(n) % 7
    noise = way.published(values, Purse(PureDP(epsilon), SeededBits(3))) - values
    scale = float({"add-remove": 1, "replace-one": 2}[neighbours] / epsilon) * error
    places, chances = cells(scale, n)
    found = np.array([(noise == k).sum() for k in places])
    seen, expected = [*found, n - found.sum()], [*(chances * n), n * (1 - chances.sum())]
    assert (chisquare(seen, expected).pvalue > FALSE_ALARM) == passes


@pytest.mark.parametrize("ways", ["histogram", "wavelet", "both"])
@pytest.mark.parametrize("budget", [{"epsilon": 1}, {"rho": "0.5"}, {"epsilon": 1, "delta": 1e-6}])
@pytest.mark.parametrize("neighbours", ["add-remove", "replace-one"])
def test_every_release_verifies_and_answers_near_the_truth(ways, budget, neighbours, tmp_path):
    values = np.arange(len(KEYS)) * 100
    made = publish_counts(
        Counts.of(KEYS, values), ways=ways, neighbours=neighbours, folder=tmp_path / "r", **budget
    )
    assert all(check.passed for check in verify(tmp_path / "r"))
    published = PublishedCounts.load(tmp_path / "r")
    query = published.keys.span("k03", "k20")
    found = published.answer(query, confidence=1 - 1e-6)
    assert found.low <= float(values @ query) <= found.high
    again = PublishedCounts.of(made).answer(query, confidence=1 - 1e-6)
    assert found == again


@pytest.mark.parametrize(
    ("change", "plan_holds"),
    [({}, True), ({"neighbours": "replace-one"}, False), ({"options": {"ways": "both"}}, False)],
)
def test_a_certificate_that_claims_other_facts_is_found_out(change, plan_holds, tmp_path):
    publish_counts(Counts.of(KEYS, range(32)), epsilon=1, folder=tmp_path / "r")
    paper = json.loads((tmp_path / "r" / "release.json").read_text())
    (tmp_path / "r" / "release.json").write_text(json.dumps(paper | change))
    checks = {check.name: check.passed for check in verify(tmp_path / "r")}
    assert checks["plan"] == plan_holds


@pytest.mark.parametrize(("factor", "covered"), [(1.0, True), (0.8, False)])
@pytest.mark.parametrize("count", [1, 40])
def test_intervals_hold_the_truth_as_often_as_they_say(count, factor, covered):
    """Exact for equal weights: 20 000 answers at 90 per cent; four fifths of it are too short."""
    law, draws = Law("discrete-laplace", Fraction(10)), 20_000
    way = Histogram(count * draws, "add-remove", PureDP("0.1"))
    noise = way.published(np.zeros(count * draws, np.int64), Purse(PureDP("0.1"), SeededBits(5)))
    errors = np.abs(noise.reshape(draws, count).sum(axis=1))
    far = radius([Share(np.ones(count), law)], 0.1) * factor
    inside = int((errors <= far).sum())
    assert (binomtest(inside, draws, 0.9, "less").pvalue > FALSE_ALARM) == covered


def test_the_general_bound_covers_mixed_weights_and_mixed_laws():
    """Chernoff: 4 000 answers at 95 per cent; a third of the bound must fail."""
    rng, draws = np.random.default_rng(0), 4000
    weights = rng.normal(size=50)
    shares = [
        Share(weights, Law("discrete-laplace", Fraction(5))),
        Share(weights[:20], Law("discrete-gaussian", Fraction(40))),
    ]
    one = Histogram(50 * draws, "add-remove", PureDP("0.2"))
    two = Histogram(20 * draws, "add-remove", ZCDP("1/80"))
    bits, limit = SeededBits(1), ZCDP(1)
    first = one.published(np.zeros(50 * draws, np.int64), Purse(PureDP(1), bits))
    second = two.published(np.zeros(20 * draws, np.int64), Purse(limit, bits))
    errors = first.reshape(draws, 50) @ weights + second.reshape(draws, 20) @ weights[:20]
    far = radius(shares, 0.05)
    assert np.isclose(errors.var(), sum(share.variance for share in shares), rtol=0.15)
    for factor, covered in ((1, True), (1 / 3, False)):
        inside = int((np.abs(errors) <= far * factor).sum())
        assert (binomtest(inside, draws, 0.95, "less").pvalue > FALSE_ALARM) == covered


def test_answers_from_both_ways_are_never_worse_than_from_one():
    both = PublishedCounts.of(publish_counts(Counts.of(KEYS, range(32)), ways="both", epsilon=1))
    for query in (both.keys.chosen(["k07"]), both.keys.span("k01", "k30")):
        alone = [way.share(query.astype(float)).variance for way in both.plan.ways.values()]
        assert both.answer(query).deviation ** 2 < min(alone)


def test_a_query_that_is_certain_gets_no_interval():
    """Under replace-one the sum of all counts is public."""
    made = publish_counts(
        Counts.of(KEYS, range(32)), ways="wavelet", neighbours="replace-one", epsilon=1
    )
    found = PublishedCounts.of(made).answer(np.ones(32))
    assert (found.value, found.low, found.high) == (496, 496, 496)


def test_counts_that_are_no_counts_are_read_as_nearby_ones():
    values = [float("nan"), -3, 2.5, 1e300]
    assert Counts.of("abcd", values).values.tolist() == [0, 0, 2, LARGEST_COUNT]
    table = pa.table({"count": ["5", "many", None], "key": ["a", "b ", "c"], "more": [1, 2, 3]})
    read = Counts.read(table)
    assert (read.keys.names, read.values.tolist()) == (("a", "b", "c"), [5, 0, 0])


@pytest.mark.parametrize("start", [0.0, 0.5, 0.25, 1.5, 2.5, 2.75, 1e6 + 0.5])
def test_one_record_more_is_one_step_more_wherever_a_number_lies(start):
    before, after = (Counts.of("ab", [start + more, 0]).values for more in (0, 1))
    assert (after - before).tolist() == [1, 0]


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({"key": ["a", "a"], "count": [1, 2]}, "listed twice"),
        ({"key": ["a", None], "count": [1, 2]}, "every row needs a key"),
        ({"key": ["a"], "count": [1]}, "from 2 to"),
        ({"key": ["a", "b"], "seen": [1, 2], "more": [1, 2]}, "column count"),
        ({"key": [[1], [2]], "count": [1, 2]}, "texts or whole numbers"),
    ],
)
def test_lists_of_keys_that_are_none_are_refused(table, said):
    with pytest.raises(DataError, match=said):
        Counts.read(pa.table(table))


def test_unknown_keys_and_queries_of_another_length_are_refused():
    published = PublishedCounts.of(publish_counts(Counts.of(KEYS, range(32)), epsilon=1))
    with pytest.raises(ParameterError, match="'k99' is not in the public list"):
        published.keys.chosen(["k01", "k99"])
    with pytest.raises(ParameterError, match="comes after"):
        published.keys.span("k05", "k01")
    with pytest.raises(ParameterError, match="must have 32 numbers, one for each key, got 31"):
        published.answer(np.ones(31))
    with pytest.raises(ParameterError, match="finite"):
        published.answer(np.full(32, np.inf))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"ways": "tree"}, "ways must be"),
        ({"neighbours": "some"}, "neighbours must be"),
        ({"ways": "both", "share": "1"}, "share must be"),
        ({"epsilon": 0}, "epsilon"),
    ],
)
def test_impossible_settings_are_refused_by_name(change, said):
    with pytest.raises(ParameterError, match=said):
        publish_counts(Counts.of(KEYS, range(32)), **({"epsilon": 1} | change))


def test_the_ledger_is_charged_once_and_knows_the_counts_again(tmp_path):
    counts = Counts.of(KEYS, range(32))
    with Ledger.create(tmp_path / "budget.db") as ledger:
        for name in ("words", "other"):
            ledger.grant(name, PureDP(1), reason="a test")
        for _ in range(2):
            publish_counts(counts, name="words", epsilon=1, ledger=ledger, folder=tmp_path / "r")
        assert ledger.balance("words").left.micro_epsilon == 0
        turned = Counts.of(Keys(KEYS[::-1]), range(31, -1, -1))
        with pytest.raises(BudgetError, match="already known as 'words'"):
            publish_counts(turned, name="other", epsilon=1, ledger=ledger)
        assert all(check.passed for check in verify(tmp_path / "r", ledger=ledger))
        with pytest.raises(ParameterError, match="under which name"):
            publish_counts(counts, epsilon=1, ledger=ledger)


def test_what_the_guide_says_about_queries_is_what_happens():
    guide = Path(__file__).parents[2] / "docs" / "guide" / "queries.md"
    found = doctest.testfile(str(guide), module_relative=False, encoding="utf-8")
    assert found.attempted > 0
    assert found.failed == 0
