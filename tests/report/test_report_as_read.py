"""The page as the victim of a wrong schema reads it: nothing is said of values but as read."""

import re

import numpy as np
import pyarrow as pa
import pytest
from worlds import KINDS, made

import sfumato as sf
from sfumato.example import CLINIC, clinic
from sfumato.release.fit import Fit, Misfit
from sfumato.report.fitting import fitting
from sfumato.report.html import html_page
from sfumato.report.model import page as page_of
from sfumato.report.precision import precision
from slowness import slow_but

COLUMNS = {
    "income": {"kind": "number", "low": 0, "high": 40, "step": 0.5},
    "ward": {"kind": "category", "values": ["a", "b"]},
}


def words(text):
    return re.sub(r"\s+", " ", re.sub(r"(?s)<style>.*?</style>|<[^>]+>", " ", text))


@pytest.fixture(scope="module")
def wrong():
    """Incomes of about 56 in a range that ends at 40, and a ward that nobody listed."""
    rng = np.random.default_rng(0)
    incomes = np.concatenate([rng.normal(58, 3, 3_600), rng.normal(33, 2, 400)])
    table = pa.table({"income": incomes, "ward": ["a", "b", "b", "c"] * 1_000})
    schema = {"name": "t", "columns": COLUMNS}
    return sf.publish(table, schema=schema, epsilon=20, misfit=1, seed=1)


@pytest.fixture(scope="module")
def page(wrong):
    return html_page(wrong)


def least(release, column):
    return next(m.low for m in release.fit.significant if m.column == column)


def test_the_mean_and_how_many_were_cut_stand_in_one_line(wrong, page):
    rows = [words(row) for row in re.findall(r"(?s)<tr>.*?</tr>", page)]
    (line,) = [row for row in rows if row.strip().startswith("income mean")]
    cut = f"(at least {least(wrong, 'income'):,}) lie above the range and are read as 40, its end"
    assert cut in line
    notes = [words(note) for note in re.findall(r'(?s)<p class="quiet">.*?</p>', page)]
    (note,) = [n for n in notes if "Mean of the values as read between" in n]
    assert cut in note


def test_counts_of_a_category_say_what_was_not_listed(wrong, page):
    rows = [words(row) for row in re.findall(r"(?s)<tr>.*?</tr>", page)]
    (line,) = [row for row in rows if row.strip().startswith("ward 2 counts")]
    assert "hold a value that is not listed, and are read as a, the first value" in line


def test_that_the_file_did_not_fit_is_said_first_and_in_figures(wrong, page):
    assert "The file did not fit its schema" in page[: page.index("<main>")]
    section = words(page[page.index('<section id="fit">') : page.index("How good it is")])
    for misfit in wrong.fit.significant:
        assert f"about {misfit.records:,} between {misfit.low:,} and {misfit.high:,}" in section
    assert "What they hold in later columns is not counted" in section
    assert "The intervals of all counts hold together with confidence 98 %" in section


@pytest.mark.parametrize("kind", slow_but(["table"], KINDS))
def test_no_page_speaks_of_a_truth_that_it_does_not_know(kind):
    text = words(html_page(made(kind)))
    assert "All of this is about" in text
    for claim in ("rue mean", "true share", "(truth", "the truth lies"):
        assert claim not in text
    lines = precision(made(kind)).lines if kind == "table" else ()
    assert all(f"{line.between}, as read" in text for line in lines)
    assert ", as read" in text or "states no interval" in text


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"fit": False}, "Not measured: it was left out (--no-fit)"),
        ({"method": "local", "epsilon": 4}, "Not measured"),
        ({"epsilon": 40}, "no column has more misfits than noise alone would show"),
        ({}, "Cannot be told: with so few records at this budget"),
    ],
)
def test_whether_the_file_fits_is_said_in_any_case(asked, said):
    given = {"method": "modips", "epsilon": 1, "seed": 1} | asked
    text = words(html_page(sf.publish(clinic(200), schema=sf.Schema.parse(CLINIC), **given)))
    assert said in text
    assert "did not fit" not in text
    measured = "fit" not in asked and "method" not in asked
    assert ("How many values were changed by that was not measured" in text) != measured
    assert ("noise would hide up to" in text) == measured


def test_what_fits_within_noise_is_given_with_the_most_that_noise_hides():
    schema = sf.Schema.of({"name": "t", "columns": COLUMNS})
    few = (Misfit("income", "above", 5, 0, 45, False), Misfit("ward", "missing", 0, 0, 40, False))
    found = fitting(Fit(few, 4_000, 4_000), schema)
    assert found.lines == ()
    assert found.rest == (
        "The 2 counts are within what noise alone would show: at most 45 records each."
    )


