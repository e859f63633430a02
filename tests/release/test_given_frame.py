"""Frames come back in the types that they had, where no record decided those."""

import datetime as dt
import io
import warnings

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.release.given_frame import as_given
from sfumato.schema import Schema

SCHEMA = {
    "name": "visits",
    "columns": {
        "age": {"kind": "integer", "low": 0, "high": 110},
        "cost": {"kind": "number", "low": 0, "high": 1000, "step": 0.5},
        "ward": {"kind": "category", "values": ["surgery", "cardiology"], "other": "elsewhere"},
        "grade": {"kind": "category", "values": [3, 1, 2]},
        "smoker": {"kind": "boolean"},
        "seen": {"kind": "date", "low": "2020-01-01", "high": "2025-12-31"},
        "at": {"kind": "date", "low": "2020-01-01", "high": "2025-12-31", "step": "hour"},
    },
}
VALUES = {
    "age": [30, 41, 77] * 10,
    "cost": [1.5, 100.0, 999.5] * 10,
    "ward": ["cardiology", "surgery", "elsewhere"] * 10,
    "grade": [1, 2, 3] * 10,
    "smoker": [True, False, True] * 10,
    "seen": [dt.datetime(2024, 1, day) for day in (1, 2, 3)] * 10,  # noqa: DTZ001
    "at": [dt.datetime(2024, 1, 1, hour) for hour in (1, 2, 3)] * 10,  # noqa: DTZ001
}


def published(frame, schema=SCHEMA, **said):
    return sf.publish(frame, schema=schema, epsilon=5, **said).data


def with_gaps(schema):
    columns = {name: {**column, "missing": "allowed"} for name, column in schema["columns"].items()}
    return {**schema, "columns": columns}


AS_GIVEN = {
    "usual": {"ward": "str"},
    "nullable": {
        "age": "Int64",
        "cost": "Float64",
        "ward": "string",
        "grade": "Int64",
        "smoker": "boolean",
    },
    "small": {"age": "int8", "cost": "float32", "grade": "uint8"},
    "small and nullable": {"age": "UInt8", "cost": "Float32", "grade": "Int16"},
    "arrow": {"age": "int64[pyarrow]", "ward": "string[pyarrow]", "smoker": "bool[pyarrow]"},
}


@pytest.mark.parametrize("types", AS_GIVEN.values(), ids=AS_GIVEN)
def test_types_of_pandas_come_back_as_given(types):
    frame = pd.DataFrame(VALUES)
    frame = frame.astype(types)
    made = published(frame)
    assert {n: made[n].dtype for n in types} == {n: frame[n].dtype for n in types}
    assert not made.isna().any(axis=None)


DATES = {
    "nanoseconds": lambda dates: dates.astype("datetime64[ns]"),
    "seconds": lambda dates: dates.astype("datetime64[s]"),
    "zone": lambda dates: dates.dt.tz_localize("Europe/Berlin"),
    "objects": lambda dates: dates.astype(object),
    "texts": lambda dates: dates.astype(str),
    "an unreadable text": lambda dates: pd.Series(["99/99", *dates.astype(str)[1:]]),
    "arrow": lambda dates: dates.astype(pd.ArrowDtype(pa.timestamp("ns"))),
    "arrow, zone": lambda dates: dates.astype(pd.ArrowDtype(pa.timestamp("us", "Asia/Tokyo"))),
    "categories": lambda dates: dates.astype("category"),
}


@pytest.mark.parametrize("stored", DATES.values(), ids=DATES)
def test_dates_of_pandas_have_one_type_however_they_were_stored(stored):
    frame = pd.DataFrame(VALUES)
    stored_so = frame.assign(**{name: stored(frame[name]) for name in ("seen", "at")})
    made = published(stored_so)
    assert [str(made[name].dtype) for name in ("seen", "at")] == ["datetime64[us]"] * 2
    assert made[["seen", "at"]].map(lambda moment: 2020 <= moment.year <= 2025).all(axis=None)


