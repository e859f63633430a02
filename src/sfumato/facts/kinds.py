"""Kinds of columns as a file or frame stores them: what a header says, and no record."""

from typing import Any

import pyarrow as pa

from sfumato.errors import DataError
from sfumato.table.source import Source

__all__ = ["kinds_of"]


def kinds_of(source: Source, name: str) -> dict[str, Any]:
    """A schema of nothing but kinds; refused where the header does not say them.

    >>> from sfumato.table.source import open_source
    >>> kinds_of(open_source(pa.table({"a": [1.5], "b": [True]})), "t")["columns"]
    {'a': {'kind': 'number'}, 'b': {'kind': 'boolean'}}
    """
    types = source.types
    unknown = [column for column in source.names if _kind(types.get(column)) is None]
    if unknown:
        some = len(unknown) < len(source.names)
        which = f"column {', '.join(unknown)}" if some else "any column"
        raise DataError(
            f"the header does not say of what kind {which} is: number, date, category or another. "
            "Write the kinds into a schema (sfumato schema wizard, or sfumato schema draft) and "
            "give that: --schema; in Python, schema={'name': …, 'columns': {'age': {'kind': "
            "'integer'}, …}}, or a polars frame or Arrow table, whose types no record decides"
        )
    return {"name": name, "columns": {c: {"kind": _kind(types[c])} for c in source.names}}


def _kind(stored: pa.DataType | None) -> str | None:
    kinds = pa.types
    if stored is None:
        return None
    if kinds.is_dictionary(stored):
        return _kind(stored.value_type)
    if kinds.is_boolean(stored):
        return "boolean"
    if kinds.is_integer(stored):
        return "integer"
    if kinds.is_floating(stored) or kinds.is_decimal(stored):
        return "number"
    if kinds.is_timestamp(stored) or kinds.is_date(stored):
        return "date"
    text = kinds.is_string(stored) or kinds.is_large_string(stored)
    return "category" if text or kinds.is_string_view(stored) else None
