"""The page of a `mosaic` release: bars with their intervals, pairs with theirs, many columns."""

import re
from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.example import CLINIC, clinic
from sfumato.report import pair_pictures, table_pictures
from sfumato.report.columns import Span, survey
from sfumato.report.figures import histogram
from sfumato.report.html import html_page
from sfumato.report.pairs import Pair
from sfumato.report.precision import CONFIDENCE, precision, share_between
from sfumato.schema.domain import Domain

SCHEMA = sf.Schema.parse(CLINIC)


def published(**asked):
    given = {"method": "mosaic", "rho": "0.2"} | asked
    return sf.publish(clinic(1_500), schema=SCHEMA, **given)


@pytest.fixture(scope="module")
def release():
    return published()


@pytest.fixture
def drawn(monkeypatch):
    """The intervals that each histogram is drawn with, by the name of its picture."""
    seen = {}

    def remember(name, *given, intervals, **more):
        seen[name] = intervals
        return histogram(name, *given, intervals=intervals, **more)

    monkeypatch.setattr(table_pictures, "histogram", remember)
    return seen


@pytest.mark.slow
def test_every_bar_of_a_number_has_its_interval(release, drawn):
    text = html_page(release)
    found = precision(release).found
    names = [axis.name for axis in Domain.of(SCHEMA).axes]
    for column in ("age", "weight", "pressure", "admitted"):
        bars = found.tables.bars(column)
        intervals = drawn[f"column{names.index(column)}"]
        assert len(intervals) == len(bars) > 10
        low, high = share_between(found, column, bars[4][1])
        assert intervals[4] == (100 * low, 100 * high)
        assert low < high
    assert len(re.findall(r"\(as read [\d.]+ % to [\d.]+ %\)", text)) > 10


@pytest.mark.slow
def test_bars_are_the_bins_that_were_counted(release):
    found = precision(release).found
    bars = found.tables.bars("age")
    (column,) = (
        column
        for column in survey(release, {"age": [start for start, _ in bars]}).columns
        if column.name == "age"
    )
    assert isinstance(column.bins, Span)
    released = np.asarray(release.table.column("age"))
    for k, (_, names) in enumerate(bars):
        low, high = int(names[0]), int(names[-1])
        assert column.bins.bin(k) == f"{low} to {high}"
        assert column.counts[k] == np.sum((released >= low) & (released <= high))
    low, high = share_between(found, "age", bars[3][1])
    exact = found.count("age", bars[3][1]).interval(CONFIDENCE)
    assert (low, high) == tuple(end / 1_500 for end in exact)


@pytest.mark.slow
def test_measured_pairs_say_how_far_their_cells_may_be_off(release):
    text = html_page(release)
    assert text.count("cells, each within") == text.count("strength 0.") // 2
    assert "it follows from other tables" not in text


def test_pairs_that_were_not_measured_say_so():
    few = published(rho=None, epsilon=1)
    columns = {column.name: column for column in survey(few).columns}
    known = precision(few)
    measured = set(known.found.tables.measured)
    for pair in combinations(columns, 2):
        shown = Pair(columns[pair[1]], columns[pair[0]], 0.5, np.zeros((1, 1), np.int64))
        note = pair_pictures._measured(shown, known)
        assert ("follows from other tables" in note) == (not {pair, pair[::-1]} & measured)


@pytest.mark.slow
def test_lines_name_every_column_and_the_widest_come_first(release):
    lines = precision(release).lines
    assert {line.what for line in lines} == {axis.name for axis in Domain.of(SCHEMA).axes}
    assert [line.off for line in lines] == sorted((line.off for line in lines), reverse=True)


def test_of_some_records_no_interval_is_drawn(drawn):
    """The tables are of all records, the rows of some."""
    text = html_page(published(where="sex=female"))
    assert set(map(len, drawn.values())) == {0}
    assert "is not known column by column" in text
    assert "cells, each within" not in text


@pytest.mark.slow
def test_two_hundred_columns_of_tables_stay_under_a_megabyte(drawn):
    rng = np.random.default_rng(0)
    kinds = [
        ({"kind": "boolean"}, rng.random(60) < 0.5),
        ({"kind": "number", "low": 0, "high": 1}, rng.random(60)),
        ({"kind": "integer", "low": 0, "high": 70}, rng.integers(0, 70, 60)),
    ]
    names = [f"a rather long name of column {k}" for k in range(200)]
    schema = {"name": "wide", "columns": {n: kinds[k % 3][0] for k, n in enumerate(names)}}
    data = pa.table({n: kinds[k % 3][1] for k, n in enumerate(names)})
    text = html_page(sf.publish(data, schema=schema, method="mosaic", epsilon=1))
    assert len(text.encode()) < 1_000_000
    assert len(drawn) == 20  # of the thirty columns with a picture
    assert min(map(len, drawn.values())) > 10
