"""Membership: copies are recognised, heavy noise hides them, wrong controls show as no power."""

import numpy as np
import pyarrow as pa
import pytest
from attacked import CONFIDENT, noised, people

from sfumato.errors import DataError, ParameterError, SchemaError
from sfumato.inspection.attack import gap, membership_attack
from sfumato.inspection.attack.membership import SCORES, _called
from sfumato.inspection.attack.tables import Tables

EVERYBODY = pytest.mark.parametrize("name", ["wine", "cancer", "clinic"])


@EVERYBODY
def test_records_released_as_they_are_are_recognised(name):
    inside, outside, schema = people(name)
    found = membership_attack(inside, inside, schema, control=outside, confidence=CONFIDENT)
    assert found.verdict == "succeeds"
    assert found.success.value == 1
    assert found.control.value < 0.05


@EVERYBODY
def test_heavy_noise_on_every_record_hides_who_is_there(name):
    inside, outside, schema = people(name)
    release = noised(inside, schema, epsilon=0.1)
    found = membership_attack(release, inside, schema, control=outside, confidence=CONFIDENT)
    assert found.power
    assert found.verdict == "fails"


@EVERYBODY
def test_a_release_of_other_people_says_nothing_about_these(name):
    inside, outside, schema = people(name)
    half = outside.num_rows // 2
    found = membership_attack(
        outside.slice(0, half), inside, schema, control=outside.slice(half), confidence=CONFIDENT
    )
    assert found.power
    assert found.verdict == "fails"


def test_a_little_noise_does_not_hide_who_is_there():
    inside, outside, schema = people("cancer")
    release = noised(inside, schema, epsilon=1_000)
    found = membership_attack(release, inside, schema, control=outside, confidence=CONFIDENT)
    assert found.verdict == "succeeds"
    assert found.success.value - found.control.value > 0.5


def test_the_baseline_calls_as_many_at_random():
    inside, outside, schema = people("clinic")
    found = membership_attack(inside, inside, schema, control=outside)
    called = found.success.hits + found.control.hits
    assert found.baseline.value == called / 400
    assert found.success.tries == found.control.tries == 200  # the other half set the threshold


def test_scores_find_copies_and_those_in_a_crowd_of_near_copies_and_no_strangers(rng):
    inside, outside, schema = people("cancer")

    def finding(release):
        tables = Tables.of(release, inside, schema, control=outside, targets=2_000, seed=0)
        found = _called(tables, tables.release).items()
        return {name for name, rates in found if gap(*rates, CONFIDENT).low > 0}

    closeness, beside, density, _ = SCORES
    assert {closeness, beside} <= finding(inside)
    crowd = pa.concat_tables([noised(inside, schema, epsilon=4_000, seed=k) for k in range(8)])
    assert {beside, density} <= finding(crowd)
    half = outside.num_rows // 2
    fresh, rest = outside.slice(0, half), outside.slice(half)
    tables = Tables.of(fresh, inside, schema, control=rest, targets=2_000, seed=0)
    for name, (member, stranger) in _called(tables, tables.release).items():
        assert gap(member, stranger, CONFIDENT).low <= 0, name


def test_a_release_whose_tables_fit_too_well_is_found_by_tables_and_not_by_closeness(rng):
    """Two columns of a person at a time are released, the rest of the row is of ten others."""
    names, letters = [f"c{j}" for j in range(12)], np.array(list("abcdefghijklmnopqrst"))
    columns = {name: {"kind": "category", "values": list(letters)} for name in names}
    codes = rng.integers(0, 20, (200, 12))
    parts = []
    for _ in range(11):
        order, mixed = rng.permutation(12), np.empty((100, 12), int)
        for two in order.reshape(6, 2):
            mixed[:, two] = codes[rng.permutation(100)][:, two]
        parts.append(mixed)

    def table(rows):
        return pa.table({name: letters[rows[:, j]] for j, name in enumerate(names)})

    found = membership_attack(
        table(np.vstack(parts)),
        table(codes[:100]),
        {"name": "t", "columns": columns},
        control=table(codes[100:]),
    )
    assert found.verdict == "succeeds"
    assert found.details["score"] == "tables of pairs"
    assert found.details["advantage by closeness"] < found.details["advantage by tables of pairs"]


def test_the_largest_certain_advantage_is_reported_at_a_confidence_for_all_scores():
    inside, outside, schema = people("clinic")
    release = noised(inside, schema, epsilon=150)
    found = membership_attack(release, inside, schema, control=outside, confidence=0.9)
    assert found.confidence == pytest.approx(1 - 0.1 / len(SCORES))
    each = [found.details[f"advantage by {name}"] for name in SCORES]
    chosen = found.details[f"advantage by {found.details['score']}"]
    assert chosen == found.success.value - found.control.value
    assert chosen > max(each) - 0.05  # sizes are the same, so the largest is nearly the surest


def test_control_records_that_are_in_the_data_have_no_power():
    inside, _, schema = people("clinic")
    found = membership_attack(inside, inside, schema, control=inside)
    assert "even if the records themselves" in found.weakness


def test_a_table_of_few_values_has_no_power(rng):
    schema = {"name": "t", "columns": {"a": {"kind": "boolean"}, "b": {"kind": "boolean"}}}
    table = pa.table({"a": rng.random(400) < 0.5, "b": rng.random(400) < 0.5})
    found = membership_attack(
        table.slice(0, 200), table.slice(0, 200), schema, control=table.slice(200)
    )
    assert "even if the records themselves" in found.weakness


def test_few_records_have_no_power():
    inside, outside, schema = people("clinic")
    few = inside.slice(0, 5)
    found = membership_attack(few, few, schema, control=outside, confidence=CONFIDENT)
    assert "tries are too few" in found.weakness
    assert membership_attack(few.slice(0, 1), few, schema, control=few.slice(0, 1)).power is False


def test_of_many_records_only_some_are_targets():
    inside, outside, schema = people("clinic")
    found = membership_attack(inside, inside, schema, control=outside, targets=100)
    assert found.success.tries == 50
    assert found == membership_attack(inside, inside, schema, control=outside, targets=100)


def test_what_is_missing_or_wrong_is_refused():
    inside, outside, schema = people("clinic")
    with pytest.raises(ParameterError, match="control must be given"):
        membership_attack(inside, inside, schema, control=None)
    for targets in (0, 2.5, True):
        with pytest.raises(ParameterError, match="targets must be a whole number of at least 1"):
            membership_attack(inside, inside, schema, control=outside, targets=targets)
    with pytest.raises(ParameterError, match="confidence"):
        membership_attack(inside, inside, schema, control=outside, confidence=95)
    with pytest.raises(DataError, match="the control table has no records"):
        membership_attack(inside, inside, schema, control=outside.slice(0, 0))
    with pytest.raises(DataError, match="the release table has no records"):
        membership_attack(inside.slice(0, 0), inside, schema, control=outside)
    with pytest.raises(DataError, match="column age of the schema is not in the data"):
        membership_attack(inside.drop_columns(["age"]), inside, schema, control=outside)
    one = {"name": "t", "columns": {"a": {"kind": "category", "values": ["x"]}}}
    with pytest.raises(SchemaError, match="single value"):
        membership_attack(*[pa.table({"a": ["x"]})] * 2, one, control=pa.table({"a": ["x"]}))
