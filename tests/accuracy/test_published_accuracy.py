"""What a release holds, read from the release alone, and what may be said about it."""

import doctest
import json
import time
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import binomtest

import sfumato as sf
from certificates import made_up
from sfumato.accuracy.noisy import Entries
from sfumato.accuracy.published import published
from sfumato.accuracy.statement import about_count, about_difference, about_extreme, overview
from sfumato.errors import ParameterError, ReleaseError
from sfumato.example import CLINIC, clinic
from sfumato.privacy.guarantee import PureDP
from sfumato.privacy.mechanism import Event
from sfumato.privacy.noise import discrete_gaussian, discrete_laplace
from sfumato.privacy.randomness import SeededBits
from sfumato.release import Certificate, Release
from slowness import slow

FALSE_ALARM = 1e-6  # chance that a right statement fails one statistical test
RUNS = 10_000
GUIDE = Path(__file__).parents[2] / "docs" / "guide" / "accuracy.md"
PATIENTS = clinic(2_000)
WARDS = ["cardiology", "surgery", "oncology", "elsewhere"]


def schema(neighbours="replace-one"):
    return sf.Schema.parse(CLINIC.replace("replace-one", neighbours))


def release(method="modips", neighbours="replace-one", **budget):
    budget = budget or {"epsilon": 1}
    return sf.publish(PATIENTS, schema=schema(neighbours), method=method, seed=4, **budget)


def truth(column):
    counted = Counter(str(value).lower() for value in PATIENTS[column].to_pylist())
    counted["elsewhere"] += counted.pop("hospice", 0)
    return counted


NEARLY_EXACT = {"epsilon": 10**6}
EVERY_COLUMN = ["sex", "smoker", "ward", "outcome"]


@pytest.mark.parametrize("neighbours", ["replace-one", "add-remove"])
@pytest.mark.parametrize(
    ("method", "columns"),
    [
        ("modips", EVERY_COLUMN),
        ("dp-lda", EVERY_COLUMN),
        ("diffgen", ["outcome"]),
        ("pca-gauss-mixture", ["outcome"]),
    ],
)
def test_without_noise_every_count_is_the_true_one(method, columns, neighbours):
    found = published(release(method, neighbours, **NEARLY_EXACT))
    assert list(found.counts) == columns
    assert found.total.value == 2_000
    assert found.total.public == (neighbours == "replace-one")
    for column in columns:
        expected = truth(column)
        for value in found.cells(column):
            assert found.count(column, [value]).value == expected[value]
            assert found.plain(column, [value]).value == expected[value]


@pytest.mark.parametrize("neighbours", ["replace-one", "add-remove"])
@pytest.mark.parametrize("method", ["modips", "dp-lda"])
def test_without_noise_every_mean_is_the_true_one(method, neighbours):
    found = published(release(method, neighbours, **NEARLY_EXACT))
    assert list(found.numbers) == ["age", "weight", "pressure"]
    for column, number in found.numbers.items():
        values = np.array(PATIENTS[column].to_pylist(), float)  # weights are missing here and there
        mean, (low, high) = number.mean(0.95)
        assert mean == pytest.approx(np.nanmean(values), abs=1e-3)
        assert low <= mean <= high


def repeated(number, seed=2):
    """The same number in as many releases with fresh noise, and what it is in truth."""
    entries, seeds = number.sum.entries, SeededBits(seed)
    parts = [part for part in (number.sum, number.total, number.absent) if part and part.weights]
    noise = {}
    for part in parts:
        for which in part.weights:
            noise[which] = discrete_laplace(part.size, RUNS, seeds)
    for run in range(RUNS):
        values = entries.values.copy()
        for which, draws in noise.items():
            values[which] += draws[run]
        fresh = replace(entries, values=values)
        yield replace(
            number,
            sum=replace(number.sum, entries=fresh),
            total=replace(number.total, entries=fresh),
            absent=None if number.absent is None else replace(number.absent, entries=fresh),
        )


def with_noise_of(made, exact):
    """The papers of a release whose entries are the exact ones, under its own law of noise."""
    return published(Release(made.certificate, synopsis=exact.synopsis))