def test_many_small_misfits_of_many_columns_are_a_no_although_no_column_is_seen():
    """Six in a hundred records are wrong, one in a hundred in each of six columns."""
    columns = {f"c{k}": {"kind": "integer", "low": 0, "high": 9} for k in range(6)}
    table = pa.table(
        {
            name: [99 if row % 100 == k else 5 for row in range(20_000)]
            for k, name in enumerate(columns)
        }
    )
    schema = {"name": "t", "columns": columns}
    release = sf.publish(
        table, schema=schema, method="modips", epsilon=1, misfit=1, seed=1, rows=10
    )
    assert not release.fit.significant
    text = words(html_page(release))
    assert "The file probably did not fit its schema." in text
    assert re.search(
        r"Probably not: between [\d,]+ and 1,\d\d\d records do not fit, with confidence 98 %", text
    )
    assert "hides in which columns" in text
    assert "As far as noise lets see, yes" not in text


def test_the_page_says_that_what_is_published_as_other_fits():
    for other in ("rest", None):
        ward = COLUMNS["ward"] | ({"other": other} if other else {})
        schema = {"name": "t", "columns": COLUMNS | {"ward": ward}}
        rows = pa.table({"income": [1.0, 2.0] * 50, "ward": ["a", "z"] * 50})
        given = {"method": "modips", "epsilon": 1, "misfit": 1, "seed": 1}
        text = words(html_page(sf.publish(rows, schema=schema, **given)))
        assert ("published as what the schema calls other, and fit: in ward." in text) == bool(
            other
        )


def test_the_note_beside_a_column_says_how_many_are_published_as_other():
    ward = COLUMNS["ward"] | {"other": "rest"}
    rows = pa.table({"ward": ["A", "B"] * 1_000})
    given = {"schema": {"name": "t", "columns": {"ward": ward}}, "epsilon": 20, "seed": 1}
    text = words(html_page(sf.publish(rows, **given)))
    assert "of the records are read as rest, as is whatever is not listed" in text
    assert "Apart from these, the fit of the file shows no column" in text


def test_many_misfits_are_counted_where_they_are_not_listed():
    columns = {f"c{k}": {"kind": "integer", "low": 0, "high": 9} for k in range(50)}
    schema = sf.Schema.of({"name": "t", "columns": columns})
    many = tuple(Misfit(name, "above", 100 + k, 60, 140, True) for k, name in enumerate(columns))
    found = fitting(Fit(many, 0, 10_000), schema)
    assert len(found.lines) == 40
    assert found.lines[0][0] == "c49"
    assert found.rest.startswith("10 further counts are more than noise, too")


def test_errors_beside_the_value_are_those_of_the_interval(wrong):
    lines = {line.what: line for line in precision(wrong).lines if line.says.startswith("mean")}
    low, high = precision(wrong).means["income"]
    value = precision(wrong).found.number("income").mean("0.95")[0]
    beside = float(re.search(r"± ([\d.e+-]+) % of the mean", lines["income"].relative)[1])
    assert beside == pytest.approx(100 * (high - low) / 2 / value, rel=0.05)
    assert lines["income"].off == pytest.approx((high - low) / 2 / 40)


def test_a_heap_is_a_note_beside_its_column(page):
    assert "of the records are read as 40, the end of the range, many more than beside it" in page
    assert "Genuine caps look the same" in page


def test_pairs_and_groups_say_what_was_changed_in_either_column(wrong):
    """Their intervals are about values as read, too."""
    marked = COLUMNS | {
        "ward": {**COLUMNS["ward"], "role": "group"},
        "outcome": {"kind": "category", "values": ["home", "care"], "role": "label"},
    }
    rows = {"income": [56.0, 30.0, 12.0, 58.0] * 250, "ward": ["a", "b", "c", "a"] * 250}
    rows["outcome"] = ["home", "care", "care", "home"] * 250
    schema = {"name": "t", "columns": marked}
    made_up = sf.publish(pa.table(rows), schema=schema, epsilon=40, misfit=1, seed=1)
    groups = {group.title: group for group in page_of(made_up).groups}
    (card,) = groups["By group"].cards
    assert "In ward, about" in card.note
    pairs = [c for c in groups["Pairs of columns"].cards if "income" in c.title]
    assert pairs
    assert all("In income, about" in c.note for c in pairs)
    assert all("as read" in c.note for c in pairs)


def test_what_was_not_measured_is_said_beside_the_headline():
    given = {"schema": sf.Schema.parse(CLINIC), "method": "modips", "epsilon": 1, "seed": 1}
    for fit in (True, False):
        first = words(html_page(sf.publish(clinic(300), fit=fit, **given)).partition("<main>")[0])
        assert "about values as they were read" in first
        assert ("how many were changed by that was not measured" in first) != fit


def test_the_mean_of_dates_that_were_answered_alone_is_a_date():
    release = sf.publish(clinic(400), schema=sf.Schema.parse(CLINIC), method="local", epsilon=4)
    (line,) = [line for line in precision(release).lines if line.what == "admitted"]
    assert re.fullmatch(r"mean 202\d-\d\d-\d\d", line.says)
    assert re.fullmatch(r"202\d-\d\d-\d\d to 202\d-\d\d-\d\d, as read", line.truth)
    assert line.relative == ""
    assert "admitted" not in precision(release).means
