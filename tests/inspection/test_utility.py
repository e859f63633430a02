"""Both sides read alike, and squared error: hand-computed tables, refusals, what is left alone."""

import gzip

import numpy as np
import pyarrow as pa
import pytest

from sfumato.errors import DataError
from sfumato.example import CLINIC, clinic
from sfumato.inspection import squared_error
from sfumato.inspection.utility import encoded, has_rows, numbers_only, opened
from sfumato.schema import Schema
from sfumato.schema.domain import Domain

SCHEMA = {
    "name": "t",
    "columns": {
        "age": {"kind": "integer", "low": 0, "high": 10},
        "weight": {"kind": "number", "low": 0, "high": 1, "step": 0.5, "missing": "allowed"},
        "sex": {"kind": "category", "values": ["f", "m"]},
        "ward": {"kind": "category", "values": ["a", "b", "c"]},
        "name": {"kind": "id"},
    },
}


def table(**changes):
    whole = {"age": [5], "weight": [0.5], "sex": ["f"], "ward": ["a"], "name": ["x"]}
    return pa.table(whole | changes)


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({}, 0),
        ({"age": [8]}, 0.09),
        ({"age": [99]}, 0.25),  # beyond the range is at its bound
        ({"weight": [1.0]}, 0.25),
        ({"weight": pa.array([None], pa.float64())}, 1),  # only the flag: missing is the middle
        ({"sex": ["m"]}, 1),
        ({"ward": ["c"]}, 2),
        ({"age": [8], "sex": ["m"], "ward": ["b"]}, 3.09),
        ({"name": ["y"]}, 0),  # ids are never read
    ],
)
def test_the_error_of_one_record_is_the_hand_computed_one(changes, error):
    found = squared_error(table(), table(**changes), SCHEMA)
    assert found.total == pytest.approx(error, abs=1e-12)
    assert found.per_record == found.total


def test_the_total_adds_records_up_beyond_one_chunk_and_the_mean_divides_by_them(rng):
    columns = {"columns": {"x": {"kind": "integer", "low": 0, "high": 8}}, "name": "t"}
    x, z = rng.integers(0, 9, (2, 150_001))
    found = squared_error(pa.table({"x": x}), pa.table({"x": z}), columns)
    assert found.records == 150_001
    assert found.total == pytest.approx(((x - z) ** 2).sum() / 64)
    assert found.per_record == pytest.approx(((x - z) ** 2).mean() / 64)


def test_the_error_is_symmetric_and_zero_only_for_equal_tables(rng):
    schema, patients = Schema.parse(CLINIC), clinic(300)
    shuffled = patients.take(rng.permutation(300))
    there, back = (squared_error(*pair, schema) for pair in _both(patients, shuffled))
    assert there == back
    assert there.total > 0
    assert squared_error(patients, patients, schema).total == 0


def _both(a, b):
    return (a, b), (b, a)


def test_a_release_with_another_number_of_rows_is_refused_with_the_remedy():
    two = pa.concat_tables([table(), table()])
    with pytest.raises(DataError, match=r"one row per record.*total_variation"):
        squared_error(table(), two, SCHEMA)


def test_tables_without_records_are_refused():
    with pytest.raises(DataError, match="no records"):
        squared_error(table().slice(1), table().slice(1), SCHEMA)


def test_a_missing_column_is_refused_by_name():
    with pytest.raises(DataError, match="column ward of the schema is not in the data"):
        squared_error(table(), table().drop_columns(["ward"]), SCHEMA)


def test_frames_and_files_give_the_same_codes_and_are_left_as_they_were(tmp_path):
    import pyarrow.csv as pacsv

    schema, patients = Schema.parse(CLINIC), clinic(200)
    frame = patients.to_pandas()
    before = frame.copy(deep=True)
    pacsv.write_csv(patients, tmp_path / "clinic.csv")
    domain = Domain.of(schema)
    codes = encoded(patients, domain)
    np.testing.assert_array_equal(encoded(frame, domain), codes)
    np.testing.assert_array_equal(encoded(tmp_path / "clinic.csv", domain), codes)
    assert squared_error(frame, patients, schema).total == 0
    assert frame.equals(before)


def test_the_schema_may_be_a_file(tmp_path):
    (tmp_path / "clinic.yaml").write_text(CLINIC)
    assert squared_error(clinic(9), clinic(9), tmp_path / "clinic.yaml").total == 0


@pytest.fixture
def broken_off(tmp_path):
    """A compressed table of which the second half is lost."""
    rows = "".join(f"{i % 10},0.5,f,a,{i * 7919 % 1009}\n" for i in range(5_000))
    whole = gzip.compress(f"age,weight,sex,ward,name\n{rows}".encode())
    path = tmp_path / "half.csv.gz"
    path.write_bytes(whole[: len(whole) // 2])
    return path


def test_a_file_that_breaks_off_is_refused_plainly_whoever_reads_it(broken_off):
    domain = Domain.of(Schema.of(SCHEMA))
    for read in (
        lambda: encoded(broken_off, domain),
        lambda: has_rows(opened(broken_off, domain), 2),
        lambda: numbers_only(broken_off),
    ):
        with pytest.raises(DataError, match="could not be read to its end"):
            read()
