"""What a recipient may say about counts under keys: histogram, wavelet and both."""

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import binomtest

from sfumato.accuracy.published import published
from sfumato.accuracy.statement import about_count, about_difference, about_extreme, overview
from sfumato.accuracy.table_statement import about_column
from sfumato.errors import ParameterError, ReleaseError
from sfumato.numeric.haar import rebuilt
from sfumato.privacy.noise import discrete_gaussian, discrete_laplace
from sfumato.privacy.randomness import SeededBits
from sfumato.publishing.counts import publish_counts
from sfumato.release import Release

FALSE_ALARM = 1e-6  # chance that a right statement fails one statistical test
RUNS = 4_000
AREAS = ("north", "south", "east", "west", "centre", "harbour")  # six, as in Liu 2015, chapter 7
TRUTH = np.array([820, 610, 590, 240, 1400, 75])
RELATIONS = ("add-remove", "replace-one")


def counts(ways="histogram", names=AREAS, values=TRUTH, neighbours="add-remove", **budget):
    table = pa.table({"key": list(names), "count": values})
    budget = budget or {"epsilon": 1}
    return publish_counts(table, ways=ways, neighbours=neighbours, seed=1, **budget)


def areas(ways="histogram", **options):
    return published(counts(ways, **options))


@pytest.mark.parametrize("neighbours", RELATIONS)
@pytest.mark.parametrize("ways", ["histogram", "wavelet", "both"])
def test_without_noise_every_sum_is_the_true_one(ways, neighbours):
    found = areas(ways, epsilon=10**6, neighbours=neighbours)
    assert found.total.value == TRUTH.sum()
    assert found.total.public == (neighbours == "replace-one")
    for name, true in zip(AREAS, TRUTH, strict=True):
        assert found.count("key", [name]).value == true
    assert found.count("key", ["south to west", "harbour"]).value == 610 + 590 + 240 + 75
    assert found.difference("key", ["north"], ["south", "west"]).value == -30


def test_six_areas_as_their_recipient_asks():
    """Liu 2015, chapter 7: the sum of areas, a comparison, and which has most."""
    found = areas()
    told = about_count(found, "key", ["north to east"], 0.95, thesis=True)
    assert told.figures["low"] <= 2020 <= told.figures["high"]
    assert (told.figures["sigma"], told.figures["noises"]) == (5.0, 3)
    assert told.figures["thesis"] > 4 * told.figures["sigma"]
    told = about_difference(found, "key", ["north"], ["south"], 0.95)
    assert told.figures["lower bound"] <= 210
    assert told.figures["p-value"] < 1e-80
    told = about_extreme(found, "key", 0.95)
    assert told.figures["declared"] == "centre"
    assert told.figures["low"] <= 1400 <= told.figures["high"]
    assert about_extreme(found, "key", 0.95, largest=False).figures["declared"] == "harbour"
    close = areas(values=np.array([820, 610, 590, 240, 1400, 1401]))
    assert about_extreme(close, "key", 0.95).figures["declared"] is None


