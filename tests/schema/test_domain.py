"""The public grid: codes, steps and refusals follow from the schema alone."""

import datetime as dt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from neighbours import schema
from sfumato.errors import SchemaError
from sfumato.schema import Schema
from sfumato.schema.domain import Domain, moment_of, step_of

STEPS = ("second", "minute", "hour", "day", "month", "year")


def axis(bits=15, **column):
    known = Schema.of({"name": "t", "grid_bits": bits, "columns": {"x": column}})
    return Domain.of(known).axes[0]


@pytest.mark.parametrize(
    ("column", "points"),
    [
        ({"kind": "number", "low": 0, "high": 1}, 2**15),
        ({"kind": "number", "low": 0, "high": 200, "step": 0.1}, 2000),
        ({"kind": "number", "low": 0, "high": 2e6, "step": 0.5}, 2**15),
        ({"kind": "number", "low": -3.3, "high": 3.3, "step": 0.3}, 22),
        ({"kind": "number", "low": 0, "high": 1e-20, "step": 1e-22}, 100),
        ({"kind": "integer", "low": 17, "high": 90}, 73),
        ({"kind": "integer", "low": 0, "high": 1}, 1),
        ({"kind": "integer", "low": -(2**53), "high": 2**53}, 2**15),
        ({"kind": "date", "low": "2020-01-01", "high": "2020-12-31"}, 365),
        ({"kind": "date", "low": "2020-01-15", "high": "2021-01-14", "step": "month"}, 12),
        ({"kind": "date", "low": "2019-12-31", "high": "2020-01-01", "step": "year"}, 1),
        ({"kind": "date", "low": "2020-01-01", "high": "2020-01-02", "step": "second"}, 2**15),
    ],
)
def test_a_grid_has_its_own_steps_or_the_finest_points(column, points):
    assert axis(**column).points == points
    assert axis(**column).codes == points + 1
    assert axis(**column, missing="allowed").codes == points + 2


@pytest.mark.parametrize("bits", [1, 2, 16])
def test_the_finest_grid_is_declared_in_bits(bits):
    assert axis(bits, kind="number", low=0, high=1).points == 2**bits
    assert axis(bits, kind="integer", low=0, high=3).points == min(2**bits, 3)


@pytest.mark.parametrize(
    ("column", "codes", "unusable", "unknown"),
    [
        ({"values": ["a", "b"]}, 2, 0, 0),
        ({"values": ["a", "b"], "other": "o"}, 3, 2, 2),
        ({"values": ["a", "b"], "missing": "allowed"}, 3, 2, 2),
        ({"values": ["a", "b"], "other": "o", "missing": "allowed"}, 4, 3, 2),
        ({"values": ["a"]}, 1, 0, 0),
    ],
)
def test_levels_are_the_values_then_other_then_missing(column, codes, unusable, unknown):
    levels = axis(kind="category", **column)
    assert (levels.codes, levels.unusable, levels.unknown) == (codes, unusable, unknown)


@pytest.mark.parametrize(
    ("column", "words"),
    [
        ({"kind": "date", "low": "2020-01-01", "high": "2020-12-31", "step": "year"}, "same step"),
        ({"kind": "date", "low": "2020-01-01", "high": "2020-01-01T23:00:00"}, "same step"),
        ({"kind": "number", "low": 1e15, "high": 1e15 + 1}, "told apart"),
        ({"kind": "number", "low": -1e300, "high": -1e300 * (1 - 1e-12)}, "told apart"),
        (
            {"kind": "number", "low": 900719925474089.2, "high": 900719925474099.2, "step": 0.1},
            "told apart",
        ),
    ],
)
def test_ranges_whose_points_would_fall_together_are_refused_by_column(column, words):
    with pytest.raises(SchemaError, match=f"column x: .*{words}"):
        axis(**column)


def test_fewer_bits_make_a_narrow_range_of_large_numbers_possible():
    with pytest.raises(SchemaError, match="fewer grid_bits"):
        axis(16, kind="number", low=4e10, high=4e10 + 1)
    assert axis(13, kind="number", low=4e10, high=4e10 + 1).points == 2**13


@pytest.mark.parametrize("step", STEPS)
@given(st.datetimes())
def test_a_step_is_the_calendar_unit_in_which_a_moment_lies(step, moment):
    number = step_of(np.array([moment], "datetime64[s]"), step)
    start = moment_of(number, step)[0].astype(dt.datetime)
    kept = STEPS[::-1].index(step) + 1  # year, month, day, hour, minute, second
    parts = [*moment.timetuple()[:kept], *([1, 1, 1, 0, 0, 0][kept:])]
    assert start == dt.datetime(*parts)  # noqa: DTZ001  schema dates carry no zone
    assert step_of(moment_of(number + 1, step), step)[0] == number[0] + 1


def test_the_domain_depends_on_the_schema_alone():
    known = schema()
    assert Domain.of(known) == Domain.of(Schema.parse(known.to_yaml()))
    assert [a.name for a in Domain.of(known).axes] == list(known.columns)
    assert Domain.of(known).label == 8
    assert Domain.of(Schema.of({"name": "t", "columns": {"x": {"kind": "boolean"}}})).label is None
