"""Entropy, divergence and total variation: hand-computed tables and their laws."""

from math import log2

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import DataError, ParameterError
from sfumato.example import CLINIC, clinic
from sfumato.inspection import entropy, kl_divergence, total_variation
from sfumato.inspection.information import BINS, SMOOTHING
from sfumato.schema import Schema

SCHEMA = {
    "name": "t",
    "columns": {
        "ward": {"kind": "category", "values": ["a", "b", "c"]},
        "age": {"kind": "integer", "low": 0, "high": 99, "missing": "allowed"},
        "smoker": {"kind": "boolean"},
    },
}
records = st.lists(
    st.tuples(st.sampled_from("abc"), st.sampled_from([0, 1, 50, 99, None]), st.booleans()),
    min_size=1,
    max_size=12,
)


def table(rows):
    ward, age, smoker = zip(*rows, strict=True)
    return pa.table({"ward": list(ward), "age": pa.array(age, pa.int64()), "smoker": list(smoker)})


def only(column, values):
    schema = {"name": "t", "columns": {"x": column}}
    return pa.table({"x": values}), schema


def test_entropy_is_the_hand_computed_sum_over_columns():
    data = table([("a", 0, True), ("a", 99, True), ("b", None, True), ("b", 50, True)])
    assert entropy(data, SCHEMA) == pytest.approx(1 + 2 + 0)


def test_numbers_fall_into_twenty_public_cells_of_five_codes():
    column = {"kind": "integer", "low": 0, "high": 99}
    data, schema = only(column, list(range(100)))
    assert BINS == 20
    assert entropy(data, schema) == pytest.approx(log2(20))
    same_cell, _ = only(column, [0, 1, 2, 3, 4])
    assert entropy(same_cell, schema) == 0
    two_cells, _ = only(column, [4, 5])
    assert entropy(two_cells, schema) == 1


def test_a_number_with_fewer_codes_has_as_many_cells_as_codes():
    data, schema = only({"kind": "integer", "low": 0, "high": 3}, [0, 1, 2, 3])
    assert entropy(data, schema) == 2


def test_cells_do_not_depend_on_the_records():
    """An outlier beyond the public range moves no cell: it only adds to the last one."""
    column = {"kind": "integer", "low": 0, "high": 99}
    calm, schema = only(column, [10, 20, 30, 99])
    wild, _ = only(column, [10, 20, 30, 10**9])
    assert total_variation(wild, calm, schema).mean == 0


def test_divergence_is_the_hand_computed_one():
    data, schema = only({"kind": "boolean"}, [True, True, True, False])
    other, _ = only({"kind": "boolean"}, [True, False])
    s = SMOOTHING
    p, q = (1 - s) * 0.75 + s / 2, 0.5
    expected = p * log2(p / q) + (1 - p) * log2((1 - p) / q)
    assert kl_divergence(data, other, schema) == pytest.approx(expected)


def test_a_value_that_no_record_had_costs_much_but_not_infinitely():
    data, schema = only({"kind": "category", "values": ["a", "b"]}, ["b"])
    other, _ = only({"kind": "category", "values": ["a", "b"]}, ["a"])
    s = SMOOTHING
    expected = (1 - s) * log2((1 - s / 2) / (s / 2))
    assert kl_divergence(data, other, schema) == pytest.approx(expected)
    assert kl_divergence(data, other, schema, smoothing=1e-6) > 1.5 * expected


def test_divergence_sums_over_columns():
    one, schema = only({"kind": "boolean"}, [True, False, False])
    other, _ = only({"kind": "boolean"}, [True, True, False])
    twice = {"name": "t", "columns": {"x": {"kind": "boolean"}, "y": {"kind": "boolean"}}}
    double = [t.append_column("y", t.column("x")) for t in (one, other)]
    assert kl_divergence(*double, twice) == pytest.approx(2 * kl_divergence(one, other, schema))


def test_total_variation_of_columns_and_pairs_is_the_hand_computed_one():
    data = table([("a", 0, True), ("a", 0, False)])
    other = table([("a", 0, True), ("b", 99, True)])
    columns = total_variation(data, other, SCHEMA)
    assert dict(columns.by_columns) == {("ward",): 0.5, ("age",): 0.5, ("smoker",): 0.5}
    assert columns.mean == 0.5
    pairs = total_variation(data, other, SCHEMA, ways=2)
    assert set(pairs.by_columns) == {("ward", "age"), ("ward", "smoker"), ("age", "smoker")}
    assert set(pairs.by_columns.values()) == {0.5}