def by_brute_force(names, size, query, neighbours):
    """Chances of every noise of an answer, in steps of 1 / leaves, node by node."""
    leaves, found = 1 << (len(names) - 1).bit_length(), np.array([1.0])
    k = np.arange(-300, 301)
    mass = np.exp(-np.abs(k) / size)
    for node in range(1 if neighbours == "replace-one" else 0, leaves):
        one = np.zeros(leaves, np.int64)
        one[node] = 1
        weight = round(abs(float(rebuilt(one)[: len(names)] @ query)) * leaves)
        spread = np.zeros(2 * 300 * weight + 1)
        spread[:: max(weight, 1)] = mass / mass.sum() if weight else 1.0
        found = np.convolve(found, spread)
    return np.cumsum(found[::-1])[::-1][len(found) // 2 :], leaves


@pytest.mark.parametrize("neighbours", RELATIONS)
@pytest.mark.parametrize("query", [[1, 1, 1, 0, 0, 0], [0, 0, 0, 0, 0, 1], [1, -1, 0, -1, 0, 0]])
def test_sums_of_the_wavelet_have_exactly_the_noise_of_its_nodes(query, neighbours):
    found = areas("wavelet", neighbours=neighbours, epsilon=4)
    groups = [[name for name, w in zip(AREAS, query, strict=True) if w == sign] for sign in (1, -1)]
    noisy = found.difference("key", *groups) if groups[1] else found.count("key", groups[0])
    size = float(found.certificate.events[0].noise)
    tails, leaves = by_brute_force(AREAS, size, np.array(query), neighbours)
    for chance in (0.2, 0.05, 1e-3):
        steps = int(np.argmax(tails[1:] <= chance))
        assert noisy.law.one_sided(chance) == steps / leaves
    assert noisy.law.tail(Fraction(5)).value == pytest.approx(tails[5 * leaves], rel=1e-9)


@pytest.mark.parametrize("kind", ["laplace", "gaussian"])
@pytest.mark.parametrize("keys", [1000, 1024])
def test_ranges_of_the_wavelet_cover_and_too_small_noise_is_caught(keys, kind):
    budget = {"epsilon": 1} if kind == "laplace" else {"rho": "0.1"}
    names = [f"k{i}" for i in range(keys)]
    found = areas("wavelet", names=names, values=np.zeros(keys, int), **budget)
    noisy = found.count("key", ["k13 to k700"])
    size, draw = noisy.entries.size, discrete_laplace if kind == "laplace" else discrete_gaussian
    few = 400  # each gives the error of the one range
    noise = draw(size, few * 1024, SeededBits(5)).reshape(few, 1024)
    errors = np.array([rebuilt(row)[13:701].sum() for row in noise])
    for chance in (0.3, 0.05):
        missed = int((np.abs(errors) > noisy.law.two_sided(chance)).sum())
        assert binomtest(missed, few, chance, alternative="greater").pvalue > FALSE_ALARM
    third = int((np.abs(errors) > noisy.law.two_sided(0.05) / 3).sum())
    assert binomtest(third, few, 0.05, alternative="greater").pvalue < FALSE_ALARM
    assert np.std(errors) == pytest.approx(noisy.law.deviation, rel=0.2)


def test_two_ways_of_publishing_are_weighted_by_what_they_say():
    names = [f"k{i}" for i in range(64)]
    found = areas("both", names=names, values=np.arange(64), epsilon=1)
    one, every = found.count("key", ["k3"]), found.count("key", ["k1 to k62"])
    alone = areas("histogram", names=names, values=np.arange(64), epsilon="1/2")
    tree = areas("wavelet", names=names, values=np.arange(64), epsilon="1/2")
    for noisy, asked in ((one, ["k3"]), (every, ["k1 to k62"])):
        others = [way.count("key", asked).variance for way in (alone, tree)]
        assert noisy.variance <= 1.01 / sum(1 / each for each in others)
    noise = discrete_laplace(Fraction(2), RUNS * 64, SeededBits(3)).reshape(RUNS, 64)
    nodes = discrete_laplace(Fraction(14), RUNS * 64, SeededBits(4)).reshape(RUNS, 64)
    query = np.isin(np.arange(64), np.arange(1, 63)).astype(float)
    shares = [every.weights.get(1, 0) * every.step, every.weights.get(65, 0) * every.step]
    assert sum(shares) == 1
    unit = np.array([rebuilt(row) for row in np.eye(64, dtype=int)]) @ query
    errors = float(shares[0]) * (noise @ query) + float(shares[1]) * (nodes @ unit)
    missed = int((np.abs(errors) > every.law.two_sided(0.05)).sum())
    assert binomtest(missed, RUNS, 0.05, alternative="greater").pvalue > FALSE_ALARM
    assert missed > 0.03 * RUNS
    half = int((np.abs(errors) > every.law.two_sided(0.05) / 2).sum())
    assert binomtest(half, RUNS, 0.05, alternative="greater").pvalue < FALSE_ALARM


@pytest.mark.slow
def test_the_largest_is_declared_wrongly_no_more_often_than_said():
    """Of six keys that all have the same count, any declaration is half wrong at most by luck."""
    values, wrong, runs = np.full(6, 100), 0, 150
    release = counts("wavelet", values=values)
    for seed in range(runs):
        noise = discrete_laplace(Fraction(4), 8, SeededBits(seed))
        leaves = rebuilt(np.array([600, 0, 0, 0, 0, 0, 0, 0]) + noise)[:6]
        table = release.table.set_column(1, "wavelet", pa.array(leaves))
        told = about_extreme(published(Release(release.certificate, table=table)), "key", 0.8)
        wrong += told.figures["declared"] is not None
    assert binomtest(wrong, runs, 0.2, alternative="greater").pvalue > FALSE_ALARM


def test_counts_that_share_noise_are_said_to_hold_together_by_the_union_bound():
    told = about_column(areas("wavelet"), "key", 0.95)
    single = areas("wavelet").count("key", ["north"])
    assert told.figures["each within"] == single.law.two_sided(0.05)
    assert told.figures["all within"] == single.law.two_sided(Fraction(1, 20) / 6)
    assert (
        "probability with a flat prior" not in about_extreme(areas("wavelet"), "key", 0.9).figures
    )


def test_the_sum_of_all_is_public_where_the_number_of_records_is():
    names = [f"k{i}" for i in range(8)]
    found = areas("wavelet", names=names, values=np.arange(8), neighbours="replace-one")
    assert found.count("key", ["k0 to k7"]).interval(0.95) == (28, 28)
    found = areas("histogram", neighbours="replace-one")
    assert "which is public" in " ".join(about_count(found, "key", ["north"], 0.9).sentences)


def test_the_overview_of_many_keys_is_of_the_smallest():
    names = [f"k{i}" for i in range(2_000)]
    answers = overview(areas(names=names, values=np.arange(2_000)), 0.95)
    assert len(answers) == 1_000
    assert {answer.question for answer in answers} >= {f"key is k{i}" for i in range(900)}


def test_a_span_may_have_names_with_the_word_in_them():
    names = ["a", "b to c", "d", "x to y to z"]
    found = areas(names=names, values=np.arange(4), epsilon=10**6)
    assert found.count("key", ["b to c"]).value == 1
    assert found.count("key", ["a to b to c"]).value == 1
    assert found.count("key", ["b to c to x to y to z"]).value == 6


@pytest.mark.parametrize(
    ("ask", "rule"),
    [
        (lambda f: f.count("key", ["morgue"]), "no value 'morgue'"),
        (lambda f: f.count("key", ["west to north"]), "comes after 'north'"),
        (lambda f: f.count("area", ["west"]), "there are: key"),
        (lambda f: f.count("key", []), "no value"),
        (lambda f: f.number("key"), "no sum of key"),
        (lambda f: f.pair("key", "key"), "no tables of two columns"),
    ],
)
def test_impossible_questions_are_refused(ask, rule):
    with pytest.raises(ParameterError, match=rule):
        ask(areas("wavelet"))


def test_more_counts_than_can_be_compared_are_refused():
    names = [f"k{i}" for i in range(4_097)]
    found = areas("wavelet", names=names, values=np.zeros(4_097, int))
    with pytest.raises(ParameterError, match="too many to compare"):
        about_extreme(found, "key", 0.95)


def test_counts_that_floats_have_rounded_are_refused():
    names = [f"k{i}" for i in range(128)]
    huge = counts("wavelet", names=names, values=np.full(128, 2**40))
    with pytest.raises(ReleaseError, match="were rounded"):
        published(huge)


def test_a_table_that_is_not_the_certificates_is_refused():
    release = counts()
    with pytest.raises(ReleaseError, match="a count for each of its keys"):
        published(Release(release.certificate, table=release.table.slice(0, 3)))
    with pytest.raises(ReleaseError, match="a count for each of its keys"):
        published(Release(release.certificate, table=release.table.drop(["histogram"])))
