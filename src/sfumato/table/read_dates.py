"""Dates from a column of any stored type, as the number of the step in which each lies.

>>> steps(pa.array(["1970-01-02", "1 June"]), "day")
array([ 1., nan])
"""

from datetime import datetime, timedelta

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sfumato.numeric.arrays import Vector
from sfumato.schema.domain import step_of
from sfumato.schema.schema import Step
from sfumato.table.stored import plain, trimmed
from sfumato.table.value import seconds_of

__all__ = ["steps"]

_DATE = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}"
_NOT_A_TIME = np.iinfo(np.int64).min


def steps(column: pa.Array, step: Step) -> Vector:
    """NOT PRIVATE: the number of the step since 1970; not-a-number where there is no date."""
    moments = _moments(plain(column))
    found = step_of(moments, step).astype(np.float64)
    found[np.isnat(moments)] = np.nan
    return found


def _moments(column: pa.Array) -> NDArray[np.datetime64]:
    """Seconds since 1970 in UTC; not-a-time where there is no date."""
    if pa.types.is_large_string(column.type):
        return _parsed(column)
    if pa.types.is_date32(column.type):
        return seconds_of(np.asarray(column.to_numpy(zero_copy_only=False)))
    if pa.types.is_timestamp(column.type) or pa.types.is_date64(column.type):
        unit = "ms" if pa.types.is_date64(column.type) else column.type.unit
        ticks = np.asarray(column.cast(pa.int64()).fill_null(_NOT_A_TIME))
        return seconds_of(ticks.view(f"datetime64[{unit}]"))
    return np.full(len(column), "NaT", "datetime64[s]")


def _parsed(texts: pa.Array) -> NDArray[np.datetime64]:
    texts = trimmed(texts)
    # Distinct texts are few for dates, and each is read by rules that never raise.
    known = pc.if_else(pc.match_substring_regex(texts, _DATE), texts, None).dictionary_encode()
    moments = [_moment(text) for text in known.dictionary.to_pylist()]
    table = np.array([*moments, np.datetime64("NaT", "s")], "datetime64[s]")
    read: NDArray[np.datetime64] = table[np.asarray(pc.fill_null(known.indices, len(moments)))]
    return read


def _moment(text: str) -> np.datetime64:
    try:
        moment = datetime.fromisoformat(text)
    except (ValueError, OverflowError):
        return np.datetime64("NaT", "s")
    # Python's own conversion to UTC overflows at both ends of the calendar.
    offset = moment.utcoffset() or timedelta(0)
    utc = np.datetime64(moment.replace(tzinfo=None), "us") - np.timedelta64(offset)
    second: np.datetime64 = utc.astype("datetime64[s]")
    return second
