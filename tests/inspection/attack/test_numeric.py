"""Tables as matrices: units, ranges, dates, what is missing; rotations in their own space."""

import numpy as np
import pyarrow as pa
import pytest
from attacked import CONFIDENT, numbers

import sfumato as sf
from sfumato.errors import DataError, SchemaError
from sfumato.example import CLINIC, clinic
from sfumato.inspection.attack import in_shares, in_units, matrix_attacks, procrustes_attack
from sfumato.perturb.rotation import rotation

CLINICAL = sf.Schema.parse(CLINIC)
CALENDAR = {
    "name": "t",
    "columns": {
        "age": {"kind": "integer", "low": 0, "high": 100},
        "month": {"kind": "date", "low": "2020-01-01", "high": "2021-12-31", "step": "month"},
    },
}


def test_a_table_is_the_matrix_of_its_numbers_and_dates():
    patients = clinic(300)
    P, A = in_units(patients, patients, CLINICAL)
    np.testing.assert_allclose(P, A)
    assert A.shape == (300, 4)  # age, weight, pressure, admitted; no categories
    np.testing.assert_array_equal(A[:, 0], patients.column("age").to_numpy())
    days = patients.column("admitted").to_numpy().astype("datetime64[D]").astype(int)
    np.testing.assert_allclose(A[:, 3], days)
    unweighed = patients.column("weight").is_null().to_numpy()
    assert unweighed.any()
    np.testing.assert_allclose(A[unweighed, 1], 100)  # the middle of 40 to 160
    weighed = patients.column("weight").drop_null().to_numpy()
    np.testing.assert_allclose(A[~unweighed, 1], weighed)


def test_released_numbers_are_taken_as_they_are_and_the_original_from_the_grid():
    original = pa.table({"age": [150, 7], "month": ["2020-03-09", "2021-12-31"]})
    release = pa.table({"age": [150.5, -3.25], "month": [602.5, 700.0]})
    P, A = in_units(release, original, CALENDAR)
    assert P.tolist() == [[150.5, 602.5], [-3.25, 700.0]]
    np.testing.assert_allclose(A, [[100, 18322], [7, 18962]])  # 1 March 2020, 1 December 2021


def test_shares_lie_about_the_middle_of_the_public_ranges():
    patients = clinic(300)
    P, A = in_shares(patients, patients, CLINICAL)
    np.testing.assert_allclose(P, A)
    assert np.abs(A).max() <= 0.5
    np.testing.assert_allclose(A[:, 0], (patients.column("age").to_numpy() - 58) / 80)


def test_a_rotation_is_one_in_shares_and_none_in_units(rng):
    table, schema = numbers("wine")
    _, Z = in_shares(table, table, schema)
    turned = rotation(Z, rng)
    width = np.array([schema.columns[name].high for name in table.column_names], float)
    release = pa.table(dict(zip(table.column_names, (turned * width + width / 2).T, strict=True)))
    bare = procrustes_attack(*in_shares(release, table, schema), confidence=CONFIDENT)
    assert bare.details["columns given away"] == 7
    assert bare.success.value < 1e-6
    assert procrustes_attack(*in_units(release, table, schema)).success.value > 0.01
    found = matrix_attacks(*in_shares(release, table, schema))
    assert [one.verdict for one in found[1:]] == ["succeeds"] * 2


def test_tables_that_cannot_be_compared_are_refused():
    patients = clinic(20)
    with pytest.raises(DataError, match="one row per record"):
        in_shares(patients.slice(1), patients, CLINICAL)
    with pytest.raises(DataError, match="there are no records"):
        in_units(patients.slice(0, 0), patients, CLINICAL)
    with pytest.raises(DataError, match="column age of the schema is not in the data"):
        in_units(patients.drop_columns(["age"]), patients, CLINICAL)
    with pytest.raises(SchemaError, match="no number, integer or date"):
        in_units(patients, patients, {"name": "t", "columns": {"smoker": {"kind": "boolean"}}})


def test_a_published_rotation_falls_to_who_knows_as_many_records_as_columns():
    table, schema = numbers("wine")
    release = sf.publish(
        table, schema=schema, method="rotation", accept_no_guarantee=True, seed=2
    ).table
    found = procrustes_attack(*in_shares(release, table, schema), known=range(7))
    assert found.verdict == "succeeds"
    assert found.details["columns given away"] == 7
