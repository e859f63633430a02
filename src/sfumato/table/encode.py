"""Records to the public integer grid.

Encoding never fails on a value: what is outside the range is clipped, what cannot be read
is mapped into the domain, and no message, type or exit depends on a record.  The work
on a value looks at that value alone, so codes are the same for every order and batching.

>>> import pyarrow as pa
>>> from sfumato.schema import Schema
>>> domain = Domain.of(Schema.of({"name": "t", "columns": {
...     "age": {"kind": "integer", "low": 0, "high": 110},
...     "ward": {"kind": "category", "values": ["a", "b"], "other": "else"}}}))
>>> encode(domain, pa.RecordBatch.from_pydict({"age": [7, 900, None], "ward": ["b", "?", ""]}))
array([[  7,   1],
       [110,   2],
       [ 55,   2]], dtype=int32)
"""

import re
from collections.abc import Callable
from datetime import datetime, timedelta

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sfumato.numeric.arrays import Codes
from sfumato.schema import Boolean, Date
from sfumato.schema.domain import MISSING, Axis, Domain, Grid, Levels, step_of
from sfumato.table.grid import on_grid
from sfumato.table.value import seconds_of, text_of

__all__ = ["encode", "listed", "moments", "numbers", "texts"]


_NUMBER = r"^[+-]?([0-9]{1,300}\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,2})?$"
_DATE = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}"
_WHOLE = re.compile(r"[+-]?[0-9]+\.0+")
_NOT_A_TIME = np.iinfo(np.int64).min
_TRUE, _FALSE = ("true", "t", "yes", "y", "1", "1.0"), ("false", "f", "no", "n", "0", "0.0")


def encode(domain: Domain, batch: pa.RecordBatch) -> Codes:
    """NOT PRIVATE: one row of codes per record, one column per axis of the domain."""
    codes = np.empty((batch.num_rows, len(domain.axes)), np.int32, order="F")
    for j, axis in enumerate(domain.axes):
        _write(codes[:, j], axis, batch.column(axis.name))
    return codes


def _write(codes: Codes, axis: Axis, column: pa.Array) -> None:
    if pa.types.is_dictionary(column.type):
        distinct, values = _distinct(column)
        each = np.empty(len(values), np.int32)
        _write(each, axis, values)
        codes[:] = each[distinct]
    elif isinstance(axis, Grid):
        if isinstance(axis.column, Date):
            values, low, high = _dates(axis.column, _plain(column))
        else:
            values, low, high = numbers(column), float(axis.column.low), float(axis.column.high)
        unusable = MISSING if axis.missing else axis.middle
        on_grid(codes, values, low, high, axis.points, unusable)
    else:
        read = _truths if isinstance(axis.column, Boolean) else _levels
        codes[:] = read(axis, _plain(column))


def _distinct(column: pa.DictionaryArray) -> tuple[NDArray[np.int64], pa.Array]:
    """For each row the place of its value among those that occur, the last of which is missing.

    Not spread out: a long text of many rows would fill the memory.
    """
    places, values = column.indices.dictionary_encode(), column.dictionary
    if pa.types.is_string_view(values.type):  # which Arrow cannot pick from
        values = values.cast(pa.large_string())
    values = values.take(places.dictionary)
    gap = pa.nulls(1, values.type)
    return np.asarray(pc.fill_null(places.indices, len(values))), pa.concat_arrays([values, gap])


def _plain(column: pa.Array) -> pa.Array:
    """Texts of every width and short decimals as ordinary arrays; nulls where no kind fits."""
    kind = column.type
    if pa.types.is_decimal(kind):
        short = kind.bit_width < 128
        return column.cast(pa.decimal128(kind.precision, kind.scale)) if short else column
    if pa.types.is_string(kind) or pa.types.is_string_view(kind):
        # The wide one has no bound on the bytes of all its rows together.
        return column.cast(pa.large_string())
    plain = pa.types.is_large_string(kind) or pa.types.is_boolean(kind) or _is_number(kind)
    plain = plain or pa.types.is_timestamp(kind) or pa.types.is_date(kind)
    return column if plain else pa.nulls(len(column))


