"""Released components beside the exact ones: closed forms, the spans, what is refused."""

from math import isnan, pi

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.errors import DataError, ParameterError
from sfumato.example import CLINIC, clinic
from sfumato.inspection import captured_variance, subspace_angle
from sfumato.inspection.subspace import Exact
from sfumato.schema import Schema
from sfumato.schema.domain import Domain
from sfumato.synopsis.features import Features

NUMBER = {"kind": "number", "low": 0, "high": 1}
SCHEMA = {"name": "t", "columns": dict.fromkeys("abc", NUMBER)}
CLINICAL = Schema.parse(CLINIC)

# Variances 1/4, 1/16 and 1/64 along the axes, means 1/2, 1/2 and 1/8 from the middle.
CORNERS = np.array([[a, b, c] for a in (0, 1) for b in (0.25, 0.75) for c in (0.5, 0.75)])
POINTS = pa.table(dict(zip("abc", CORNERS.T, strict=True)))
A, B, C = np.eye(3)


def turned(angle):
    """The exact plane of a and b, turned about a by this angle."""
    return np.array([A, np.cos(angle) * B + np.sin(angle) * C])


def test_the_exact_directions_hold_the_best_there_is():
    found = captured_variance([A, B], POINTS, SCHEMA)
    assert found.of_best == pytest.approx(1, rel=1e-12)
    assert found.of_total == pytest.approx((16 + 4) / (16 + 4 + 1), rel=1e-12)


def test_other_directions_hold_the_shares_of_their_variances():
    found = captured_variance([C], POINTS, SCHEMA)
    assert found.of_best == pytest.approx(1 / 16)
    assert found.of_total == pytest.approx(1 / 21)
    diagonal = captured_variance([A + C], POINTS, SCHEMA)
    assert diagonal.of_total == pytest.approx((16 + 1) / 2 / 21)


@pytest.mark.parametrize("angle", [0, 0.3, 1.2, pi / 2])
def test_the_largest_principal_angle_is_the_one_the_plane_was_turned_by(angle):
    assert subspace_angle(turned(angle), POINTS, SCHEMA) == pytest.approx(angle, abs=1e-9)
    held = captured_variance(turned(angle), POINTS, SCHEMA)
    inside = 16 + 4 * np.cos(angle) ** 2 + np.sin(angle) ** 2
    assert held.of_best == pytest.approx(inside / 20)


def test_components_that_leave_out_the_label_are_measured_by_what_is_left():
    patients = clinic(300, seed=1)
    width = len(Features.of(Domain.of(CLINICAL), without=(Domain.of(CLINICAL).label,)))
    asked = {"schema": CLINICAL, "method": "dca", "epsilon": 8, "seed": 1}
    every = sf.publish(patients, rank=width, **asked).table
    found = captured_variance(every, patients, CLINICAL)
    assert (found.of_best, found.of_total) == pytest.approx((1, 1))
    assert subspace_angle(every, patients, CLINICAL) == pytest.approx(0, abs=1e-6)
    one = captured_variance(sf.publish(patients, **asked).table, patients, CLINICAL)
    assert 0 < one.of_best <= 1


def test_only_the_span_counts():
    U = turned(0.7)
    mixed = np.array([[2.0, 1.0], [-1.0, 3.0]]) @ U
    for measure in (captured_variance, subspace_angle):
        one, other = (measure(V, POINTS, SCHEMA) for V in (U, mixed))
        assert np.allclose(astuple(one), astuple(other))


def astuple(found):
    return [found] if isinstance(found, float) else [found.of_best, found.of_total]


def test_about_the_public_centre_the_mean_counts_as_variance():
    # c lies 1/8 from the middle on average: its second moment is 1/64 + 1/64.
    about_centre = captured_variance([C], POINTS, SCHEMA, about="centre")
    assert about_centre.of_total == pytest.approx(2 / (16 + 4 + 2))


def test_a_radius_draws_the_records_in_as_the_method_does():
    free = Exact.of(POINTS, SCHEMA, about="centre").spectrum.sum()
    bound = Exact.of(POINTS, SCHEMA, about="centre", radius="0.25").spectrum.sum()
    assert bound < 0.0625 + 1e-9 < free


def test_the_covariance_is_that_of_the_scaled_matrix():
    patients = clinic(400)
    exact = Exact.of(patients, CLINICAL)
    age = (patients.column("age").to_numpy() - 18) / 80
    assert exact.second[0, 0] == pytest.approx(age.var(), rel=1e-6, abs=1e-6)
    assert len(exact.spectrum) == len(exact.space)
    assert exact.best(3).shape == (3, len(exact.space))


def test_a_released_table_is_judged_and_more_budget_holds_more():
    patients = clinic(2_000)
    rich, poor = (
        sf.publish(patients, schema=CLINICAL, method="lap-pca", epsilon=e, rank=3, seed=1)
        for e in (1000, 0.01)
    )
    good, bad = (captured_variance(r.table, patients, CLINICAL) for r in (rich, poor))
    assert bad.of_best < 0.9 < 0.99 < good.of_best <= 1 + 1e-9
    assert captured_variance(rich.table.to_pandas(), patients, CLINICAL) == good
    angle = subspace_angle(rich.table, patients, CLINICAL)
    assert angle < subspace_angle(poor.table, patients, CLINICAL) <= pi / 2


def test_records_without_variance_have_none_to_hold():
    same = pa.table({"a": [0.5] * 3, "b": [0.5] * 3, "c": [0.5] * 3})
    found = captured_variance([A], same, SCHEMA)
    assert isnan(found.of_best)
    assert isnan(found.of_total)


@pytest.mark.parametrize(
    "U", [[1, 0, 0], [[1, 0]], [], np.zeros((0, 3)), np.ones((4, 3)), np.ones((1, 3, 1))]
)
def test_directions_of_another_shape_are_refused(U):
    with pytest.raises(ParameterError, match="1 to 3 rows of 3 features"):
        captured_variance(U, POINTS, SCHEMA)


@pytest.mark.parametrize("U", [[A, 2 * A], [[0, 0, 0]], [[np.nan, 0, 1]], [[np.inf, 0, 1]]])
def test_directions_that_are_none_are_refused(U):
    with pytest.raises(ParameterError, match="finite directions that do not depend"):
        subspace_angle(U, POINTS, SCHEMA)


def test_a_table_of_other_components_is_refused():
    release = sf.publish(clinic(50), schema=CLINICAL, method="lap-pca", epsilon=1, rank=1)
    with pytest.raises(ParameterError, match="not a table of the components of this schema"):
        captured_variance(release.table, POINTS, SCHEMA)


def test_a_table_without_records_or_columns_is_refused():
    with pytest.raises(DataError, match="no records"):
        captured_variance([A], POINTS.slice(8), SCHEMA)
    with pytest.raises(DataError, match="column c of the schema"):
        captured_variance([A], POINTS.select(["a", "b"]), SCHEMA)


def test_an_unknown_centre_is_refused():
    with pytest.raises(ParameterError, match="about must be mean or centre"):
        captured_variance([A], POINTS, SCHEMA, about="median")