@pytest.mark.parametrize(
    ("neighbours", "column", "tight"),
    [("replace-one", "age", True), slow("add-remove", "weight", False)],
)
def test_intervals_of_means_cover(neighbours, column, tight):
    made, exact = release(neighbours=neighbours), release(neighbours=neighbours, **NEARLY_EXACT)
    number = with_noise_of(made, exact).number(column)
    true, _ = number.mean(0.9)
    assert true == pytest.approx(
        np.nanmean(np.array(PATIENTS[column].to_pylist(), float)), abs=1e-3
    )
    missed = short = 0
    for seen in repeated(number):
        middle, (low, high) = seen.mean(0.9)
        missed += not low <= true <= high
        short += abs(middle - true) > 0.85 * (high - low) / 2
    assert binomtest(missed, RUNS, 0.1, alternative="greater").pvalue > FALSE_ALARM
    if tight:  # one noise: the interval is exact, and a narrower one must be caught
        assert binomtest(missed, RUNS, 0.1).pvalue > FALSE_ALARM
        assert binomtest(short, RUNS, 0.1).pvalue < FALSE_ALARM


def test_the_uncertain_parts_of_a_mean_share_what_is_missing_of_the_confidence():
    number = published(release(neighbours="add-remove", epsilon=3)).number("weight")
    each = 1 - Fraction(1, 10) / 3
    boxes = [part.interval(each) for part in (number.sum, number.total, number.absent)]
    middle = number.axis.middle / number.axis.points
    corners = [(t - middle * m) / (n - m) for t in boxes[0] for n in boxes[1] for m in boxes[2]]
    _, (low, high) = number.mean("0.9")
    assert low == pytest.approx(40 + 120 * min(corners))
    assert high == pytest.approx(40 + 120 * max(corners))


def test_the_moments_inside_a_release_by_components_count_too():
    found = published(release("dp-pca", **NEARLY_EXACT))
    assert found.count("ward", ["surgery"]).value == truth("ward")["surgery"]


def drawn(noisy, seed=1):
    """The errors that the noise of an entry-wise release gives this number."""
    draw = discrete_laplace if noisy.entries.kind == "laplace" else discrete_gaussian
    weights = np.array(list(noisy.weights.values()))
    noise = draw(noisy.size, RUNS * weights.size, SeededBits(seed)).reshape(RUNS, -1)
    return float(noisy.step) * (noise @ weights)


@pytest.mark.parametrize("budget", [{"epsilon": 1}, {"rho": "0.1"}], ids=str)
@pytest.mark.parametrize(
    ("method", "neighbours", "column", "values"),
    [
        ("modips", "replace-one", "sex", ["male"]),
        ("modips", "replace-one", "ward", ["surgery", "oncology"]),
        ("modips", "add-remove", "ward", ["cardiology", "surgery", "oncology"]),
        ("dp-lda", "add-remove", "sex", ["female"]),
        ("dp-lda", "replace-one", "ward", ["surgery"]),
    ],
)
def test_intervals_cover_the_noise_that_is_really_added(method, neighbours, column, values, budget):
    noisy = published(release(method, neighbours, **budget)).count(column, values)
    error = drawn(noisy)
    reach = noisy.law.two_sided(0.05)
    expected = 2 * noisy.law.tail(reach, strict=True).value
    assert expected <= 0.05
    missed = int((np.abs(error) > reach).sum())
    assert binomtest(missed, RUNS, expected).pvalue > FALSE_ALARM
    short = int((np.abs(error) > 0.85 * reach).sum())  # must be caught
    assert binomtest(short, RUNS, expected).pvalue < FALSE_ALARM
    low, high = noisy.interval(0.95)
    assert noisy.value - reach - 1 < low <= high < noisy.value + reach + 1
    assert low == int(low)  # of people


def test_a_public_number_of_records_narrows_what_is_said_of_each_value():
    found = published(release())
    single, plain = (way("ward", ["surgery"]) for way in (found.count, found.plain))
    assert single.variance == pytest.approx(0.75 * plain.variance)
    three = found.count("ward", WARDS[:3])
    assert three.variance == pytest.approx(0.75 * plain.variance)  # the fourth one's noise
    everybody = found.count("ward", WARDS)
    assert everybody.public
    twice = ["surgery", "surgery"]
    assert found.count("ward", twice).value == single.value
    assert found.plain("ward", twice).value == plain.value
    assert everybody.interval(0.95) == (2_000, 2_000)
    assert sum(found.count("ward", [ward]).exactly for ward in WARDS) == 2_000