def numbers(column: pa.Array) -> NDArray[np.float64]:
    """NOT PRIVATE: values as float64, not-a-number where they cannot be read."""
    if pa.types.is_dictionary(column.type):
        distinct, values = _distinct(column)
        return numbers(values)[distinct]
    column = _plain(column)
    if pa.types.is_large_string(column.type):
        column = _parsed_numbers(column)
    elif pa.types.is_boolean(column.type):
        column = column.cast(pa.int8())
    elif not (_is_number(column.type) or pa.types.is_decimal(column.type)):
        return np.full(len(column), np.nan)
    column = column.cast(pa.float64(), safe=False)
    if column.null_count:
        column = pc.fill_null(column, float("nan"))
    return np.asarray(column.to_numpy(zero_copy_only=False))


def moments(column: pa.Array) -> NDArray[np.datetime64]:
    """NOT PRIVATE: seconds since 1970 in UTC, not-a-time where they cannot be read."""
    if pa.types.is_dictionary(column.type):
        distinct, values = _distinct(column)
        found: NDArray[np.datetime64] = moments(values)[distinct]
        return found
    return _moments(_plain(column))


def texts(column: pa.Array) -> tuple[NDArray[np.int64], list[str]]:
    """NOT PRIVATE: for each row the place of its trimmed text; "" where it is missing."""
    if pa.types.is_dictionary(column.type):
        distinct, values = _distinct(column)
        places, found = texts(values)
        return places[distinct], found
    column = _plain(column)
    if pa.types.is_large_string(column.type):
        column = _readable(column)
    elif pa.types.is_timestamp(column.type) or pa.types.is_date(column.type):
        column = pa.nulls(len(column))
    coded = column.dictionary_encode()
    found = [(text_of(value) or "").strip() for value in coded.dictionary.to_pylist()]
    return np.asarray(pc.fill_null(coded.indices, len(found)), np.int64), [*found, ""]


def _parsed_numbers(texts: pa.Array) -> pa.Array:
    texts = pc.utf8_trim_whitespace(_readable(texts))
    readable = pc.match_substring_regex(texts, _NUMBER)
    numbers = pc.if_else(readable, texts, None).cast(pa.float64())
    # Infinities, booleans and exponents of three digits are rare: each by itself.
    rest = np.asarray(pc.fill_null(pc.invert(readable), False).to_numpy(zero_copy_only=False))
    if not rest.any():
        return numbers
    values = np.array(numbers.to_numpy(zero_copy_only=False), dtype=np.float64)
    values[rest] = [_float(text) for text in texts.filter(pa.array(rest)).to_pylist()]
    return pa.array(values, from_pandas=True)


def _float(text: str) -> float:
    try:
        # Booleans count as 1 and 0 when they are stored as such, so also when written out.
        return float({"true": "1", "false": "0"}.get(text.lower(), text))
    except ValueError:
        return float("nan")


def _readable(texts: pa.Array) -> pa.Array:
    """Text whose bytes are UTF-8; other bytes make the value unreadable, not the file."""
    try:
        texts.validate(full=True)
    except pa.ArrowInvalid:
        raw = texts.cast(pa.large_binary()).to_pylist()
        return pa.array([text_of(value) for value in raw], pa.large_string())
    return texts


def _truths(axis: Levels, column: pa.Array) -> Codes:
    if not pa.types.is_large_string(column.type):
        return _of_numbers(axis, numbers(column))
    texts = pc.utf8_lower(pc.utf8_trim_whitespace(_readable(column)))
    true, false = (
        np.asarray(pc.is_in(texts, pa.array(words, texts.type)).to_numpy(zero_copy_only=False))
        for words in (_TRUE, _FALSE)
    )
    codes = np.where(true, 1, np.where(false, 0, axis.unusable)).astype(np.int32)
    rest = ~(true | false)
    if rest.any():  # numbers in other spellings, as where the column holds numbers
        codes[rest] = _of_numbers(axis, numbers(texts.filter(pa.array(rest))))
    return codes


