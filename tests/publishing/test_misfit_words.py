"""What a stop says is true of what was counted: records, each in its first misfit."""

import re

import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.accuracy.fit import Verdict
from sfumato.publishing.misfit_words import stopped
from sfumato.release.fit import FitFacts, MisfitCount
from sfumato.schema import Schema
from sfumato.schema.domain import Domain

AGE = {"kind": "integer", "low": 0, "high": 9}
VERDICT = Verdict(600, 400, 800, stops=True)


def said(columns, cells, verdict=VERDICT, each=None, **facts):
    domain = Domain.of(Schema.of({"name": "t", "columns": columns, **facts}))
    times = each or 1
    misfits = tuple(MisfitCount(column=a, complaint=b, count=n * times) for a, b, n in cells)
    given = {"share": "1/50", "misfit": "1/20", "records": 10_000, "misfits": misfits}
    given |= {"reach": 700 * times, "fitting": 9_400 * times}
    return ". ".join(stopped(FitFacts(**given, tickets=each), verdict, domain, None))


def test_an_interval_is_of_the_records_that_fail_there_first():
    """Every value of b is wrong; 800 of 1,000 records fail in a already."""
    table = pa.table({"a": [99] * 800 + [5] * 200, "b": [99] * 1_000})
    schema = {"name": "t", "columns": {"a": AGE, "b": AGE}}
    with pytest.raises(sf.MisfitError) as error:
        sf.publish(table, schema=schema, method="modips", epsilon=100, seed=1)
    told = str(error.value)
    for column, first in (("a", 800), ("b", 200)):
        found = re.search(
            rf"Column {column}: about ([\d,]+) records \(between ([\d,]+) and ([\d,]+)\) fail here "
            "first, with values that lie above the range; widen the range",
            told,
        )
        _, low, high = (int(figure.replace(",", "")) for figure in found.groups())
        assert low <= first <= high
    assert high < 1_000  # so that no interval of b holds its wrong values: the words must say so
    assert "later columns may hold more such values than are counted" in told


def test_where_noise_hides_the_column_no_count_and_no_remedy_is_given():
    cells = [("a", "above", 300), ("b", "above", 565), ("b", "missing", -20)]
    told = said({"a": AGE, "b": AGE}, cells)
    assert "The noise hides which column it is. See it exactly" in told
    for word in ("perhaps", "column b", "probably", "565", "Column b", "widen the range"):
        assert word not in told


def test_a_single_column_is_not_hidden_by_noise():
    told = said({"a": AGE}, [("a", "above", 500), ("a", "below", 100)])
    assert "The noise hides what is wrong in column a. See it exactly" in told
    assert "another" not in told


PERSON = {"person": "id", "each": 27_720}
EVENTS = {"persons": {"key": "id"}, "events": {"person": "id"}}


def test_of_persons_their_rows_are_spoken_of_in_persons_and_no_range_is_for_sale():
    columns = {"id": {"kind": "id"}, "a": AGE, "b": AGE}
    told = said(columns, [("a", "above", 1_000), ("b", "above", 0)], **PERSON)
    assert "about 6 % of the persons' rows do not fit the schema (600 of 10,000; " in told
    assert "Column a: about 1,000 persons' rows (between 300 and 1,700) fail here first" in told
    assert "A person counts once in all: each of their rows counts as its part of them" in told
    assert "widen the range (high); declare codes" in told
    assert "buy" not in told
    assert "--persons" not in told


def test_an_order_that_is_missing_is_not_to_be_declared_missing_which_it_may_not_be():
    columns = {"id": {"kind": "id"}, "a": AGE, "b": AGE}
    told = said(columns, [("a", "missing", 1_000), ("b", "above", 0)], order="a", **PERSON)
    assert "name another column as the order, or none, if a row may lack it" in told
    assert "missing: allowed" not in told


def test_of_persons_it_is_said_what_is_counted_where_noise_hides_the_column_as_well():
    columns = {"id": {"kind": "id"}, "a": {**AGE, "per": "person"}, "b": AGE}
    cells = [("a", "above", 300), ("b", "above", 500)]
    told = said(columns, cells, each=27_720, tables=EVENTS)
    assert "The noise hides which column it is. A person counts" in told
    assert "A person counts once in all" in told
    assert "(or --uncounted) --persons FILE, by row. If" in told
