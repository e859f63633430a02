"""How columns of PostgreSQL are asked for, and read: no value makes a query or a reading fail.

Dates and moments are cut to the years 1 to 9999, which no range leaves: `infinity` would overflow
on the way.  `numeric` comes as text and becomes the decimal that its declaration says; one that is
declared without digits is read as a float.
"""

from collections.abc import Callable
from functools import partial

import pyarrow as pa
import pyarrow.compute as pc

from sfumato.table.read_numbers import numbers
from sfumato.table.sql.name import quoted
from sfumato.table.sql.stored import StoredColumn
from sfumato.table.sql.unread import UnreadType

__all__ = ["column_of"]

_AS_THEY_ARE = {
    "bool": pa.bool_(),
    "int2": pa.int16(),
    "int4": pa.int32(),
    "int8": pa.int64(),
    "float4": pa.float32(),
    "float8": pa.float64(),
}
_MOMENTS = {
    "date": pa.date32(),
    "timestamp": pa.timestamp("us"),
    "timestamptz": pa.timestamp("us", "UTC"),
}
_TEXTS = ("text", "varchar", "bpchar", "name", "citext", "char", "uuid")
_REFUSED = {"time": pa.time64("us"), "interval": pa.duration("us")}  # with their remedies
_MOST_DIGITS = 76  # of Arrow's decimals


def column_of(name: str, kind: str, said: str, *, enum: bool, modifier: int) -> StoredColumn:
    """A column by the name of its type, as the catalog has it; `said`: as people are told.

    >>> column_of("age", "int4", "integer", enum=False, modifier=-1).asked
    '"age"::pg_catalog.int4'
    >>> column_of("cost", "numeric", "numeric", enum=False, modifier=(8 << 16 | 2) + 4).type
    Decimal128Type(decimal128(8, 2))
    """
    bare = quoted(name)
    if kind in _AS_THEY_ARE:
        return StoredColumn(name, _AS_THEY_ARE[kind], f"{bare}::pg_catalog.{kind}")
    if kind in _MOMENTS:
        return StoredColumn(name, _MOMENTS[kind], _within_years(bare, kind))
    if enum or kind in _TEXTS:
        return StoredColumn(name, pa.string(), f"{bare}::pg_catalog.text")
    if kind == "oid":
        return StoredColumn(name, pa.int64(), f"{bare}::pg_catalog.int8")
    if kind == "numeric":
        stored = _decimal(modifier)
        read: Callable[[pa.Array], pa.Array] = (
            _floats if stored is None else partial(_exact, stored)
        )
        return StoredColumn(name, stored or pa.float64(), f"{bare}::pg_catalog.text", read)
    return StoredColumn(name, _REFUSED.get(kind) or UnreadType(said), bare)


def _within_years(bare: str, kind: str) -> str:
    moment = "" if kind == "date" else " 00:00:00"
    last = "" if kind == "date" else " 23:59:59"
    zone = "+00" if kind == "timestamptz" else ""
    low, high = f"'0001-01-01{moment}{zone}'", f"'9999-12-31{last}{zone}'"
    low, high = (f"{end}::pg_catalog.{kind}" for end in (low, high))
    value = f"{bare}::pg_catalog.{kind}"
    return (
        f"CASE WHEN {value} OPERATOR(pg_catalog.<) {low} THEN {low} "
        f"WHEN {value} OPERATOR(pg_catalog.>) {high} THEN {high} ELSE {value} END"
    )


def _decimal(modifier: int) -> pa.DataType | None:
    """The type of numeric(digits, places), which the catalog keeps in one number."""
    digits, places = (modifier - 4) >> 16, (modifier - 4) & 0x7FF
    if modifier < 4 or not 0 <= places <= digits <= _MOST_DIGITS:
        return None  # undeclared, or with places that Arrow does not know
    return pa.decimal128(digits, places) if digits <= 38 else pa.decimal256(digits, places)


def _exact(stored: pa.DataType, texts: pa.Array) -> pa.Array:
    """What numeric has beside numbers, not-a-number, is missing here as it is among floats."""
    return pc.if_else(pc.equal(texts, "NaN"), None, texts).cast(stored)


def _floats(texts: pa.Array) -> pa.Array:
    return pa.array(numbers(texts), from_pandas=True)