def test_only_pairs_see_a_dependence_that_is_gone_and_the_worst_comes_first(rng):
    coin = rng.random(500) < 0.5
    data = pa.table({"ward": ["a"] * 500, "age": [1] * 500, "smoker": coin})
    tied = data.set_column(1, "age", pa.array(np.where(coin, 0, 99)))
    loose = tied.set_column(2, "smoker", tied.column("smoker").take(rng.permutation(500)))
    assert total_variation(loose, tied, SCHEMA).mean == 0
    pairs = total_variation(loose, tied, SCHEMA, ways=2)
    assert pairs.worst[0] == ("age", "smoker")
    assert pairs.worst[1] > 0.4
    assert list(pairs.by_columns.values()) == sorted(pairs.by_columns.values(), reverse=True)
    assert pairs.mean == pytest.approx(pairs.worst[1] / 3)


@pytest.mark.slow
@given(records, records)
def test_distances_are_bounded_symmetric_and_zero_exactly_for_equal_shares(first, second):
    p, q = table(first), table(second)
    for ways in (1, 2):
        there = total_variation(p, q, SCHEMA, ways=ways).by_columns
        assert dict(there) == dict(total_variation(q, p, SCHEMA, ways=ways).by_columns)
        assert all(0 <= distance <= 1 + 1e-12 for distance in there.values())
    divergence = kl_divergence(p, q, SCHEMA)
    equal = total_variation(p, q, SCHEMA).worst[1] < 1e-12
    assert (divergence < 1e-12) == equal
    assert 0 <= divergence <= 3 * log2(21 / SMOOTHING)
    assert total_variation(p, p, SCHEMA, ways=2).worst[1] == 0


@given(records, records)
def test_total_variation_obeys_the_triangle(first, second):
    p, q, r = table(first), table(second), table([("a", 0, True), ("b", 99, False)])
    through = (
        total_variation(p, r, SCHEMA, ways=2).mean + total_variation(r, q, SCHEMA, ways=2).mean
    )
    assert total_variation(p, q, SCHEMA, ways=2).mean <= through + 1e-12


@given(records)
def test_entropy_lies_between_nothing_and_the_cells_of_the_domain(rows):
    assert 0 <= entropy(table(rows), SCHEMA) <= log2(3) + log2(21) + 1 + 1e-12


@given(records, st.integers(2, 4))
def test_doubling_every_record_changes_nothing(rows, times):
    once, often = table(rows), table(rows * times)
    assert entropy(often, SCHEMA) == pytest.approx(entropy(once, SCHEMA))
    assert kl_divergence(often, once, SCHEMA) == pytest.approx(0, abs=1e-12)


def test_what_is_given_is_left_as_it_was():
    schema, frame = Schema.parse(CLINIC), clinic(100).to_pandas()
    before = frame.copy(deep=True)
    entropy(frame, schema)
    kl_divergence(frame, frame, schema)
    total_variation(frame, frame, schema, ways=2)
    assert frame.equals(before)


@pytest.mark.parametrize("ways", [0, 3, "2"])
def test_impossible_ways_are_refused(ways):
    with pytest.raises(ParameterError, match="ways must be 1"):
        total_variation(table([("a", 0, True)]), table([("a", 0, True)]), SCHEMA, ways=ways)


def test_pairs_of_a_single_column_are_refused():
    data, schema = only({"kind": "boolean"}, [True])
    with pytest.raises(ParameterError, match="at least two"):
        total_variation(data, data, schema, ways=2)


@pytest.mark.parametrize("smoothing", [0, 1, -0.1, float("nan")])
def test_impossible_smoothing_is_refused(smoothing):
    data, schema = only({"kind": "boolean"}, [True])
    with pytest.raises(ParameterError, match="smoothing"):
        kl_divergence(data, data, schema, smoothing=smoothing)


def test_a_table_without_records_is_refused():
    data, schema = only({"kind": "boolean"}, [True])
    with pytest.raises(DataError, match="without records"):
        entropy(data.slice(1), schema)