def _of_numbers(axis: Levels, values: NDArray[np.float64]) -> Codes:
    return np.where(values == 1, 1, np.where(values == 0, 0, axis.unusable)).astype(np.int32)


def _levels(axis: Levels, column: pa.Array) -> Codes:
    """Position of each value in the list, compared as trimmed text."""
    if pa.types.is_large_string(column.type):
        column = _readable(column)
    elif pa.types.is_timestamp(column.type) or pa.types.is_date(column.type):
        column = pa.nulls(len(column))
    # A few distinct values are converted once each; most columns have far fewer than rows.
    distinct = column.dictionary_encode()
    texts = [(text_of(value) or "").strip() for value in distinct.dictionary.to_pylist()]
    found_in = listed(axis)
    known = [found_in(text, axis.unknown) if text else axis.unusable for text in texts]
    codes = np.array([*known, axis.unusable], np.int32)
    found: Codes = codes[np.asarray(pc.fill_null(distinct.indices, len(known)))]
    return found


def listed(axis: Levels) -> Callable[[str, int], int]:
    """Where a trimmed text stands in the list of levels; else what is said instead."""
    exact = {str(value).strip(): code for code, value in enumerate(axis.values)}
    position = {_whole(text): code for text, code in exact.items()} | exact
    return lambda text, unknown: position.get(text, position.get(_whole(text), unknown))


def _whole(text: str) -> str:
    """3.0 as 3: a gap in a column of whole numbers turns them into floats."""
    return text.partition(".")[0] if _WHOLE.fullmatch(text) else text


def _dates(declared: Date, column: pa.Array) -> tuple[NDArray[np.float64], float, float]:
    """The number of the step in which each date lies, not-a-number without one; first and last."""
    moments = _moments(column)
    unusable = np.isnat(moments)
    low, high = (np.datetime64(moment, "s") for moment in (declared.low, declared.high))
    inside = np.clip(np.where(unusable, low, moments), low, high)
    first, last = (int(step_of(np.array([m]), declared.step)[0]) for m in (low, high))
    steps = step_of(inside, declared.step).astype(np.float64)
    steps[unusable] = np.nan
    return steps, float(first), float(last)


def _moments(column: pa.Array) -> NDArray[np.datetime64]:
    """Seconds since 1970 in UTC; not-a-time where there is no date."""
    if pa.types.is_large_string(column.type):
        return _parsed_dates(column)
    if pa.types.is_date32(column.type):
        return seconds_of(np.asarray(column.to_numpy(zero_copy_only=False)))
    if pa.types.is_timestamp(column.type) or pa.types.is_date64(column.type):
        unit = "ms" if pa.types.is_date64(column.type) else column.type.unit
        ticks = np.asarray(column.cast(pa.int64()).fill_null(_NOT_A_TIME))
        return seconds_of(ticks.view(f"datetime64[{unit}]"))
    return np.full(len(column), "NaT", "datetime64[s]")


def _parsed_dates(texts: pa.Array) -> NDArray[np.datetime64]:
    texts = pc.utf8_trim_whitespace(_readable(texts))
    # Distinct texts are few for dates, and each is read by rules that never raise.
    distinct = pc.if_else(pc.match_substring_regex(texts, _DATE), texts, None).dictionary_encode()
    moments = [_moment(text) for text in distinct.dictionary.to_pylist()]
    table = np.array([*moments, np.datetime64("NaT", "s")], "datetime64[s]")
    read: NDArray[np.datetime64] = table[np.asarray(pc.fill_null(distinct.indices, len(moments)))]
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


def _is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))