@pytest.mark.parametrize("odd", ["2024-05-01", "99/99", "2024-05-01T00:00:00.000000001", "", "Z"])
@pytest.mark.parametrize("backend", [None, "numpy_nullable", "pyarrow"])
@pytest.mark.parametrize("engine", ["c", "pyarrow"])
def test_no_record_shows_in_the_types_that_pandas_read(odd, backend, engine):
    columns = {name: SCHEMA["columns"][name] for name in ("age", "cost", "smoker", "ward", "seen")}
    schema = {"name": "t", "columns": {**columns, "ward": {"kind": "category", "values": [1, 2]}}}
    usual = "30,1.5,True,1,2024-05-01\n"
    more = {} if backend is None else {"dtype_backend": backend}

    def types(last):
        text = io.BytesIO(f"age,cost,smoker,ward,seen\n{usual * 40}{last}".encode())
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that dates are read one by one
            frame = pd.read_csv(text, parse_dates=["seen"], engine=engine, **more)
        return published(frame, schema).dtypes.to_dict()

    assert types(",".join([odd] * 5)) == types(usual)


@pytest.mark.parametrize("zone", ["America/New_York", "America/Sao_Paulo", "America/Havana"])
def test_days_are_the_days_that_were_released(zone):
    # In Sao Paulo the first had no midnight, in Havana the second has two.
    days = [dt.date(2017, 10, 15), dt.date(2021, 11, 7), dt.date(2022, 5, 3)]
    day = {"kind": "date", "low": "2017-01-01", "high": "2023-12-31"}
    schema = Schema.of({"name": "t", "columns": {"x": day}})
    table = pa.table({"x": pa.array(days, pa.date32())})
    for kind in (pd.DatetimeTZDtype("us", zone), pd.ArrowDtype(pa.timestamp("us", zone))):
        made = as_given(table, "pandas", {"x": kind}, schema)["x"]
        assert made.dt.tz is None
        assert [moment.date() for moment in made] == days
    made = as_given(table, "polars", {"x": pl.Datetime("us", zone)}, schema)["x"]
    assert made.to_list() == days


def test_moments_in_a_zone_come_back_in_utc():
    frame = pd.DataFrame(VALUES)
    frame["at"] = frame["at"].dt.tz_localize("Europe/Berlin")
    release = sf.publish(frame, schema=SCHEMA, epsilon=5)
    assert release.data["at"].to_list() == release.table["at"].to_pylist()
    assert release.data["at"].min() >= pd.Timestamp("2020-01-01")


def test_dates_that_are_missing_are_gaps():
    made = published(pd.DataFrame(VALUES), with_gaps(SCHEMA), rows=2000)["seen"]
    assert str(made.dtype) == "datetime64[us]"
    schema = Schema.of(with_gaps(SCHEMA))
    table = pa.table({"seen": pa.array([None, dt.date(2024, 1, 1)], pa.date32())})
    assert as_given(table, "pandas", {}, schema)["seen"].isna().tolist() == [True, False]


@pytest.mark.parametrize("backend", ["Int64", "int64[pyarrow]"])
def test_gaps_are_held_by_types_that_have_them(backend):
    frame = pd.DataFrame(VALUES).astype({"age": backend})
    made = published(frame, with_gaps(SCHEMA))
    assert str(made["age"].dtype) == backend
    assert str(made["smoker"].dtype) == "boolean"  # bool has no gaps
    small = pd.DataFrame(VALUES).astype({"age": "int8"})
    assert str(published(small, with_gaps(SCHEMA))["age"].dtype) == "Int64"


@pytest.mark.parametrize(
    ("given", "high", "made"),
    [
        ("int8", 110, "int8"),
        ("int8", 200, "int64"),
        ("UInt8", 300, "Int64"),
        ("uint8", 255, "uint8"),
    ],
)
def test_a_type_that_is_too_small_for_the_schema_gives_way(given, high, made):
    schema = {"name": "t", "columns": {"age": {"kind": "integer", "low": 0, "high": high}}}
    frame = pd.DataFrame({"age": pd.array([1, 2, 3], dtype=given)})
    assert str(published(frame, schema)["age"].dtype) == made


def test_dates_go_as_far_as_the_schema_does():
    columns = {"seen": {"kind": "date", "low": "0001-01-01", "high": "9999-12-31", "step": "year"}}
    schema = Schema.of({"name": "t", "columns": columns})
    days = [dt.date(1, 1, 1), dt.date(9999, 1, 1)]
    table = pa.table({"seen": pa.array(days, pa.date32())})
    nanoseconds = pd.Series(VALUES["seen"], dtype="datetime64[ns]").dtype
    made = as_given(table, "pandas", {"seen": nanoseconds}, schema)["seen"]
    assert [moment.date() for moment in made] == days
    made = as_given(table, "polars", {"seen": pl.Datetime("ns")}, schema)["seen"]
    assert made.to_list() == days


