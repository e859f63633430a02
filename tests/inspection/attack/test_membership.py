"""Membership: copies are recognised, heavy noise hides them, wrong controls show as no power."""

import numpy as np
import pyarrow as pa
import pytest
from attacked import CONFIDENT, noised, people

from sfumato.errors import DataError, ParameterError, SchemaError
from sfumato.inspection.attack import membership_attack
from sfumato.inspection.attack.membership import _threshold

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
    assert found.success.value > 0.9


def test_the_baseline_calls_as_many_at_random():
    inside, outside, schema = people("clinic")
    found = membership_attack(inside, inside, schema, control=outside)
    called = found.success.hits + found.control.hits
    assert found.baseline.value == called / 400
    assert found.success.tries == found.control.tries == 200  # the other half set the threshold


def test_the_threshold_is_the_one_with_the_largest_gap(rng):
    for _ in range(20):
        inside, outside = rng.integers(0, 9, 30) / 1.0, rng.integers(1, 12, 40) / 1.0
        found = _threshold(inside, outside)
        gaps = {t: (inside <= t).sum() - (outside <= t).sum() for t in np.arange(12)}
        assert (inside <= found).sum() - (outside <= found).sum() == max(gaps.values())
    assert _threshold(np.array([2.0]), np.array([1.0])) == -1


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
