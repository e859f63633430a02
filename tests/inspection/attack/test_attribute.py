"""Attribute inference: secrets of copied records, what holds for everybody, constants."""

import numpy as np
import pyarrow as pa
import pytest
from attacked import CONFIDENT, noised, people

from sfumato.errors import ParameterError, SchemaError
from sfumato.inspection.attack import Rate, attribute_attack
from sfumato.inspection.attack.attribute import _constant
from sfumato.inspection.attack.tables import nearest, points
from sfumato.schema import Schema
from sfumato.schema.domain import MISSING, Domain

SECRETS = pytest.mark.parametrize(
    ("name", "secret"),
    [("wine", "x6"), ("cancer", "x0"), ("clinic", "ward"), ("clinic", "weight")],
)


@SECRETS
def test_the_secret_of_a_record_released_as_it_is_is_read_off(name, secret):
    inside, outside, schema = people(name)
    found = attribute_attack(
        inside, inside, schema, secret=secret, control=outside, confidence=CONFIDENT
    )
    assert found.success.value == 1
    assert found.subject == secret
    # The radius of a tumour follows from its perimeter: that holds for everybody.
    assert found.verdict == ("no power" if secret == "x0" else "succeeds")


@SECRETS
def test_heavy_noise_on_every_record_keeps_the_secret(name, secret):
    inside, outside, schema = people(name)
    release = noised(inside, schema, epsilon=0.1)
    found = attribute_attack(
        release, inside, schema, secret=secret, control=outside, confidence=CONFIDENT
    )
    assert found.over_control.low < 0
    assert found.verdict == ("no power" if secret == "x0" else "fails")


def test_what_holds_for_everybody_is_not_held_against_the_release(rng):
    """y is x under noise; a release of other people tells it as well as the records would."""
    schema = {
        "name": "t",
        "columns": {
            "x": {"kind": "number", "low": 0, "high": 1},
            "y": {"kind": "number", "low": 0, "high": 1},
        },
    }
    x = rng.random(3_000)
    table = pa.table({"x": x, "y": np.clip(x + rng.normal(0, 0.06, 3_000), 0, 1)})
    release, inside, outside = (table.slice(start, 1_000) for start in (0, 1_000, 2_000))
    facts = {"secret": "y", "control": outside, "confidence": CONFIDENT}
    found = attribute_attack(release, inside, schema, **facts)
    assert found.verdict == "population"
    assert attribute_attack(inside, inside, schema, **facts).verdict == "succeeds"
    alone = attribute_attack(release, inside, schema, secret="y", confidence=CONFIDENT)
    assert alone.verdict == "undecided"
    assert alone.control is None


def test_a_number_may_be_off_by_the_tolerance_and_no_more():
    schema = {
        "name": "t",
        "columns": {
            "x": {"kind": "integer", "low": 0, "high": 100},
            "y": {"kind": "integer", "low": 0, "high": 100, "missing": "allowed"},
        },
    }
    original = pa.table({"x": [0, 20, 40, 60, 80], "y": [50, 50, 50, None, None]})
    release = pa.table({"x": [0, 20, 40, 60, 80], "y": [53, 54, None, None, 50]})
    found = attribute_attack(release, original, schema, secret="y", tolerance=0.03)
    assert found.success == Rate(2, 5)  # off by 3, and a missing value said to be missing
    exact = attribute_attack(release, original, schema, secret="y", tolerance=0)
    assert exact.success == Rate(1, 5)


@pytest.mark.parametrize("tolerance", [0, 0.04, 0.2])
def test_the_baseline_is_the_constant_that_is_right_most_often(tolerance, rng):
    axis = Domain.of(
        Schema.of({"name": "t", "columns": {"x": {"kind": "integer", "low": 0, "high": 50}}})
    ).axes[0]
    for _ in range(20):
        codes = rng.binomial(50, rng.random(), 40).astype(np.int32)
        right = [(np.abs(codes - guess) <= tolerance * 50).sum() for guess in range(51)]
        assert right[_constant(axis, codes, tolerance)] == max(right)


def test_the_baseline_of_a_category_is_the_most_frequent_level():
    inside, outside, schema = people("clinic")
    found = attribute_attack(inside, inside, schema, secret="ward", control=outside)
    wards = inside.column("ward").to_pylist()
    counts = {ward: wards.count(ward) for ward in set(wards)}
    assert found.baseline.hits == max(counts.values())


def test_a_column_that_is_mostly_missing_is_guessed_to_be_missing():
    schema = {
        "name": "t",
        "columns": {
            "x": {"kind": "integer", "low": 0, "high": 9},
            "y": {"kind": "integer", "low": 0, "high": 9, "missing": "allowed"},
        },
    }
    axis = Domain.of(Schema.of(schema)).axes[1]
    assert _constant(axis, np.array([MISSING] * 6 + [4] * 5, np.int32), 0.1) == MISSING


def test_the_nearest_record_is_the_one_brute_force_finds():
    inside, outside, schema = people("clinic")
    from sfumato.inspection.utility import encoded

    domain = Domain.of(schema)
    places = [0, 2, 3, 5, 6]
    records, targets = encoded(inside, domain), encoded(outside, domain)
    distances, rows = nearest(domain, records, targets, places, 3)
    X, Z = points(domain, targets, places), points(domain, records, places)
    apart = np.sqrt(((X[:, None] - Z) ** 2).sum(axis=2))
    np.testing.assert_allclose(distances, np.sort(apart, axis=1)[:, :3])
    np.testing.assert_allclose(np.take_along_axis(apart, rows, 1), distances)


def test_a_wrong_level_is_as_far_as_the_other_end_of_a_range():
    schema = {
        "name": "t",
        "columns": {
            "n": {"kind": "integer", "low": 0, "high": 7},
            "two": {"kind": "boolean"},
            "many": {"kind": "category", "values": ["a", "b", "c"]},
        },
    }
    domain = Domain.of(Schema.of(schema))
    X = points(domain, np.array([[0, 0, 0], [7, 0, 0], [0, 1, 0], [0, 0, 2]], np.int32), [0, 1, 2])
    np.testing.assert_allclose(np.linalg.norm(X[1:] - X[0], axis=1), 1)


def test_what_cannot_be_is_refused():
    inside, _, schema = people("clinic")
    with pytest.raises(SchemaError, match="column height is not a released column"):
        attribute_attack(inside, inside, schema, secret="height")
    with pytest.raises(SchemaError, match="column patient is not a released column"):
        attribute_attack(inside, inside, schema, secret="patient")
    for tolerance in (-0.1, 1):
        with pytest.raises(ParameterError, match="tolerance must be"):
            attribute_attack(inside, inside, schema, secret="ward", tolerance=tolerance)
    one = {"name": "t", "columns": {"a": {"kind": "boolean"}}}
    with pytest.raises(SchemaError, match="column a is the only one"):
        attribute_attack(*[pa.table({"a": [True, False]})] * 2, one, secret="a")
