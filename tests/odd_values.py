"""Values that a record may hold where nobody expects them, and columns of ordinary ones."""
# ruff: noqa: DTZ001, DTZ901  times without a zone are among them

import datetime as dt
import uuid
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pyarrow as pa

SECRET = "SECRET-4711"


class Hostile:
    """An object that objects to being looked at."""

    def __str__(self):
        raise RuntimeError(SECRET)

    __repr__ = __eq__ = __ne__ = __bool__ = __len__ = __iter__ = __hash__ = __float__ = __str__
    __array__ = __arrow_array__ = __index__ = __str__


class HostileText(str):
    """A text whose methods raise."""

    def __str__(self):
        raise RuntimeError(SECRET)

    __repr__ = encode = strip = __eq__ = __ne__ = __hash__ = __str__


class HostileZone(dt.tzinfo):
    """A time zone that does not know its offset."""

    def utcoffset(self, moment):
        raise RuntimeError(SECRET)

    tzname = dst = utcoffset


class Liar:
    """An object that claims to be a text."""

    @property
    def __class__(self):
        return str


class Whole(int):
    def __str__(self):
        raise RuntimeError(SECRET)

    __repr__ = __int__ = __index__ = __float__ = __str__


def nested():
    deep = []
    for _ in range(5_000):
        deep = [deep]
    return deep


UTC = dt.UTC
ODD = [
    *(None, float("nan"), pd.NA, pd.NaT, np.datetime64("NaT"), np.timedelta64("NaT"), np.nan),
    *(True, False, np.True_, 0, 1, -1, 7, 10**30, -(10**30), 2**53, 2**53 + 1, 2**63, 2**64),
    *(10**400, 10**5000, -(10**5000), 1e300, float("inf"), -float("inf"), -0.0, 5e-324, 2.5),
    *(1 + 2j, complex("nan"), complex("inf"), 3 + 0j, np.complex64(1j), np.clongdouble(2)),
    *(np.int8(3), np.uint64(2**64 - 1), np.float16(0.1), np.float32(0.1), np.longdouble("1e4000")),
    *(Decimal("1.50"), Decimal("1e400"), Decimal("-1e999999"), Decimal("sNaN"), Decimal("inf")),
    *(Decimal("1e-999999"), Fraction(1, 3), Fraction(10**400), Fraction(1, 10**400), Fraction(4)),
    *(
        "",
        " ",
        "x",
        SECRET,
        "007",
        "1.50",
        "1e400",
        "nan",
        "None",
        "2020-01-04",
        "\0",
        "\ufeff",
        "é",
    ),
    *(
        "\ud800",
        "a\ud800",
        "x" * 5_000,
        "7" * 5_000,
        HostileText("a"),
        np.str_("a"),
        "12000-01-01",
    ),
    *(b"a", b"\xff", b"", bytearray(b"a"), memoryview(b"a"), np.bytes_(b"a"), np.void(b"ab")),
    *(dt.date(2020, 1, 4), dt.date.min, dt.date.max, dt.datetime(2020, 1, 4), dt.datetime.min),
    *(dt.datetime.max.replace(tzinfo=UTC), dt.datetime(2020, 1, 1, tzinfo=HostileZone())),
    *(dt.datetime(2020, 1, 1, tzinfo=dt.timezone(dt.timedelta(hours=-14))), dt.time(1, 2)),
    *(dt.timedelta(1), pd.Timedelta(1, "D"), np.timedelta64(1, "D"), np.timedelta64(10**17, "Y")),
    *(pd.Timestamp("2020-01-04", tz="Asia/Tokyo"), pd.Timestamp.max, pd.Timestamp.min),
    *(np.datetime64("2020-01-04"), np.datetime64("12000-01-01"), np.datetime64(10**15, "Y")),
    *(np.datetime64(-(10**15), "Y"), np.datetime64("2020"), np.datetime64(5, "as")),
    *(pd.Timestamp(np.datetime64("12000-01-01", "s")), pd.Timestamp(np.datetime64("-500", "s"))),
    *(pd.Period("2020-01"), pd.Interval(0, 1), pd.Interval(0.5, 1.5), pd.Categorical(["a"])),
    *([], [1, 2], (1,), {"a": 1}, {SECRET}, range(3), nested(), np.array([1, 2]), np.array(7.0)),
    *(Hostile(), Hostile, Liar(), Whole(5), object, uuid.UUID(int=7), lambda: SECRET, ...),
    *(pa.scalar("a"), pa.scalar(None), pa.scalar(5), pd.Series([1]), pd.DataFrame(), slice(1)),
]

ORDINARY = {
    "whole numbers": [20, 3, 110],
    "numbers": [0.1, 2.5, 20.0],
    "short numbers": [np.float32(0.1), np.float32(0.7), np.float32(20)],
    "large whole numbers": [2**53 + 1, 2**60, 3],
    "truth values": [True, False, True],
    "texts": ["a", "20", "2020-01-04"],
    "bytes": [b"a", b"20", b"?"],
    "exact numbers": [Decimal("0.10"), Decimal("3.00"), Decimal("2.5")],
    "complex numbers": [20 + 0j, 3 + 0j, 0.5 + 0j],
    "days": [dt.date(2020, 1, 4), dt.date(2020, 3, 1), dt.date(1999, 1, 1)],
    "times": [dt.datetime(2020, 1, 4, 5, 6, 7), dt.datetime(2020, 3, 1), dt.datetime(2021, 1, 1)],
    "times of a zone": [
        pd.Timestamp(f"2020-01-0{d} 05:06:07", tz="Europe/Berlin") for d in (1, 2, 3)
    ],
    "NumPy times": [np.datetime64(f"2020-01-0{d}T05") for d in (1, 2, 3)],
    "spans": [dt.timedelta(1), dt.timedelta(2), dt.timedelta(3)],
    "intervals": [pd.Interval(0, 1), pd.Interval(1, 2), pd.Interval(0, 1)],
    "periods": [pd.Period("2020-01"), pd.Period("2020-02"), pd.Period("2020-01")],
    "gaps": [None, None, None],
}
