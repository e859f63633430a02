"""Dates from a column of any stored type, and from texts as the schema says they are written.

>>> moments(pa.array(["1970-01-02", "1 June"])).tolist()
[datetime.datetime(1970, 1, 2, 0, 0), None]
>>> moments(pa.array(["03/05/2024", "2024-05-03"]), "%d/%m/%Y").tolist()
[datetime.datetime(2024, 5, 3, 0, 0), None]

Where days are asked for, a date is that of the clock that wrote it, or of the zone that a column
declares: a day must not become the one before because Berlin is ahead of Greenwich.

>>> midnight = pa.array(["2024-05-03 00:00:00+02:00"])
>>> moments(midnight).tolist(), moments(midnight, utc=True).tolist()
([datetime.datetime(2024, 5, 3, 0, 0)], [datetime.datetime(2024, 5, 2, 22, 0)])
"""

import re
from datetime import datetime, timedelta

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sfumato.schema.date_format import read_date
from sfumato.table.read_numbers import numbers
from sfumato.table.stored import decoded, distinct, is_number, plain
from sfumato.table.value import STORED, seconds_of
from sfumato.table.zone import local

__all__ = ["moments"]

Moments = NDArray[np.datetime64]
_ISO = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_NOT_A_TIME = np.iinfo(np.int64).min
_EXACT = 2**53  # whole numbers below it are themselves as floats


def moments(column: pa.Array, form: str | None = None, *, utc: bool = False) -> Moments:
    """NOT PRIVATE: seconds since 1970, as written or in UTC; not-a-time where there is no date.

    Numbers are dates only in a format that writes dates as digits, such as %Y%m%d.
    """
    if pa.types.is_dictionary(column.type):
        places, values = distinct(column)
        found: Moments = moments(values, form, utc=utc)[places]
        return found
    column = plain(column)
    if form is not None and is_number(column.type):
        column = _digits(column)
    if pa.types.is_large_string(column.type):
        return _parsed(column, form, utc)
    if pa.types.is_date32(column.type):
        return seconds_of(np.asarray(column.to_numpy(zero_copy_only=False)))
    if pa.types.is_timestamp(column.type) or pa.types.is_date64(column.type):
        unit = "ms" if pa.types.is_date64(column.type) else column.type.unit
        ticks = np.asarray(column.cast(pa.int64()).fill_null(_NOT_A_TIME))
        found = seconds_of(ticks.view(f"datetime64[{unit}]"))
        zone = getattr(column.type, "tz", None)
        return found if utc or zone is None else local(found, zone)
    return np.full(len(column), "NaT", "datetime64[s]")


def _digits(column: pa.Array) -> pa.Array:
    """Whole numbers as texts; null where there is none."""
    values = numbers(column)
    sound = (values == np.trunc(values)) & (np.abs(values) < _EXACT)
    wholes = np.where(sound, values, 0).astype(np.int64)
    return pa.array(wholes, mask=~sound).cast(pa.large_string())


def _parsed(texts: pa.Array, form: str | None, utc: bool) -> Moments:
    # Distinct texts are few for dates, and each is read by rules that never raise.
    known = texts.dictionary_encode()
    found = [_moment(text, form, utc) for text in decoded(known.dictionary)]
    table = np.array([*found, np.datetime64("NaT", "s")], "datetime64[s]")
    read: Moments = table[np.asarray(pc.fill_null(known.indices, len(found)))]
    return read


def _moment(text: str, form: str | None, utc: bool) -> np.datetime64:
    if form is not None and not text.startswith(STORED):
        moment = read_date(text.strip(), form)
    else:
        moment = _iso(text.strip())
    if moment is None:
        return np.datetime64("NaT", "s")
    # Python's own conversion to UTC overflows at both ends of the calendar.
    offset = (utc and moment.utcoffset()) or timedelta(0)
    found = np.datetime64(moment.replace(tzinfo=None), "us") - np.timedelta64(offset)
    second: np.datetime64 = found.astype("datetime64[s]")
    return second


def _iso(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text) if _ISO.match(text) else None
    except (ValueError, OverflowError):
        return None
