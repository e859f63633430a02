"""Rules: against brute force over all records of small domains."""

from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sfumato.errors import SchemaError
from sfumato.render.decode import Decoder
from sfumato.render.rules import Rules
from sfumato.schema import Schema
from sfumato.schema.domain import Domain, Grid

COLUMNS = {
    "a": {"kind": "integer", "low": 0, "high": 3},
    "b": {"kind": "number", "low": 1, "high": 4, "step": 1.5},
    "c": {"kind": "integer", "low": 0, "high": 4, "step": 2, "missing": "allowed"},
    "s": {"kind": "category", "values": ["x", "y"], "other": "z"},
    "t": {"kind": "boolean", "missing": "allowed"},
    "u": {"kind": "category", "values": [1, 2]},
}
RELATIONS = {
    "<=": lambda a, b: a <= b,
    "<": lambda a, b: a < b,
    ">=": lambda a, b: a >= b,
    ">": lambda a, b: a > b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
}
LEVELS = {"s": ["x", "y", "z"], "t": [False, True, None], "u": [1, 2]}


def domain(*constraints, columns=COLUMNS):
    return Domain.of(Schema.of({"name": "t", "columns": columns, "constraints": list(constraints)}))


def every_record(known):
    """All codes, one record per row."""
    codes = [
        [*range(axis.points + 1), *([-1] * axis.missing)]
        if isinstance(axis, Grid)
        else range(axis.codes)
        for axis in known.axes
    ]
    return np.array(list(product(*codes)), np.int32)


def held(constraint, row):
    """As a reader of the released values would judge it."""
    if isinstance(constraint, str):
        first, relation, second = constraint.split()
        values = row[first], row[second]
        return None in values or RELATIONS[relation](*values)
    combination = [str(row[name]) for name in constraint["columns"]]
    listed = [[str(v) for v in c] for c in constraint.get("allowed") or constraint["forbidden"]]
    return (combination in listed) == ("allowed" in constraint)


@st.composite
def constraints(draw):
    if draw(st.booleans()):
        first, second = draw(st.permutations("abc"))[:2]
        return f"{first} {draw(st.sampled_from(list(RELATIONS)))} {second}"
    columns = draw(st.permutations("stu"))[: draw(st.integers(2, 3))]
    combination = st.tuples(*(st.sampled_from(LEVELS[name]) for name in columns)).map(list)
    kind = draw(st.sampled_from(["allowed", "forbidden"]))
    return {"columns": list(columns), kind: draw(st.lists(combination, min_size=1, max_size=6))}


@pytest.mark.slow
@settings(max_examples=150)
@given(st.lists(constraints(), min_size=1, max_size=4), st.integers(0, 2**32))
def test_rules_keep_find_and_reach_what_brute_force_does(asked, seed):
    known = domain(*asked)
    codes = every_record(known)
    rows = Decoder(known).batch(codes).to_pylist()
    kept = np.array([all(held(c, r) for c in asked) for r in rows])
    if not kept.any():
        with pytest.raises(SchemaError, match="no record"):
            Rules.of(known)
        return
    rules = Rules.of(known)
    np.testing.assert_array_equal(rules.keeps(codes), kept)
    for axis, mask in enumerate(rules.possible):
        assert mask[codes[kept, axis]].all()  # nothing is ruled out that occurs
    assert rules.keeps(rules.example[None, :]).all()
    moved = rules.moved(codes, np.random.default_rng(seed))
    assert rules.keeps(moved).all()
    np.testing.assert_array_equal(moved[kept], codes[kept])
    ruled = {axis for rule in rules.rules for axis in rule.axes}
    free = [axis for axis in range(len(known.axes)) if axis not in ruled]
    np.testing.assert_array_equal(moved[:, free], codes[:, free])


@given(st.lists(st.sampled_from(["a <= b", "b <= c", "a < b", "c >= a", "b < c"]), min_size=1))
def test_orders_move_values_up_and_no_further_than_they_must(asked):
    columns = {n: {"kind": "integer", "low": 0, "high": 4} for n in "abc"}
    known = domain(*asked, columns=columns)
    rules = Rules.of(known)
    codes = every_record(known)
    codes = codes[np.logical_and.reduce([m[codes[:, k]] for k, m in enumerate(rules.possible)])]
    assume(len(codes))
    fitting = codes[rules.keeps(codes)]
    moved = rules.moved(codes, np.random.default_rng(0))
    for drawn, found in zip(codes, moved, strict=True):
        above = fitting[(fitting >= drawn).all(axis=1)]
        np.testing.assert_array_equal(found, above.min(axis=0))


def test_equal_columns_take_either_value_as_often():
    columns = {n: {"kind": "integer", "low": 0, "high": 30_000} for n in "ab"}
    rules = Rules.of(domain("a == b", columns=columns))
    moved = rules.moved(
        np.tile(np.array([[100, 20_000]], np.int32), (4_000, 1)), np.random.default_rng(0)
    )
    assert (moved[:, 0] == moved[:, 1]).all()
    # A fair coin leaves 1,830 … 2,170 with a chance below 1e-6 (the deviation is 31.6).
    assert 1_830 < (moved[:, 0] == 100).sum() < 2_170


def test_days_and_months_are_compared_by_months():
    columns = {
        "from": {"kind": "date", "low": "2024-01-01", "high": "2024-12-31"},
        "until": {"kind": "date", "low": "2024-01-01", "high": "2024-12-01", "step": "month"},
    }
    rules = Rules.of(domain("from <= until", columns=columns))
    may_17, april, may = 137, 3, 4
    codes = np.array([[may_17, april], [may_17, may]])
    assert rules.keeps(codes).tolist() == [False, True]


def test_a_missing_value_keeps_any_order_but_is_a_value_of_a_combination():
    rules = Rules.of(domain("c > a", {"columns": ["t", "u"], "allowed": [[True, 1], [None, 2]]}))
    missing = [3, 0, -1, 0, 2, 1]
    assert rules.keeps(np.array([missing, [*missing[:5], 0]])).tolist() == [True, False]


def test_too_many_combinations_to_number_are_refused():
    values = [str(k) for k in range(10_000)]
    columns = {f"x{k}": {"kind": "category", "values": values} for k in range(5)}
    entry = {"columns": list(columns), "forbidden": [["0"] * 5]}
    with pytest.raises(SchemaError, match="too many combinations: name fewer columns"):
        Rules.of(domain(entry, columns=columns))


def test_values_that_are_hard_to_keep_apart_are_still_found():
    """Columns that all differ are beyond narrowing: only the search finds them."""
    columns = {n: {"kind": "integer", "low": 0, "high": 3} for n in "abcd"}
    asked = [f"{x} != {y}" for x, y in product("abcd", repeat=2) if x < y]
    rules = Rules.of(domain(*asked, columns=columns))
    assert sorted(rules.example) == [0, 1, 2, 3]
    moved = rules.moved(np.zeros((50, 4), np.int32), np.random.default_rng(0))
    assert rules.keeps(moved).all()
