"""What is tried on a table of two columns, and how it is said."""

import numpy as np

from sfumato.accuracy.hypothesis import declares, hypotheses, matched
from sfumato.accuracy.side import Side
from sfumato.schema import Schema
from sfumato.schema.constraint import Combination
from sfumato.schema.domain import Domain
from sfumato.synopsis.bins import Fine, Merged


def sides(groups=None, **columns):
    """Columns in fine bins, or in those that they are merged into."""
    domain = Domain.of(Schema.of({"name": "t", "columns": columns}))
    found = []
    for k, axis in enumerate(domain.axes):
        fine = Fine.of(k, axis)
        group = np.arange(fine.bins) if groups is None else np.array(groups[k])
        found.append(Side.of(axis, Merged(fine, group)))
    return found


def tried(*pair):
    return {one.words: one for one in hypotheses(*pair)}


def test_an_order_is_told_where_bins_do_not_overlap_and_never_of_missing():
    number = {"kind": "integer", "low": 0, "high": 3, "missing": "allowed"}
    groups = [[0, 0, 1, 1, 2], [0, 1, 1, 2, 3]]  # 0-1, 2-3, missing; 0, 1-2, 3, missing
    found = tried(*sides(groups, part=number, whole=number))
    order = found["part is at most whole"]
    assert order.constraint == "part <= whole"
    assert np.argwhere(order.block).tolist() == [[1, 0]]
    assert np.argwhere(order.untold).tolist() == [[0, 0], [0, 1], [1, 1], [1, 2]]
    assert np.argwhere(found["whole is at most part"].block).tolist() == [[0, 2]]


def test_numbers_of_different_ranges_and_steps_are_compared_by_their_values():
    a = {"kind": "number", "low": 1, "high": 2, "step": 0.5}
    b = {"kind": "integer", "low": 0, "high": 2}
    order = tried(*sides(a=a, b=b))["a is at most b"]
    assert np.argwhere(order.block).tolist() == [[0, 0], [1, 0], [1, 1], [2, 0], [2, 1]]


def test_dates_are_compared_in_the_longer_of_their_steps():
    day = {"kind": "date", "low": "2024-01-31", "high": "2024-02-01"}
    month = {"kind": "date", "low": "2024-01-01", "high": "2024-02-01", "step": "month"}
    order = tried(*sides(day=day, month=month))["day is at most month"]
    assert np.argwhere(order.block).tolist() == [[1, 0]]
    number = {"kind": "integer", "low": 0, "high": 1}
    assert not [one for one in hypotheses(*sides(day=day, n=number)) if one.orders]


def test_only_single_values_of_numbers_are_spoken_of_and_no_constraint_says_so():
    number = {"kind": "integer", "low": -1, "high": 3, "missing": "allowed"}
    ward = {"kind": "category", "values": ["a", "b"]}
    groups = [[0, 1, 1, 1, 1, 2], [0, 1]]
    found = tried(*sides(groups, days=number, ward=ward))
    assert "where days is -1, ward is a" in found
    assert "where days is missing, ward is b" in found
    assert not [words for words in found if "0 to 3" in words]
    assert not [one for one in found.values() if one.constraint is not None]


def test_values_that_share_a_bin_are_listed_one_by_one():
    a = {"kind": "category", "values": ["p", "q", "r"], "missing": "allowed"}
    b = {"kind": "boolean"}
    found = tried(*sides([[0, 1, 1, 1], [0, 1]], a=a, b=b))
    listed = {one.constraint.forbidden for one in found.values()}
    assert (("q", False), ("r", False), (None, False)) in listed


def test_two_halves_become_exactly_where_or_equal():
    a, b = sides(a={"kind": "boolean"}, b={"kind": "boolean"})
    found = tried(a, b)
    one, other = found["where a is false, b is false"], found["where b is false, a is false"]
    both = matched(one, other, a, b)
    assert both.words == "a is false exactly where b is false"
    assert both.constraint.forbidden == ((False, True), (True, False))
    number = {"kind": "integer", "low": 0, "high": 3}
    c, d = sides(c=number, d=number)
    orders = [one for one in hypotheses(c, d) if one.orders]
    both = matched(*orders, c, d)
    assert both.constraint == "c == d"
    assert np.array_equal(both.block, ~np.eye(4, dtype=bool))


def test_names_that_hold_signs_are_not_compared_in_a_text_that_may_mean_something_else():
    number = {"kind": "integer", "low": 0, "high": 3}
    for odd in ("a <= a", "b=", " b"):
        assert not [one for one in hypotheses(*sides(**{"a": number, odd: number})) if one.orders]


def test_a_schema_declares_what_follows_from_its_constraints_on_the_same_columns():
    number = {"kind": "integer", "low": 0, "high": 3}
    pair = sides(a=number, b=number)
    for known in ("a <= b", "a < b", "b > a", "a == b"):
        assert declares([known], "a <= b", *pair)
    for other in ("b <= a", "a != b", "a <= c"):
        assert not declares([other], "a <= b", *pair)
    assert not declares(["a <= b"], "a == b", *pair)
    listed = sides(c={"kind": "category", "values": ["p", "q"]}, d={"kind": "boolean"})
    said = Combination(columns=("c", "d"), forbidden=(("p", True),))
    turned = Combination(columns=("d", "c"), forbidden=(("true", "p"), (False, "q")))
    allowed = Combination(columns=("c", "d"), allowed=(("p", False),))
    elsewhere = Combination(columns=("c", "e"), forbidden=(("p", True),))
    assert declares([turned], said, *listed)
    assert declares([allowed], said, *listed)
    assert not declares([elsewhere, "a <= b"], said, *listed)
    assert not declares([said], turned, *listed)
