"""Estimates from local answers: covering the truth, unbiased, from the certificate alone."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import binom

import sfumato as sf
from sfumato.accuracy import collected, published
from sfumato.accuracy import collected_statement as said
from sfumato.errors import ParameterError, ReleaseError
from sfumato.release.release import Release

FALSE_ALARM = 1e-6
WARDS = ["a", "b", "c", "d"]
SCHEMA = {
    "name": "survey",
    "columns": {
        "age": {"kind": "integer", "low": 18, "high": 98},
        "dose": {"kind": "number", "low": 0, "high": 2, "step": 0.5, "missing": "allowed"},
        "ward": {"kind": "category", "values": WARDS},
        "seen": {"kind": "date", "low": "2020-01-01", "high": "2020-12-31"},
    },
}
N = 400


def truth():
    rng = np.random.default_rng(3)
    dose = rng.choice([0.0, 0.5, 1.5], N)
    gone = rng.random(N) < 0.2
    return pa.table(
        {
            "age": rng.integers(30, 60, N),
            "dose": pa.array(dose, mask=gone),
            "ward": rng.choice(WARDS, N, p=[0.6, 0.25, 0.1, 0.05]),
            "seen": pa.array(np.datetime64("2020-03-01") + rng.integers(0, 30, N)),
        }
    )


TRUTH = truth()
SHARES = {name: TRUTH["ward"].to_pylist().count(name) for name in WARDS}
MEANS = {
    "age": float(np.mean(TRUTH["age"].to_numpy())),
    "dose": float(np.nanmean(TRUTH["dose"].to_numpy())),
    "seen": float(np.mean((TRUTH["seen"].to_numpy() - np.datetime64("2020-01-01")).astype(int))),
}


def release(seed, encoding="best", epsilon=8, table=TRUTH):
    return sf.publish(
        table, schema=SCHEMA, method="local", epsilon=epsilon, seed=seed, encoding=encoding
    )


@pytest.mark.slow
@pytest.mark.parametrize("encoding", ["direct", "unary"])
def test_intervals_cover_the_truth_as_often_as_they_say_and_estimates_are_unbiased(encoding):
    runs, level = 120, 0.9
    found = [collected(release(seed, encoding)) for seed in range(runs)]
    for name, due in MEANS.items():
        ends = [one.mean(name, str(level))[1] for one in found]
        covered = sum(low <= due <= high for low, high in ends)
        assert binom.cdf(covered, runs, level) > FALSE_ALARM
    groups = [["a"], ["d"], ["b", "d"]]
    for group in groups:
        due = sum(SHARES[name] for name in group)
        seen = [one.count("ward", group) for one in found]
        ends = [one.interval(str(level)) for one in seen]
        covered = sum(low <= due <= high for low, high in ends)
        assert binom.cdf(covered, runs, level) > FALSE_ALARM
        values = np.array([one.value for one in seen])
        spread = float(np.mean([one.deviation for one in seen]))
        # Means of 120 runs, six deviations: a false alarm has a chance below 1e-8.
        assert abs(values.mean() - due) < 6 * spread / runs**0.5
        assert values.std() == pytest.approx(spread, rel=0.5)
        # The control: counting the answers as they are would be caught.
        raw = np.array([one.yes for one in seen])
        assert abs(raw.mean() - due) > 6 * spread / runs**0.5


def test_large_budgets_find_the_truth():
    found = collected(release(1, "direct", epsilon=10**5))
    for name, due in SHARES.items():
        assert found.count("ward", [name]).interval("0.99") == (due, due)
    for name, due in MEANS.items():
        value, (low, high) = found.mean(name, "0.99")
        assert value == pytest.approx(due, abs=0.02)
        assert low <= due <= high


def test_means_are_cut_back_to_the_range_and_nothing_else_is():
    one = release(1, epsilon="0.01")
    assert max(one.table["age"].to_pylist()) > 98
    value, (low, high) = collected(one).mean("age", "0.95")
    assert 18 <= low <= value <= high <= 98


def test_answers_of_many_who_answered_alone_are_collected_together():
    alone = [release(k, table=TRUTH.slice(k, 1)) for k in range(30)]
    together = collected(*alone)
    assert together.records == 30
    assert sum(together.tally("ward").given.values()) == 30
    with pytest.raises(ReleaseError, match="not asked in the same way"):
        collected(alone[0], release(1, epsilon=1))


def test_sentences_say_what_the_figures_say():
    found = collected(release(2))
    answer = said.about_count(found, "ward", ["a", "b"], "0.95")
    assert answer.figures["low"] <= answer.figures["value"] <= answer.figures["high"]
    assert "right on average" in answer.sentences[0]
    assert said.about_difference(found, "ward", ["a"], ["d"], "0.95").figures["lower bound"] > 0
    assert (
        "cannot be told" in said.about_difference(found, "ward", ["d"], ["a"], "0.95").sentences[1]
    )
    assert said.about_extreme(found, "ward", "0.95").figures["declared"] == "a"
    assert said.about_extreme(found, "ward", "0.95", largest=False).figures["declared"] != "a"
    assert "2020-0" in said.about_mean(found, "seen", "0.95").sentences[0]
    cells = said.about_column(found, "ward", "0.95").figures["counts"]
    assert all(c["together"][0] <= c["low"] <= c["high"] <= c["together"][1] for c in cells)
    assert len(said.overview(found, "0.95")) == 3 + len(WARDS)


def test_what_was_not_asked_is_refused_with_what_was():
    found = collected(release(2))
    with pytest.raises(ParameterError, match="no value 'z'; it has: a, b, c, d"):
        found.count("ward", ["z"])
    with pytest.raises(ParameterError, match="for a number ask for its mean"):
        found.count("age", ["30"])
    with pytest.raises(ParameterError, match="no number that was asked"):
        found.mean("ward", "0.95")
    with pytest.raises(ParameterError, match="leave out --thesis"):
        said.overview(found, "0.95", thesis=True)
    central = sf.publish(TRUTH, schema=SCHEMA, method="modips", epsilon=1)
    with pytest.raises(ReleaseError, match="modips collects no answers"):
        collected(central)
    with pytest.raises(ReleaseError, match=r"sfumato\.accuracy\.collected"):
        published(release(2))


def test_answers_that_are_none_and_figures_that_do_not_agree_are_refused():
    good = release(2)
    other = good.table.set_column(3, "ward", pa.array(["zzz"] * N))
    with pytest.raises(ReleaseError, match="not what Sfumato writes"):
        collected(Release(good.certificate, table=other))
    bits = release(2, "unary")
    wrong = bits.table.set_column(3, "ward=a", pa.array([2] * N))
    with pytest.raises(ReleaseError, match="not what Sfumato writes"):
        collected(Release(bits.certificate, table=wrong))
    event = good.certificate.events[0]
    forged = good.certificate.model_copy(
        update={"events": (replace(event, noise=event.noise / 2), *good.certificate.events[1:])}
    )
    with pytest.raises(ReleaseError, match="not what Sfumato writes"):
        collected(Release(forged, table=good.table))
    for options in ({}, {"encoding": 3, "weights": None}, {"encoding": "best", "weights": 7}):
        forged = good.certificate.model_copy(update={"options": options})
        with pytest.raises(ReleaseError, match="not what Sfumato writes"):
            collected(Release(forged, table=good.table))


def test_sums_of_large_values_are_exact():
    low = 9 * 10**15
    schema = {"name": "t", "columns": {"x": {"kind": "integer", "low": low, "high": low + 100}}}
    table = pa.table({"x": [low + 50] * 3_000})
    release = sf.publish(table, schema=schema, method="local", epsilon=40)
    value, (least, most) = collected(release).mean("x", "0.999999")
    assert least <= low + 50 <= most < low + 60
    assert value == pytest.approx(low + 50, abs=5)


@pytest.mark.parametrize("epsilon", ["1/100", 1, 3, 5])
@pytest.mark.parametrize("values", [2, 4, 19])
def test_all_values_together_are_everyone(values, epsilon):
    names = [f"v{k}" for k in range(values)]
    schema = {"name": "t", "columns": {"x": {"kind": "category", "values": names}}}
    table = pa.table({"x": ["v0"] * 30})
    options = {"epsilon": epsilon, "encoding": "direct"}
    release = sf.publish(table, schema=schema, method="local", **options)
    low, high = collected(release).count("x", names).interval("0.95")
    assert low <= high == 30


def test_ends_are_rounded_outwards_in_words():
    schema = {
        "name": "t",
        "columns": {"day": {"kind": "date", "low": "1900-01-01", "high": "2000-01-01"}},
    }
    schema["columns"]["day"]["step"] = "year"
    days = np.array(["1945-01-01"] * 3_000 + ["1946-01-01"] * 1_000, "datetime64[D]")
    release = sf.publish(pa.table({"day": days}), schema=schema, method="local", epsilon=400)
    (sentence,) = said.about_mean(collected(release), "day", "0.95").sentences
    assert "between 1945-01-01 and 1946-01-01" in sentence