@pytest.mark.slow
def test_many_values_are_read_and_summed_quickly():
    names = [f"v{i}" for i in range(3_000)]
    wide = {"name": "wide", "columns": {"a": {"kind": "category", "values": names}}}
    noise = Event("moments", "discrete-laplace", Fraction(1), Fraction(1, 99), PureDP(1))
    counts = [2] * 50 + [0] * 2_950
    synopsis = {"kind": "moments", "classes": 1, "rows": 100, "entries": counts}
    made = Release(made_up([noise], method="modips", schema=wide), synopsis=synopsis)
    start = time.process_time()
    found = published(made)
    most = found.count("a", names[1:])
    assert (most.value, most.noises) == (98, 1)  # everybody but those with v0
    half = found.count("a", names[:1_500])
    assert half.value == 100
    assert half.noises == 3_000  # half of the noise is gone
    assert len(overview(found, 0.95)) == 3_000
    assert time.process_time() - start < 10


def test_noise_that_two_numbers_share_counts_as_often_as_it_is_there():
    found = published(release())
    more = found.difference("sex", ["female"], ["male"])
    assert more.law.deviation == pytest.approx(2 * found.plain("sex", ["male"]).law.deviation)
    nothing = found.difference("sex", ["female"], ["female"])
    assert nothing.public
    assert nothing.value == 0


def test_intervals_stay_within_what_is_possible():
    tiny = published(release(epsilon="0.01"))
    low, high = tiny.count("ward", ["elsewhere"]).interval("0.999")
    assert (low, high) == (0, 2_000)
    assert tiny.number("age").mean(0.95)[1] == (18, 98)
    unknown = published(release(neighbours="add-remove", epsilon="0.01"))  # perhaps nobody
    assert unknown.number("weight").mean(0.95)[1] == (40, 160)


def test_a_noisy_number_that_cannot_be_true_still_gives_an_interval():
    entries = Entries(np.array([-900]), "laplace", Fraction(10))
    assert entries.total([0], Fraction(1), Fraction(50)).interval(0.95) == (0, 0)


def test_only_the_release_is_read(tmp_path):
    folder = release().save(tmp_path / "release")
    (folder / "data.csv").unlink()
    found = published(Release.load(folder))
    assert found.count("sex", ["male"]).value > 0


@pytest.mark.parametrize(
    ("method", "why"),
    [
        ("identity-laplace", "moved to the nearest record"),
        ("exponential", "chosen, not counted"),
        ("power-method", "directions or records"),
        ("pca-gauss-regression", "directions or records"),
    ],
)
def test_releases_without_anything_additive_are_refused_plainly(method, why):
    table = PATIENTS.slice(0, 100)
    options = {"target": "age"} if method == "pca-gauss-regression" else {}
    budget = {"rho": 1} if method == "power-method" else {"epsilon": 1}
    made = sf.publish(table, schema=schema(), method=method, seed=1, **budget, **options)
    with pytest.raises(ReleaseError, match=why):
        published(made)


@pytest.mark.parametrize("damage", ["entries", "classes"])
def test_damaged_papers_are_refused_plainly(damage):
    made = release()
    synopsis = {name: part for name, part in made.synopsis.items() if name != damage}
    with pytest.raises(ReleaseError, match=r"not what Sfumato writes|not a list|does not have"):
        published(Release(made.certificate, synopsis=synopsis))


def test_another_measurement_than_the_synopsis_holds_is_refused_plainly():
    made = release()
    other = [replace(event, statistic="another") for event in made.certificate.events]
    certificate = made.certificate.model_copy(update={"events": tuple(other)})
    with pytest.raises(ReleaseError, match="does not state the noise of moments"):
        published(Release(certificate, synopsis=made.synopsis))


def test_a_label_that_the_schema_does_not_have_is_refused_plainly():
    made = release("diffgen")
    paper = made.certificate.to_json()
    del paper["schema"]["columns"]["outcome"]["role"]
    with pytest.raises(ReleaseError, match="not what Sfumato writes"):
        published(Release(Certificate.of(paper), synopsis=made.synopsis))


