"""Centred records: the public middle, one scale, and a ball that no record leaves."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from neighbours import schema
from sfumato.errors import ParameterError, SchemaError
from sfumato.render.decode import nearest_codes
from sfumato.schema import Schema
from sfumato.schema.domain import MISSING, Domain
from sfumato.synopsis.centred import UNIT, Centred, drawn_in
from sfumato.synopsis.features import Features

DOMAIN = Domain.of(schema())
whole = hnp.arrays(np.float64, (5, 3), elements=st.integers(-UNIT, UNIT).map(float))


def any_codes(rng, count=300):
    columns = []
    for axis in DOMAIN.axes:
        codes = rng.integers(0, axis.codes, count)
        if hasattr(axis, "points"):
            codes = np.where(codes > axis.points, MISSING, codes)
        columns.append(codes)
    return np.column_stack(columns).astype(np.int32)


def test_centred_records_are_the_features_about_the_middle_of_their_ranges(rng):
    codes, space = any_codes(rng), Centred.of(DOMAIN)
    features = Features.of(DOMAIN)
    plain = features.design(codes) / features.units
    Z = space.design(codes)
    assert (np.rint(Z) == Z).all()
    assert np.abs(space.restored(Z / UNIT) - plain).max() <= 0.5 / UNIT


def test_decoding_a_centred_record_gives_it_back(rng):
    codes, space = any_codes(rng), Centred.of(DOMAIN)
    again = nearest_codes(space.features, space.restored(space.design(codes) / UNIT))
    assert (again == codes).all()


@given(whole, st.integers(1, 2 * UNIT))
def test_no_row_leaves_the_ball_and_inner_rows_stay(Z, limit):
    inside = drawn_in(Z, limit)
    before = (Z.astype(object) ** 2).sum(axis=1)
    after = (inside.astype(object) ** 2).sum(axis=1)
    assert all(square <= limit**2 for square in after)
    for row, kept, square in zip(Z, inside, before, strict=True):
        if square <= limit**2:
            assert (row == kept).all()
        else:  # along the same ray, and no shorter than rounding makes it
            assert np.abs(kept - row * (limit / float(square) ** 0.5)).max() <= 1.001


def test_a_matrix_that_is_drawn_in_is_not_changed_itself():
    Z = np.array([[100.0, 0.0]])
    drawn_in(Z, 10)
    assert Z[0, 0] == 100


def test_the_radius_is_kept_on_the_whole_number_scale(rng):
    space = Centred.of(DOMAIN, "0.7")
    norms = (space.design(any_codes(rng)).astype(object) ** 2).sum(axis=1)
    assert space.radius == Fraction(7, 10)
    assert max(norms) <= (space.radius * UNIT) ** 2
    assert min(norms) > (0.69 * UNIT) ** 2  # every record of this domain lies outside


@pytest.mark.parametrize(
    "radius", ["0", "-1", "wide", "nan", float("inf"), "1e400", "1e-300", 10**7, "0.00009"]
)
def test_a_radius_that_is_none_is_refused(radius):
    with pytest.raises(ParameterError, match="radius must be"):
        Centred.of(DOMAIN, radius)


def test_a_single_feature_has_no_components():
    one = Domain.of(Schema.of({"name": "t", "columns": {"b": {"kind": "boolean"}}}))
    with pytest.raises(SchemaError, match="at least two features"):
        Centred.of(one)
