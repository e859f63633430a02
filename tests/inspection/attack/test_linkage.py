"""Linkage: parts of copied records meet, parts of noisy ones do not; chance by enumeration."""

from itertools import combinations

import pyarrow as pa
import pytest
from attacked import CONFIDENT, noised, people

from sfumato.errors import ParameterError, SchemaError
from sfumato.inspection.attack import linkage_attack

EVERYBODY = pytest.mark.parametrize("name", ["wine", "cancer", "clinic"])


@EVERYBODY
def test_parts_of_records_released_as_they_are_are_linked(name):
    inside, outside, schema = people(name)
    found = linkage_attack(inside, inside, schema, control=outside, confidence=CONFIDENT)
    assert found.verdict == "succeeds"
    assert found.success.value > 0.9
    assert found.control.value < 0.1


@EVERYBODY
def test_parts_of_records_under_heavy_noise_are_not(name):
    inside, outside, schema = people(name)
    release = noised(inside, schema, epsilon=0.1)
    found = linkage_attack(release, inside, schema, control=outside, confidence=CONFIDENT)
    assert found.power
    assert found.verdict == "fails"


def test_the_columns_of_the_parts_can_be_named_in_any_order():
    inside, outside, schema = people("clinic")
    split = (["admitted", "age"], ["pressure", "weight"])
    found = linkage_attack(
        inside, inside, schema, split=split, control=outside, confidence=CONFIDENT
    )
    assert found.verdict == "succeeds"
    other = linkage_attack(inside, inside, schema, split=split[::-1], control=outside)
    assert other.success == found.success


def test_parts_of_few_values_have_no_power():
    inside, outside, schema = people("clinic")
    found = linkage_attack(inside, inside, schema, split=(["sex"], ["smoker"]), control=outside)
    assert "even if the records themselves" in found.weakness


@pytest.mark.parametrize(("rows", "neighbours"), [(6, 1), (6, 2), (6, 4)])
def test_the_baseline_is_the_chance_that_random_picks_meet(rows, neighbours):
    inside, _, schema = people("clinic")
    few = inside.slice(0, rows)
    picks = [set(p) for p in combinations(range(rows), neighbours)]
    meet = sum(bool(one & other) for one in picks for other in picks) / len(picks) ** 2
    found = linkage_attack(few, few, schema, neighbours=neighbours, confidence=CONFIDENT)
    assert found.baseline.value == pytest.approx(meet)
    assert "tries are too few" in found.weakness


def test_more_neighbours_link_more():
    inside, outside, schema = people("clinic")
    few, many = (
        linkage_attack(outside, inside, schema, neighbours=k).success.hits for k in (1, 20)
    )
    assert few < many


def test_without_a_control_one_cannot_say():
    inside, _, schema = people("clinic")
    assert linkage_attack(inside, inside, schema).verdict == "undecided"


@pytest.mark.parametrize("split", [([], ["age"]), (["age"],), (["age"], [])])
def test_empty_parts_are_refused(split):
    inside, _, schema = people("clinic")
    with pytest.raises(SchemaError, match="two parts of at least one column each"):
        linkage_attack(inside, inside, schema, split=split)


def test_what_cannot_be_is_refused():
    inside, _, schema = people("clinic")
    with pytest.raises(ParameterError, match="both parts"):
        linkage_attack(inside, inside, schema, split=(["age", "sex"], ["age"]))
    with pytest.raises(SchemaError, match="column height"):
        linkage_attack(inside, inside, schema, split=(["height"], ["age"]))
    for neighbours in (0, 401, 1.5):
        with pytest.raises(ParameterError, match="neighbours must be a whole number from 1 to 400"):
            linkage_attack(inside, inside, schema, neighbours=neighbours)
    one = {"name": "t", "columns": {"a": {"kind": "boolean"}}}
    with pytest.raises(SchemaError, match="two parts"):
        linkage_attack(*[pa.table({"a": [True, False]})] * 2, one)
    constant = {
        "name": "t",
        "columns": {"a": {"kind": "boolean"}, "b": {"kind": "category", "values": ["x"]}},
    }
    table = pa.table({"a": [True, False], "b": ["x", "x"]})
    with pytest.raises(SchemaError, match="a column with at least two values"):
        linkage_attack(table, table, constant, split=(["a"], ["b"]))
