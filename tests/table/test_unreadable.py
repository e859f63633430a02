"""What is there and is no text is unreadable: it is never taken for missing."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import sfumato as sf
from odd_values import HostileZone
from sfumato.schema import Schema
from sfumato.schema.domain import Domain
from sfumato.table.complaint import Complaint
from sfumato.table.encode import read
from sfumato.table.source import open_source

OPEN = {"missing": "allowed"}
KINDS = [
    {"kind": "number", "low": 0, "high": 200} | OPEN,
    {"kind": "integer", "low": 0, "high": 200, "decimal": ","} | OPEN,
    {"kind": "category", "values": ["Köln", "Bonn", 70]} | OPEN,
    {"kind": "category", "values": ["Köln", "Bonn", 70], "other": "else"} | OPEN,
    {"kind": "boolean"} | OPEN,
    {"kind": "boolean", "true": ["ja", 70], "false": ["nein"]} | OPEN,
    {"kind": "date", "low": "2020-01-01", "high": "2020-12-31"} | OPEN,
]


class Torn:
    """An object that cannot be compared or written."""

    def __ne__(self, other):
        raise RuntimeError

    def __str__(self):
        raise RuntimeError


LOST = {
    "latin-1": "Köln".encode("latin-1"),
    "a hard space in latin-1": b"70\xa0",
    "bytearray": bytearray(b"\xff"),
    "complex": 70 + 1j,
    "complex of NumPy": np.complex64(70 + 1j),
    "half a character": "70\ud800",
    "torn": Torn(),
    "hostile zone": pd.Timestamp("2020-01-01").to_pydatetime().replace(tzinfo=HostileZone()),
    "array": np.array([1, 2]),
}
GAPS = [None, float("nan"), pd.NA, pd.NaT, np.ma.masked, complex("nan"), np.datetime64("NaT"), ""]


def said(column, data):
    domain = Domain.of(Schema.of({"name": "t", "columns": {"x": column}}))
    batches = open_source(data, ["x"]).batches(["x"])
    found = [read(domain, batch)[1].ravel() for batch in batches]
    return [Complaint(one) for one in np.concatenate(found)]


def held(value):
    yield pd.DataFrame({"x": pd.Series([value, None], dtype=object)})
    yield {"x": [value, None]}
    yield [{"x": value}, {}]
    yield pl.DataFrame({"x": pl.Series([value, None], dtype=pl.Object)})


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("name", LOST)
def test_what_is_no_text_is_unreadable_in_every_kind(kind, name):
    expected = [Complaint.UNREADABLE, Complaint.FITS]
    if kind["kind"] == "category" and name == "array":  # which has a text
        return
    assert [said(kind, data) for data in held(LOST[name])] == [expected] * 4


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_what_is_missing_stays_missing(kind):
    for data in ({"x": GAPS}, pd.DataFrame({"x": pd.Series(GAPS, dtype=object)})):
        assert set(said(kind, data)) == {Complaint.FITS}


@pytest.mark.parametrize("kind", ["complex64", "complex128", "clongdouble"])
def test_complex_numbers_of_an_array_are_read_one_by_one(kind):
    values = np.array([70, 70 + 1j, np.nan, 0.5, 1e30, -np.inf], kind)
    number = {"kind": "number", "low": 0, "high": 100, "step": 0.5} | OPEN
    schema = {"name": "t", "columns": {"x": number}}
    for data in ({"x": values}, pd.DataFrame({"x": values})):
        assert sf.inspection.as_read(data, schema)["x"].to_pylist() == [70, None, None, 0.5, 100, 0]
        assert said(number, data)[1:3] == [Complaint.UNREADABLE, Complaint.FITS]


def test_bytes_in_a_column_of_texts_spoil_their_own_value_alone():
    raw = pa.array([b"70", b"70\xa0", b"Bonn", b"K\xf6ln", None], pa.binary())
    column = pa.Array.from_buffers(pa.string(), 5, raw.buffers())
    number, town = ([one.words for one in said(KINDS[k], pa.table({"x": column}))] for k in (0, 2))
    assert number == ["fits", "unreadable", "unreadable", "unreadable", "fits"]
    assert town == ["fits", "unreadable", "fits", "unreadable", "fits"]


def test_what_is_no_dict_among_records_is_unreadable():
    records = [{"x": 70}, None, "x", ["x"], {"y": 1}]
    found = [one.words for one in said(KINDS[0], records)]
    assert found == ["fits", "unreadable", "unreadable", "unreadable", "fits"]