def test_categories_are_those_of_the_schema_and_never_those_seen():
    frame = pd.DataFrame(VALUES).astype({"ward": "category", "grade": "category"})
    private = frame.assign(ward=pd.Categorical(["cardiology", "a name", "b"] * 10))
    for given in (frame, private):
        made = published(given)
        assert made["ward"].cat.categories.tolist() == ["surgery", "cardiology", "elsewhere"]
        assert made["grade"].cat.categories.tolist() == [3, 1, 2]
        assert not made["ward"].cat.ordered


def test_an_order_of_all_levels_is_kept_and_no_other_is_made_up():
    ranked = pd.CategoricalDtype([1, 2, 3], ordered=True)
    made = published(pd.DataFrame(VALUES).astype({"grade": ranked}))
    assert made["grade"].dtype == ranked
    more = pd.CategoricalDtype(["surgery", "cardiology", "elsewhere", "x"], ordered=True)
    assert not published(pd.DataFrame(VALUES).astype({"ward": more}))["ward"].cat.ordered


@pytest.mark.parametrize("odd", [None, "x", 1j])
def test_what_pandas_infers_does_not_show_in_a_release(odd):
    """A single record turns int64 into float64 or object; the types of the release stay."""
    plain = published(pd.DataFrame(VALUES)).dtypes
    for name in VALUES:
        values = {**VALUES, name: [odd, *VALUES[name][1:]]}
        assert published(pd.DataFrame(values)).dtypes.equals(plain)


POLARS = {
    "usual": {"seen": pl.Date, "at": pl.Datetime("us")},
    "small": {"age": pl.UInt8, "cost": pl.Float32, "grade": pl.Int16},
    "categories": {"ward": pl.Categorical},
    "enum": {"ward": pl.Enum(["elsewhere", "surgery", "cardiology"])},
}


@pytest.mark.parametrize("types", POLARS.values(), ids=POLARS)
def test_types_of_polars_come_back_as_given(types):
    frame = pl.DataFrame(VALUES).with_columns(
        pl.col(name).cast(kind) for name, kind in types.items()
    )
    made = published(frame)
    kept = {name: kind for name, kind in frame.schema.items() if name in types}
    assert {name: made.schema[name] for name in types} == kept
    assert made.schema["smoker"] == pl.Boolean
    assert made.null_count().sum_horizontal().item() == 0


@pytest.mark.parametrize("read", ["2024-05-01", "2024-05-01 10:00:00", "2024-05-01T10:00:00Z"])
@pytest.mark.parametrize("odd", ["2024-05-01", "99/99", ""])
def test_no_record_shows_in_the_types_of_dates_that_polars_read(read, odd):
    days = {"name": "t", "columns": {name: SCHEMA["columns"][name] for name in ("seen", "at")}}
    text = "seen,at\n" + f"{read},{read}\n" * 40 + f"{odd},{odd}\n"
    made = published(pl.read_csv(io.StringIO(text), try_parse_dates=True), days)
    assert made.schema == {"seen": pl.Date, "at": pl.Datetime("us")}


def test_an_enum_that_lists_other_levels_becomes_that_of_the_schema():
    kind = pl.Enum(["surgery", "cardiology", "elsewhere", "a name"])
    made = published(pl.DataFrame(VALUES).with_columns(pl.col("ward").cast(kind)))
    assert made.schema["ward"] == pl.Enum(["surgery", "cardiology", "elsewhere"])


def test_folders_and_certificates_do_not_know_the_types(tmp_path):
    plain = pd.DataFrame(VALUES)
    nullable = plain.astype(AS_GIVEN["nullable"])
    for name, frame in (("plain", plain), ("nullable", nullable)):
        said = {"schema": SCHEMA, "epsilon": 5, "seed": 1, "release": "one"}
        release = sf.publish(frame, folder=tmp_path / name, **said)
        assert release.data["age"].dtype == frame["age"].dtype  # read back from the folder
    files = [
        {p.name: p.read_bytes() for p in (tmp_path / n).iterdir()} for n in ("plain", "nullable")
    ]
    assert files[0] == files[1]
    loaded = sf.Release.load(tmp_path / "nullable", frame="pandas").data
    assert str(loaded["age"].dtype) == "int64"


def test_arrow_tables_keep_the_types_of_the_schema():
    table = pa.table({"age": pa.array(VALUES["age"], pa.int8())})
    schema = {"name": "t", "columns": {"age": SCHEMA["columns"]["age"]}}
    assert published(table, schema).schema.field("age").type == pa.int64()
