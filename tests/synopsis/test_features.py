"""Features: the design matrix of a record, and exactly the products that structure fixes."""

from itertools import product

import numpy as np
import pytest

from neighbours import schema
from sfumato.schema import Schema
from sfumato.schema.domain import MISSING, Domain, Grid
from sfumato.synopsis.features import Features

COLUMNS = {
    "fine": {"kind": "integer", "low": 0, "high": 3, "missing": "allowed"},
    "plain": {"kind": "integer", "low": 0, "high": 2},
    "bit": {"kind": "integer", "low": 0, "high": 1, "missing": "allowed"},
    "sex": {"kind": "category", "values": ["f", "m"]},
    "ward": {"kind": "category", "values": ["a", "b"], "missing": "allowed"},
    "sick": {"kind": "boolean", "missing": "allowed", "role": "label"},
    "single": {"kind": "category", "values": ["x"]},
}
DOMAIN = Domain.of(Schema.of({"name": "t", "columns": COLUMNS}))


def levels(axis):
    """All codes an axis can take."""
    if isinstance(axis, Grid):
        return [*range(axis.points + 1), *([MISSING] if axis.missing else [])]
    return range(axis.codes)


def everything(domain):
    """Every record the domain holds."""
    return np.array(list(product(*(levels(axis) for axis in domain.axes))), np.int32)


def test_the_design_of_a_record_is_its_codes_flags_and_dummies():
    features = Features.of(DOMAIN)
    codes = np.array([[3, 2, 1, 1, 0, 1, 0], [MISSING, 0, MISSING, 0, 2, 2, 0]], np.int32)
    assert features.design(codes).tolist() == [
        [3, 0, 2, 1, 0, 1, *(1, 0, 0), *(0, 1, 0)],
        [1, 1, 0, 0, 1, 0, *(0, 0, 1), *(0, 0, 1)],
    ]
    assert features.units.tolist() == [3, 1, 2, 1, 1, 1, *([1] * 6)]
    assert (features.continuous, features.binary, features.blocks) == (2, 4, 2)


def test_the_products_called_fixed_are_those_that_follow_from_the_features():
    """Over every record there is: a product is fixed just where it is linear in the features."""
    features = Features.of(DOMAIN)
    X = features.design(everything(DOMAIN))
    known = np.column_stack([np.ones(len(X)), X])
    for i, j in np.ndindex(features.fixed.shape):
        wanted = X[:, i] * X[:, j]
        fitted = known @ np.linalg.lstsq(known, wanted, rcond=None)[0]
        assert np.allclose(fitted, wanted) == features.fixed[i, j], (i, j)


def test_fixed_products_have_the_values_that_are_filled_in(rng):
    features = Features.of(Domain.of(schema()))
    codes = np.column_stack([rng.choice(levels(axis), 500) for axis in features.domain.axes])
    X = features.design(codes.astype(np.int32))
    for i, j in zip(*np.nonzero(features.fixed), strict=True):
        a, b = features.items[i], features.items[j]
        if i == j:
            expected = X[:, i]
        elif a.block is not None:
            expected = np.zeros(len(X))
        else:
            axis = features.domain.axes[a.axis]
            expected = axis.middle * X[:, max(i, j)]
            assert MISSING in (a.level, b.level)
        np.testing.assert_array_equal(X[:, i] * X[:, j], expected)
    assert features.fixed.any()


def test_design_entries_lie_between_zero_and_their_unit():
    features = Features.of(DOMAIN)
    X = features.design(everything(DOMAIN))
    assert X.min() == 0
    np.testing.assert_array_equal(X.max(axis=0), features.units)


def test_a_column_can_be_left_out():
    features = Features.of(DOMAIN, without=[DOMAIN.label])
    assert len(features) == len(Features.of(DOMAIN)) - 3
    assert all(item.axis != DOMAIN.label for item in features.items)


@pytest.mark.parametrize("rows", [0, 1])
def test_few_records_have_a_design_of_the_same_width(rows):
    codes = np.zeros((rows, len(DOMAIN.axes)), np.int32)
    assert Features.of(DOMAIN).design(codes).shape == (rows, 12)
