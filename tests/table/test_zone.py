"""Days are those that were written, or of the zone that a type declares; times are in UTC."""

import datetime as dt
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from dateutil.tz import tzoffset

import sfumato as sf
from sfumato.errors import DataError
from sfumato.schema import Schema
from sfumato.schema.domain import Domain
from sfumato.table.draft import draft
from sfumato.table.header import check_header
from sfumato.table.source import open_source
from sfumato.table.zone import local

CLOCK = ["2022-05-03 00:00", "2022-03-27 23:30", "2022-01-01 00:00", "2022-12-01 23:59"]
ZONES = ["Europe/Berlin", "America/New_York", "Pacific/Auckland", "+05:30", "UTC"]


def schema_of(step):
    high = {"month": "2022-12-01", "year": "2023-01-01"}.get(step, "2022-12-31")
    day = {"kind": "date", "low": "2022-01-01", "high": high, "step": step}
    return {"name": "t", "columns": {"x": day}}


def zone_of(name):
    hours, _, minutes = name.partition(":")
    fixed = name[0] == "+" and dt.timedelta(hours=int(hours), minutes=int(minutes))
    return dt.timezone(fixed) if fixed else ZoneInfo(name)


def held(zone, folder):
    """The same moments in every library, and as texts and objects."""
    series = pd.Series(pd.to_datetime(CLOCK)).dt.tz_localize(zone)
    table = pa.table({"x": pa.array(series)})
    pq.write_table(table, folder / "x.parquet")
    yield pd.DataFrame({"x": series})
    yield pd.DataFrame({"x": series.astype(object)})
    yield pd.DataFrame({"x": series.astype("category")})
    yield pd.DataFrame({"x": series.astype(pd.ArrowDtype(table.schema.field("x").type))})
    yield table
    yield folder / "x.parquet"
    if isinstance(zone, ZoneInfo):  # polars has no other
        yield pl.from_arrow(table)
    yield {"x": [moment.isoformat() for moment in series]}
    yield {"x": [moment.to_pydatetime() for moment in series]}


@pytest.mark.parametrize("name", ZONES)
def test_days_are_those_of_the_clock_and_hours_are_in_utc_in_every_library(tmp_path, name):
    zone = zone_of(name)
    clock = [dt.datetime.fromisoformat(text) for text in CLOCK]
    for data in held(zone, tmp_path):
        found = sf.inspection.as_read(data, schema_of("day"))["x"].to_pylist()
        assert found == [moment.date() for moment in clock], type(data)
        found = sf.inspection.as_read(data, schema_of("month"))["x"].to_pylist()
        assert found == [moment.date().replace(day=1) for moment in clock], type(data)
        found = sf.inspection.as_read(data, schema_of("hour"))["x"].to_pylist()[:2]
        utc = [m.replace(tzinfo=zone).astimezone(dt.UTC) for m in clock[:2]]
        assert found == [m.replace(minute=0, tzinfo=None) for m in utc], type(data)


def test_a_declared_format_with_an_offset_tells_the_written_day():
    schema = schema_of("day")
    schema["columns"]["x"]["format"] = "%d.%m.%Y %H:%M %z"
    texts = {"x": ["03.05.2022 00:10 +0200", "03.05.2022 23:10 -0500"]}
    assert sf.inspection.as_read(texts, schema)["x"].to_pylist() == [dt.date(2022, 5, 3)] * 2


@pytest.mark.parametrize("zone", ["Europe/Berlin", "-12:00", "+14:00"])
@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_moments_at_the_ends_of_time_raise_nothing_and_touch_no_other(zone, unit):
    ends = [2**63 - 1, -(2**63) + 1, None, 0]
    column = pa.array(ends, pa.int64()).view(pa.timestamp(unit, zone))
    found = sf.inspection.as_read(pa.table({"x": column}), schema_of("day"))["x"].to_pylist()
    assert found[:2] == [dt.date(2022, 12, 31), dt.date(2022, 1, 1)]
    assert found[3] == dt.date(2022, 1, 1)
    ends = np.array(["0001-01-01", "9999-12-31T23:59:59"], "datetime64[s]")
    assert (local(ends, zone) >= ends[0]).all()
    assert (local(ends, zone) <= ends[1]).all()


@pytest.mark.parametrize(
    "zone",
    [
        pytest.param(tzoffset("EST", 7200), id="the name of another"),
        pytest.param(dt.timezone(dt.timedelta(hours=2, seconds=7)), id="seconds"),
    ],
)
def test_a_zone_of_pandas_that_arrow_cannot_name_is_read_all_the_same(zone):
    frame = pd.DataFrame({"x": pd.Series(pd.to_datetime(CLOCK)).dt.tz_localize(zone)})
    check_header(open_source(frame), Domain.of(Schema.of(schema_of("day"))))
    found = sf.inspection.as_read(frame, schema_of("day"))["x"].to_pylist()
    assert found == [dt.date.fromisoformat(text[:10]) for text in CLOCK]


def test_an_unknown_zone_is_refused_by_the_type_where_days_are_asked_for():
    table = pa.table({"x": pa.array([0, 1], pa.timestamp("s", "Nowhere/Town"))})
    with pytest.raises(DataError, match="column x is stored in the time zone Nowhere/Town, which"):
        check_header(open_source(table), Domain.of(Schema.of(schema_of("day"))))
    check_header(open_source(table), Domain.of(Schema.of(schema_of("hour"))))


def test_a_draft_of_a_public_file_proposes_the_days_that_are_read(tmp_path):
    moment = pd.Series(pd.to_datetime(["2022-01-01", "2022-06-01"])).dt.tz_localize("Europe/Berlin")
    pq.write_table(pa.table({"x": pa.array(moment)}), tmp_path / "x.parquet")
    (tmp_path / "x.csv").write_text("x\n" + "".join(f"{one}\n" for one in moment))
    for name in ("x.parquet", "x.csv"):
        said = draft(tmp_path / name, public=True)
        assert "low: 2022-01-01" in said
        assert "step" not in said
