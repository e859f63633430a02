"""Whatever is drawn makes a schema: no window and no step is refused once it was paid for."""

from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from sfumato.errors import ReleaseError
from sfumato.facts.found import Found
from sfumato.facts.plan import planned
from sfumato.facts.writing import facts_of, read_facts, rows_of
from sfumato.privacy.guarantee import PureDP
from sfumato.schema.domain import Domain
from sfumato.schema.partial import PartialSchema

COLUMNS = {
    "number": {"kind": "number"},
    "number in steps": {"kind": "number", "step": 0.25},
    "number in tiny steps": {"kind": "number", "step": 1e-9},
    "number from 0.1": {"kind": "number", "low": 0.1},
    "number up to -3": {"kind": "number", "high": -3, "step": 0.5},
    "number from a third": {"kind": "number", "low": 0.333, "step": 0.02},
    "integer": {"kind": "integer"},
    "integer in steps": {"kind": "integer", "step": 7},
    "integer from -5": {"kind": "integer", "low": -5, "step": 10},
    "integer up to 2^53": {"kind": "integer", "high": 2**53},
    "date": {"kind": "date"},
    "date by year": {"kind": "date", "step": "year"},
    "date by month": {"kind": "date", "step": "month", "low": "1999-12-31"},
    "time": {"kind": "date", "step": "second", "high": "2024-02-29"},
}


@cache
def plan_of(name):
    """A plan, and how many windows it chooses from."""
    asked = PartialSchema.of({"name": "t", "columns": {"a": COLUMNS[name]}})
    plan = planned(asked, PureDP(1), records=1_000)
    return plan, len(plan.ranges[0].windows.costs(Fraction(1), 1_000))


def written(name, window, step):
    """The column that a window and a step lead to, by way of the rows of a release."""
    plan, several = plan_of(name)
    asked, [one] = plan.asked, plan.ranges
    found = None if one.step_draw is None else step % len(one.steps.names)
    facts = facts_of(plan, Found.empty().with_range(window % several, found))
    rows = [dict(zip(("column", "fact", "value"), row, strict=True)) for row in rows_of(facts)]
    schema = asked.completed(read_facts(asked, rows))
    return one.windows.ends(window % several), schema


@pytest.mark.parametrize("name", COLUMNS)
def test_every_window_makes_a_schema_that_has_a_grid(name):
    rng = np.random.default_rng(0)
    for window in [0, -1, *rng.integers(0, 10**6, 60).tolist()]:
        for step in (0, 6, 7):
            _, schema = written(name, window, step)
            assert Domain.of(schema).axes[0].points >= 1


@pytest.mark.parametrize("name", ["number", "integer", "number in steps", "integer in steps"])
def test_ends_are_rounded_outward(name):
    rng = np.random.default_rng(1)
    for window in rng.integers(0, 10**6, 60).tolist():
        (low, high), schema = written(name, window, 2)
        column = schema.columns["a"]
        if max(abs(low), abs(high)) < 2**40:
            assert Fraction(str(column.low)) <= low
            assert high <= Fraction(str(column.high))
            room = (high - low) / 5 + 2 * Fraction(str(column.step or 0))
            assert Fraction(str(column.high)) - Fraction(str(column.low)) <= high - low + room


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([("b", "low", "1")], "not asked for"),
        ([("a", "median", "1")], "not asked for"),
        ([("a", "low", "1"), ("a", "low", "2")], "twice"),
        ([("a", "low", "one")], "no number or date"),
    ],
)
def test_rows_that_nobody_asked_for_are_refused(rows, said):
    asked = PartialSchema.of({"name": "t", "columns": {"a": {"kind": "integer"}}})
    names = ("column", "fact", "value")
    with pytest.raises(ReleaseError, match=said):
        read_facts(asked, [dict(zip(names, row, strict=True)) for row in rows])
