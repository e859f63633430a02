"""The headline, shares that end at 100 %, notes on noise, and pairs that were not measured."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from worlds import made

import sfumato as sf
from sfumato.accuracy.spelling import roughly
from sfumato.publishing.page import report_page
from sfumato.report import table_pictures
from sfumato.report.columns import survey
from sfumato.report.figures import histogram
from sfumato.report.html import html_page
from sfumato.report.model import page
from sfumato.report.precision import BEYOND, CONFIDENCE, Line, Precision, _of_means, precision
from sfumato.report.quality import headline, unmeasured

WIDE = {
    "age": {"kind": "integer", "low": 0, "high": 99},
    "income": {"kind": "number", "low": 0, "high": 40},
    **{f"c{k}": {"kind": "category", "values": ["a", "b", "c", "d"]} for k in range(5)},
    "outcome": {"kind": "category", "values": ["home", "care"], "role": "label"},
}


@pytest.fixture(scope="module")
def release():
    rng = np.random.default_rng(1)
    made_up = {
        "age": rng.integers(20, 80, 2_000),
        "income": np.full(2_000, 40.0),  # all in the last bin, which is narrower than the others
        **{f"c{k}": rng.choice(["a", "b", "c", "d"], 2_000) for k in range(5)},
        "outcome": rng.choice(["home", "care"], 2_000),
    }
    return sf.publish(pa.table(made_up), schema={"name": "t", "columns": WIDE}, epsilon=2)


@pytest.mark.slow
def test_the_headline_is_the_widest_of_all_errors(release):
    found = precision(release)
    tables = found.found.tables
    share = max(line.off for line in found.lines if line.says.endswith("counts"))
    cells = max(tables.pair(*pair).reach(CONFIDENCE) for pair in tables.measured) / 2_000
    said = headline(found)
    assert said.figure == f"± {roughly(100 * share)} points"
    assert f"± {roughly(100 * cells)} points any cell of two columns" in said.detail
    assert "at 95 % confidence each" in said.detail
    assert said.figure in html_page(release).partition("<main>")[0]


@pytest.mark.parametrize("value", [39.0, 21.0])
def test_an_interval_that_the_range_cuts_off_is_as_wide_as_its_wider_side(value):
    (line,) = _of_means({"a": (value, (20.0, 40.0))}, {"a": (0.0, 40.0)})
    assert line.off == pytest.approx(19 / 40)  # half of the interval would be 10 / 40
    assert line.share == "± 48 % of the range"
    assert line.relative == f"± {roughly(1900 / value)} % of the mean"
    assert headline(Precision((line,))).figure == "± 48 %"


def test_the_headline_is_about_one_value_and_not_about_several(release):
    said = headline(precision(release)).detail
    assert said.startswith("is how far any one value or bin of a column may be off")


@pytest.mark.parametrize(("budget", "word"), [(8, "Sharp"), (1, "Rough"), ("0.1", "Mostly noise")])
def test_the_words_of_the_headline_follow_the_noise_and_not_the_data(budget, word):
    schema = {"name": "t", "columns": {"a": WIDE["c0"], "b": WIDE["c1"]}}
    said = [
        headline(precision(sf.publish(table, schema=schema, epsilon=budget, fit=False)))
        for table in (
            pa.table({"a": ["a", "b"] * 300, "b": ["c"] * 600}),
            pa.table({"a": ["d"] * 600, "b": ["a", "d"] * 300}),
        )
    ]
    assert said[0].words.startswith(word)
    assert said[0].figure == said[1].figure
    assert said[0].words == said[1].words


COUNTS = Line("ward", "4 counts", "each within ± 8 records", 0.008)


def a_mean(off, relative="± 8 % of the mean"):
    return Line("cost", "mean 80", "1 to 2", off, "of the range", relative)


def test_counts_that_are_sharp_do_not_make_means_so():
    assert headline(Precision((a_mean(0.01), COUNTS))).words.startswith("Sharp: ")
    said = headline(Precision((a_mean(0.05), COUNTS))).words
    assert said.startswith("Counts are sharp: ")
    assert "; means are rough: off by a twentieth of their range at most" in said
    said = headline(Precision((a_mean(0.072), COUNTS))).words
    assert "; means are mostly noise" in said


def test_means_that_are_sharp_do_not_make_counts_so():
    counts = replace(COUNTS, off=0.06)
    said = headline(Precision((counts, a_mean(0.001)))).words
    assert said.startswith("Counts are mostly noise: ")
    assert "; means are sharp" in said


def test_means_that_are_all_error_are_counted_beside_the_verdict():
    lost = a_mean(0.008, f"{BEYOND} of the mean")
    near = a_mean(0.001)
    one, two = (headline(Precision((lost,) * n + (near, COUNTS))).words for n in (1, 2))
    assert one.endswith(". 1 mean may be off by more than its own value")
    assert two.endswith(". 2 means may be off by more than their own value")
    assert "off by more" not in headline(Precision((near, COUNTS))).words


def test_the_verdict_is_about_the_widest_table_of_two_columns_as_well(release):
    found = precision(release)
    exact = tuple(replace(line, off=0.0) for line in found.lines if "counts" in line.says)
    assert headline(replace(found, lines=exact)).words.startswith("Rough")


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("network", "of the range of a weight is how far any one weight may be off"),
        ("stream", "is how far any figure of the series may be off"),
        ("mean", "is how far any figure of the series may be off"),
        ("counts", "is how far any one count may be off"),
    ],
)
def test_other_kinds_have_a_headline_too(kind, words):
    assert words in report_page(made(kind)).decode()


def test_where_nothing_is_known_of_the_noise_there_is_no_headline():
    assert page(made("heuristic")).headline is None


def test_shares_of_a_column_add_up_to_all_and_no_axis_passes_100(release, monkeypatch):
    drawn = {}

    def remember(name, heights, *given, **more):
        drawn[name] = heights
        return histogram(name, heights, *given, **more)

    monkeypatch.setattr(table_pictures, "histogram", remember)
    html_page(release)
    assert len(drawn) == 2
    for heights in drawn.values():
        assert heights.sum() == pytest.approx(100)
    tables = precision(release).found.tables
    starts = {"income": [start for start, _ in tables.bars("income")]}
    (income,) = (c for c in survey(release, starts).columns if c.name == "income")
    assert not income.bins.even  # so that a height by width would pass 100 %
    assert income.shares.sum() == pytest.approx(1)


@pytest.mark.parametrize(("most", "end"), [(98.0, 100), (100.0, 100), (50.0, 52.5), (0.0, 1.0)])
def test_an_axis_of_shares_ends_at_100(most, end):
    from sfumato.report.figures import _room

    assert _room([most], "% of rows") == pytest.approx(end)
    assert _room([most], "records") == pytest.approx(1.05 * most or 1.0)


def test_a_column_of_noise_says_so_and_one_of_substance_does_not(release):
    notes = {card.title: card.note for card in page(release).groups[0].cards}
    assert not any("mostly noise" in note for note in notes.values())
    few = release.table.select(["age"]).slice(0, 60)
    schema = {"name": "t", "columns": {"age": WIDE["age"]}}
    faint = sf.publish(few, schema=schema, epsilon=1, fit=False, seed=1)
    notes = {card.title: card.note for card in page(faint).groups[0].cards}
    assert "This column is mostly noise at this budget" in notes["age"]
    assert "bars that may be empty in truth" in notes["age"]


@pytest.mark.parametrize(
    ("value", "said"),
    [(31_023.4, "mean 31,023.4"), (2_053.0, "mean 2,053"), (57.7584, "mean 57.76")],
)
def test_a_mean_is_written_as_its_interval_is(value, said):
    (line,) = _of_means({"a": (value, (value - 1, value + 1))}, {"a": (0.0, 40_000.0)})
    assert line.says == said


def test_a_mean_that_may_be_anywhere_says_so():
    schema = {"name": "t", "columns": {"age": WIDE["age"]}}
    faint = sf.publish(
        pa.table({"age": [50] * 40}), schema=schema, method="modips", epsilon="0.1", seed=1
    )
    (card,) = page(faint).groups[0].cards
    assert "its mean may be anywhere in half of the range" in card.note


def test_every_pair_is_measured_or_named_as_not_measured(release):
    found = precision(release)
    missing, every = unmeasured(found)
    measured = {frozenset(pair) for pair in found.found.tables.measured}
    assert every == 8 * 7 // 2
    assert len(missing) + len(measured) == every
    assert not measured & {frozenset(pair) for pair in missing}
    group = page(release).groups[-1]
    said = group.left_out
    if not missing:
        assert said == f"Every one of the {every} pairs of columns was measured."
    else:
        assert f"Not measured as pairs, {len(missing)} of {every}" in said
        for first, second in missing:
            assert first in (group.every or said)
            assert second in (group.every or said)


@pytest.mark.slow
def test_a_long_list_of_pairs_is_folded_and_whole_underneath():
    names = {f"c{k}": WIDE["c0"] for k in range(12)}
    table = pa.table({name: ["a", "b"] * 30 for name in names})
    faint = sf.publish(table, schema={"name": "t", "columns": names}, epsilon=1, fit=False)
    missing, _ = unmeasured(precision(faint))
    assert len(missing) > 30
    group = page(faint).groups[-1]
    assert group.left_out.endswith(f", and {len(missing) - 12} more.")
    for first in {first for first, _ in missing}:
        others = [b for a, b in missing if a == first]
        assert f"{first} by {', '.join(others)}" in group.every
    assert f"<details class=\"quiet full\"><summary>All of them</summary><p class=\"full\">" \
           f"{group.every}</p></details>" in html_page(faint)  # fmt: skip


def test_a_method_without_tables_names_no_pairs():
    schema = {"name": "t", "columns": WIDE}
    rows = {n: [30.0 if "low" in c else c["values"][0]] * 50 for n, c in WIDE.items()}
    plain = sf.publish(pa.table(rows), schema=schema, method="modips", epsilon=1)
    assert unmeasured(precision(plain)) is None
    assert "Not measured as pairs" not in html_page(plain)


@pytest.mark.parametrize("value", [2.901, 99.01, 0.0331, 7.0, 12_345.0, 1e-9])
def test_an_error_is_never_less_than_stated(value):
    stated = float(roughly(value).replace(",", ""))
    assert value <= stated <= 1.11 * value
    assert "e+" not in roughly(value)
