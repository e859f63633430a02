"""A table with gaps and extremes, odd objects, the codes of a source, the words of errors."""

import datetime as dt
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa

from sfumato.schema import Schema
from sfumato.schema.domain import Domain
from sfumato.table.encode import encode
from sfumato.table.header import check_header
from sfumato.table.source import open_source

SECRET = "SECRET-4711"
COLUMNS = {
    "id": {"kind": "id"},
    "size": {"kind": "number", "low": -1, "high": 3, "missing": "allowed"},
    "age": {"kind": "integer", "low": 0, "high": 7, "missing": "allowed"},
    "ward": {"kind": "category", "values": ["a", 'q"', 3], "other": "else", "missing": "allowed"},
    "grade": {"kind": "category", "values": [1, 2, 3], "missing": "allowed"},
    "smoker": {"kind": "boolean", "missing": "allowed"},
    "seen": {"kind": "date", "low": "2020-01-01", "high": "2021-01-01", "missing": "allowed"},
    "at": {"kind": "date", "low": "2020-01-01", "high": "2020-01-02", "step": "second"},
}


def domain_of(columns, neighbours="add-remove"):
    return Domain.of(Schema.of({"name": "t", "neighbours": neighbours, "columns": columns}))


DOMAIN = domain_of(COLUMNS)


def codes(data, domain=DOMAIN):
    source = open_source(data, tuple(domain.schema.columns))
    check_header(source, domain)
    parts = [encode(domain, b) for b in source.batches([axis.name for axis in domain.axes])]
    return np.vstack([np.empty((0, len(domain.axes)), np.int32), *parts]).tolist()


def records(rows=7):
    """A table of the right types with gaps, extremes and values outside their ranges."""
    day, at = dt.date(2020, 2, 29), dt.datetime(2020, 1, 1, 12, 30, 15, tzinfo=dt.UTC)
    columns = {
        "id": pa.array([SECRET] * 7),
        "size": pa.array([0.1, None, -1.5, 1e300, 2.999999, 0.0, 1e-300]),
        "age": pa.array([1, 2**53, None, -(2**53), 7, 0, 3], pa.int64()),
        "ward": pa.array(["a", 'q"', "3", None, SECRET, "multi\nline", "else"]),
        "grade": pa.array([1, None, 3, 2, 9, -1, 2], pa.int64()),
        "smoker": pa.array([True, None, False, True, False, None, True]),
        "seen": pa.array([day, None, dt.date(1970, 1, 1), dt.date(9999, 12, 31), day, day, day]),
        "at": pa.array([at, None, at, at, at, at, at], pa.timestamp("us", "UTC")),
    }
    return pa.table(columns).slice(0, rows)


def texts(error):
    """The words of an error and of everything behind it."""
    while error is not None:
        yield f"{error!r} {error}"
        yield from texts(error.__cause__)
        error = error.__context__


class Hostile:
    """An object that objects to being looked at."""

    def __str__(self):
        raise RuntimeError(SECRET)

    __repr__ = __str__

    def __ne__(self, other):
        raise RuntimeError(SECRET)


OBJECTS = [
    *(None, 1, 1.0, 3.0, -0.5, 2**70, True, "a", "3", "", SECRET, "\ud800", "\0", "1e300"),
    *(float("nan"), float("inf"), pd.NA, pd.NaT, np.datetime64("NaT"), np.float32(3), np.int8(3)),
    *(Decimal("3.00"), Decimal("sNaN"), b"a", b"\xff", bytearray(b"a"), [1, 2], {"a": 1}, {SECRET}),
    *(
        dt.date(2020, 1, 4),
        dt.datetime.max.replace(tzinfo=dt.UTC),
        pd.Timestamp("2020-01-04", tz="Asia/Tokyo"),
        1j,
    ),
    *(np.array([1, 2]), Hostile(), object, dt.timedelta(1), np.str_("a"), range(3)),
]
