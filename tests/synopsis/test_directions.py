"""Directions: the dual formula against all pairs of records, certified bounds, exact integers."""

from itertools import product

import numpy as np
import pytest

from sfumato.schema import Schema
from sfumato.schema.domain import Domain
from sfumato.synopsis.directions import EXACT_RANK, Directions
from sfumato.synopsis.features import Features

SCHEMA = Schema.of(
    {
        "name": "t",
        "columns": {
            "x": {"kind": "number", "low": 0, "high": 1},
            "y": {"kind": "integer", "low": 0, "high": 3},
            "b": {"kind": "boolean"},
            "u": {"kind": "category", "values": ["a", "b", "c"]},
            "v": {"kind": "category", "values": ["p", "q", "r", "s"]},
        },
    }
)
FEATURES = Features.of(Domain.of(SCHEMA))


def orthonormal(rank, rng):
    return np.linalg.qr(rng.normal(size=(len(FEATURES), rank)))[0].T


def corners():
    """All records at the corners of the domain, as codes."""
    points = [(0, 2**15), (0, 3), (0, 1), range(3), range(4)]
    return np.array(list(product(*points)), np.int32)


def widest(coordinates, power):
    return max((np.abs(coordinates - c) ** power).sum(axis=1).max() for c in coordinates)


@pytest.mark.parametrize("rank", [1, 2, 3, 5, 9])
def test_two_records_attain_the_exact_sensitivity_and_none_exceed_it(rank, rng):
    directions = Directions.of(FEATURES, orthonormal(rank, rng))
    steps = FEATURES.design(corners()).astype(np.int64) @ directions.steps.T
    assert widest(steps, 1) == directions.sensitivity.l1 * directions.unit


@pytest.mark.parametrize("rank", [1, 4, 10])
def test_the_squared_bound_holds(rank, rng):
    directions = Directions.of(FEATURES, orthonormal(rank, rng))
    coordinates = FEATURES.design(corners()) / FEATURES.units @ directions.matrix.T
    assert widest(coordinates, 2) <= float(directions.sensitivity.l2_squared)
    # Orthonormal directions cannot stretch: the bound is near √(features + 2 blocks).
    assert float(directions.sensitivity.l2_squared) < 1.001 * (3 + 2 * 2)


@pytest.mark.parametrize("rank", [2, 6, 10])
def test_the_certified_bound_is_never_below_the_exact_one_nor_far_above(rank, rng):
    directions = Directions.of(FEATURES, orthonormal(rank, rng))
    assert directions._exact_l1() <= directions._certified_l1() <= 2 * directions._exact_l1()


def test_the_exact_value_is_below_the_published_bound(rng):
    directions = Directions.of(FEATURES, orthonormal(3, rng))
    assert float(directions.sensitivity.l1) < np.sqrt(3 * len(FEATURES))


def test_many_directions_use_the_certified_bound():
    wide = Schema.of(
        {"name": "w", "columns": {f"x{k}": {"kind": "boolean"} for k in range(EXACT_RANK + 1)}}
    )
    features = Features.of(Domain.of(wide))
    directions = Directions.of(features, np.eye(EXACT_RANK + 1))
    assert float(directions.sensitivity.l1) == pytest.approx(EXACT_RANK + 1)


def test_directions_are_what_they_say_up_to_the_grid(rng):
    U = orthonormal(3, rng)
    assert np.abs(Directions.of(FEATURES, U).matrix - U).max() < 2.0**-18
