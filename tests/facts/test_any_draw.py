"""Odd declarations: refused before anything is charged, or every draw of them makes a schema."""

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

from sfumato.errors import ParameterError, SchemaError
from sfumato.facts.found import Found
from sfumato.facts.plan import planned
from sfumato.facts.reading import read_texts
from sfumato.facts.writing import check_room, facts_of, read_facts, rows_of
from sfumato.privacy.guarantee import ApproxDP, PureDP
from sfumato.schema import Schema
from sfumato.schema.domain import Domain
from sfumato.schema.partial import PartialSchema

RANGES = {
    "-99": {"kind": "integer", "missing_words": [-99]},
    "-99, in steps": {"kind": "integer", "missing_words": [-99], "step": 7},
    "many words": {"kind": "integer", "missing_words": list(range(-50, 60, 2))},
    "0": {"kind": "number", "missing_words": [0]},
    "0.5 from 0": {"kind": "number", "missing_words": [0.5], "low": 0},
    "a word beside an end": {"kind": "integer", "missing_words": [2], "low": 0},
    "a word at a high end": {"kind": "number", "missing_words": [-9.5], "high": -9, "step": 0.25},
    "huge words": {"kind": "number", "missing_words": [1e300, -1e300, "1e999"]},
    "words that are near": {"kind": "number", "missing_words": [1, 1.0000000000000002]},
    "a third": {"kind": "number", "low": 0, "step": 0.3333333333333333},
    "1e12 in fine steps": {"kind": "number", "low": 1e12, "step": 0.01},
    "1e12 in steps that just fit": {"kind": "number", "low": 1e12, "step": 0.001},
    "1e12": {"kind": "number", "low": 1e12},
    "up to 1e12": {"kind": "number", "high": 1e12},
    "1e18": {"kind": "number", "high": 1e18},
    "1e290": {"kind": "number", "low": 1e290},
    "near 2^53": {"kind": "integer", "low": 2**53 - 3},
    "1e12, with digits": {"kind": "number", "low": 1000000000000.123},
    "9998": {"kind": "date", "low": "9998-12-31"},
    "9999": {"kind": "date", "low": "9999-01-01", "step": "day"},
    "year 2": {"kind": "date", "high": "0002-06-01"},
    "days told": {"kind": "date", "format": "%d.%m.%Y"},
    "years told": {"kind": "date", "format": "%Y"},
    "hours told": {"kind": "date", "format": "%d.%m.%Y %H", "low": "2000-01-01T10:00:00"},
    "dates missing": {"kind": "date", "missing_words": ["1900-01-01", "2000-01-01", "2099-12-31"]},
    "a date missing after low": {
        "kind": "date", "low": "2000-01-01", "missing_words": ["2000-01-20"],
    },
    "a date missing in a format": {
        "kind": "date", "format": "%d/%m/%Y", "missing_words": ["01/01/1900"],
    },
}  # fmt: skip
REFUSED = {
    "a word at the end": {"kind": "integer", "missing_words": [0], "low": 0},
    "a word next to the end": {"kind": "integer", "missing_words": [1], "low": 0},
    "digits": {"kind": "number", "low": 0.9234567890123457, "step": 1e-6},
    "the end": {"kind": "integer", "low": 2**53},
    "1e12 in finer steps": {"kind": "number", "low": 1e12, "step": 0.0001},
    "1e300": {"kind": "number", "low": 1e300},
    "the last day": {"kind": "date", "low": "9999-12-31"},
    "the first year": {"kind": "date", "high": "0002-01-01", "step": "year"},
}


def drawn(plan, found):
    """The schema that draws lead to, by way of the rows of a release and of its file."""
    rows = rows_of(facts_of(plan, found))
    named = [dict(zip(("column", "fact", "value"), row, strict=True)) for row in rows]
    schema = plan.asked.completed(read_facts(plan.asked, named))
    assert Schema.parse(schema.to_yaml()) == schema
    return schema


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "words_of_the_file"),
    [(name, False) for name in RANGES]
    + [(name, True) for name, column in RANGES.items() if "missing_words" in column],
)
def test_every_draw_of_a_range_makes_a_schema(name, words_of_the_file):
    column, file = dict(RANGES[name]), {}
    if words_of_the_file:
        file = {"file": {"missing_words": column.pop("missing_words")}}
    asked = PartialSchema.of({"name": "t", "columns": {"a": column}, **file})
    plan = planned(asked, PureDP(1), records=1_000)
    check_room(plan)
    [one] = plan.ranges
    several = len(one.windows.costs(Fraction(1), 1_000))
    rng = np.random.default_rng(0)
    steps = [None] if one.step_draw is None else range(len(one.steps.names))
    for window in [0, several - 1, *rng.integers(0, several, 25).tolist()]:
        for step in steps:
            schema = drawn(plan, Found.empty().with_range(window, step))
            assert Domain.of(schema).axes[0].points >= 1


@pytest.mark.parametrize("name", REFUSED)
def test_what_leaves_no_range_is_refused_beforehand(name):
    with pytest.raises((ParameterError, SchemaError), match=r"range|below|number") as error:
        check_room(
            planned(
                PartialSchema.of({"name": "t", "columns": {"a": REFUSED[name]}}),
                PureDP(1),
                records=1_000,
            )
        )
    assert "column a" in str(error.value)


def test_a_range_keeps_its_larger_side_beside_a_word():
    asked = PartialSchema.of({"name": "t", "columns": {"a": RANGES["-99"]}})
    plan = planned(asked, PureDP(1), records=1_000)
    windows = plan.ranges[0].windows
    several = len(windows.costs(Fraction(1), 1_000))
    wide = next(k for k in range(several) if windows.ends(k) == (-128, 256))
    assert drawn(plan, Found.empty().with_range(wide, None)).columns["a"].low == -98


@pytest.mark.parametrize("form", ["%Y", "%m/%Y", "%d.%m.%Y"])
def test_only_steps_that_the_format_tells_are_offered(form):
    asked = PartialSchema.of({"name": "t", "columns": {"a": {"kind": "date", "format": form}}})
    [one] = planned(asked, PureDP(1), records=1_000).ranges
    assert one.steps.names[-1] == {"%Y": "year", "%m/%Y": "month", "%d.%m.%Y": "day"}[form]


CATEGORIES = {
    "plain": {},
    "other": {"other": "other"},
    "untrimmed": {"other": " x "},
    "nothing": {"other": "(none found)", "missing_words": ["(none found) 2", "987654321"]},
    "true": {"other": "True", "role": "label"},
    "words": {"missing_words": ["(none found)", "3.0", "True", "b"]},
}
TEXTS = [
    "a",
    "b",
    "x",
    " x ",
    "other",
    "(none found)",
    "(none found) 2",
    "3",
    "3.0",
    "True",
    "none",
]
TEXTS += ["null", "~", "1e5", "\x07", "a\nb", "\u2028z", "\0", "y" * 201, "987654321", ""]


@pytest.mark.parametrize("name", CATEGORIES)
def test_every_value_that_can_be_found_makes_a_schema(name):
    columns = {"a": {"kind": "category", **CATEGORIES[name]}}
    plan = planned(
        PartialSchema.of({"name": "t", "columns": columns}), ApproxDP(1, "1e-6"), records=1_000
    )
    _, texts = read_texts(pa.array(TEXTS), plan.declared("a"))
    found = tuple(dict.fromkeys(text for text in texts if text is not None))
    assert "a" in found
    for values in [found, (), *((text,) for text in found)]:
        schema = drawn(plan, Found.empty().with_values({"a": values}))
        assert set(values) <= set(map(str, schema.columns["a"].values))