@pytest.mark.parametrize(
    ("ask", "rule"),
    [
        (lambda f: f.count("ward", ["morgue"]), "no value 'morgue'; it has: cardiology"),
        (lambda f: f.count("ward", []), "has no value"),
        (lambda f: f.count("age", ["30"]), "for a number ask for its mean"),
        (lambda f: f.count("shoe", ["42"]), "no counts of shoe"),
        (lambda f: f.number("ward"), "no sum of ward"),
        (lambda f: f.number("age").mean("1.5"), "confidence must be above 0 and below 1"),
        (lambda f: f.cells("ward")["surgery"] + f.number("age").sum, "the same steps"),
    ],
)
def test_impossible_questions_are_refused(ask, rule):
    with pytest.raises(ParameterError, match=rule):
        ask(published(release()))


# ---- sentences ------------------------------------------------------------------------


def test_sentences_hold_their_figures():
    found = published(release())
    told = about_count(found, "ward", ["surgery"], "0.9", thesis=True)
    text = " ".join(told.sentences)
    assert f"between {told.figures['low']:,.0f} and {told.figures['high']:,.0f}" in text
    assert "-useful approximation" in text
    assert "Liu 2015, theorem 7.3.3, has" in text
    assert told.figures["thesis"] > told.figures["sigma"]
    assert json.dumps(told.to_json())


def test_a_prior_is_named_where_one_is_needed():
    found = published(release())
    told = about_difference(found, "ward", ["surgery"], ["oncology"], 0.95, thesis=True)
    assert "p-value" in told.figures
    flat = [sentence for sentence in told.sentences if "prior" in sentence]
    assert flat[0].startswith("With a flat prior")
    assert "true with a flat prior only" in flat[1]


def test_what_is_public_is_said_without_a_confidence():
    found = published(release())
    assert "without noise" in about_count(found, "ward", WARDS, 0.95).sentences[0]
    told = about_difference(found, "sex", ["male"], ["male"], 0.95)
    assert told.sentences == ("sex: is male more than male? The difference is 0, without noise.",)
    lonely = {"name": "t", "columns": {
        "a": {"kind": "category", "values": ["only"]}, "b": {"kind": "boolean"}}}  # fmt: skip
    table = pa.table({"a": ["only"] * 9, "b": [True] * 9})
    single = published(sf.publish(table, schema=lonely, epsilon=1))
    assert single.count("a", ["only"]).public
    with pytest.raises(ParameterError, match="has a single value"):
        about_extreme(single, "a", 0.95)


def test_gaussian_noise_has_no_published_bound():
    told = about_count(published(release(rho=1)), "sex", ["male"], 0.95, thesis=True)
    assert told.figures["thesis"] is None
    assert told.sentences[-1] == "Liu 2015, theorem 7.3.3, is about Laplace noise only."


def test_the_largest_value_is_declared_only_if_it_can_be_told():
    sure = about_extreme(published(release(epsilon=20)), "ward", 0.95)
    assert sure.figures["declared"] == "surgery"
    assert sure.figures["low"] <= truth("ward")["surgery"] <= sure.figures["high"]
    unsure = about_extreme(published(release(epsilon="0.05")), "ward", 0.95, largest=False)
    assert unsure.figures["declared"] is None
    assert sum(unsure.figures["probability with a flat prior"].values()) == pytest.approx(1)
    shared = about_extreme(published(release(epsilon=20)), "sex", 0.95)
    assert shared.figures["declared"] == "female"
    assert "probability with a flat prior" not in shared.figures


def test_the_overview_begins_where_noise_weighs_most():
    answers = overview(published(release()), 0.95)
    assert len(answers) == 10
    weight = [a.figures["sigma"] / max(a.figures["value"], 1e-9) for a in answers]
    assert weight == sorted(weight, reverse=True)


def test_every_example_of_the_guide_says_what_happens():
    found = doctest.testfile(str(GUIDE), module_relative=False, encoding="utf-8")
    assert found.attempted > 15
    assert found.failed == 0


def test_class_moments_of_discriminant_components_are_counted_too():
    rows = {"a": [1, 2, 3, 4] * 50, "b": [4, 1, 2, 2] * 50, "k": [True, False, False, False] * 50}
    columns = {name: {"kind": "integer", "low": 0, "high": 5} for name in "ab"}
    schema = {"name": "t", "columns": columns | {"k": {"kind": "boolean", "role": "label"}}}
    release = sf.publish(pa.table(rows), schema=schema, method="dca", epsilon=10**6)
    found = published(release)
    assert found.count("k", ["true"]).interval("0.99") == (50, 50)
    assert found.number("a").mean("0.99")[0] == pytest.approx(2.5, abs=1e-3)
