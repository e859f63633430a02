"""What a header must be like for a schema; no record is looked at.

Types that a frame or file declares are public, so a column stored as the wrong kind is refused.
So is a column of numbers for a category with levels that numbers cannot spell, such as 007:
with one text among the records, or one gap, pandas would have stored the column otherwise.
"""

from math import inf
from typing import Any

import pyarrow as pa

from sfumato.errors import DataError
from sfumato.schema import Category, Date
from sfumato.schema.domain import Axis, Domain, Levels
from sfumato.table.read_levels import listed
from sfumato.table.source import Frame, Source, told
from sfumato.table.text import TextFile
from sfumato.table.value import text_of

__all__ = ["check_header", "check_spelling", "check_types"]


def check_header(source: Source, domain: Domain, *, alone: bool = False) -> None:
    """Refuse a table whose header does not fit the schema; looks at no record.

    `alone`: each record is published by itself, so that there may be a single one.
    """
    declared = set(domain.schema.columns)
    present = set(source.names)
    absent = [name for name in domain.schema.released if name not in present]
    if absent:
        which = "column" if len(absent) == 1 else "columns"
        raise DataError(f"{which} {', '.join(absent)} of the schema: not in the data; check names")
    extra = [name for name in source.names if name not in declared]
    if extra:
        raise DataError(
            f"column {', '.join(extra)} is not in the schema: declare it (kind: id is never "
            "read) or drop it"
        )
    check_types(source, domain)
    # Under add-remove the number of records is private: even an empty table is published.
    if domain.schema.neighbours == "replace-one":
        if not told(lambda: source.has_rows(1 if alone else 2)):
            few = "no record" if alone else "fewer than two records: at least two are needed"
            raise DataError(f"the data has {few}")
        if isinstance(source, TextFile) and not told(source.is_terminated):
            raise DataError(
                f"{source.path} does not end with a line break, so that an empty last record could "
                "not be told from none: add a line break at its end"
            )


def check_types(source: Source, domain: Domain) -> None:
    """Refuse columns that are stored as something else than the schema declares."""
    types = source.types
    for axis in domain.axes:
        kind = types.get(axis.name)
        if kind is not None and not _fits(axis.column, kind):
            raise DataError(
                f"column {axis.name} is declared {axis.column.kind} but stored as {kind}: "
                "convert it or correct its kind"
            )
    if isinstance(source, Frame):
        for axis in domain.axes:
            check_spelling(axis, source.guessed.get(axis.name))


def check_spelling(axis: Axis, kind: str | None) -> None:
    """Refuse a category whose column may have lost one of its levels on the way to numbers.

    Beside numbers, pandas reads 007 as 7, and beside a gap it rounds whole numbers beyond 2^53.
    `kind` is NumPy's letter for the type of the column: b for truth values, i u f c for numbers;
    None where texts have stayed texts.

    >>> from sfumato.schema import Schema
    >>> agents = Domain.of(Schema.of({"name": "t", "columns": {
    ...     "agent": {"kind": "category", "values": ["006", "007"]}}})).axes[0]
    >>> check_spelling(agents, None)
    >>> check_spelling(agents, "i")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    sfumato.errors.DataError: column agent has the level 006, which a column of numbers loses: ...
    """
    if kind is None or not isinstance(axis, Levels) or not isinstance(axis.column, Category):
        return
    found, what = listed(axis), "truth values" if kind == "b" else "numbers"
    as_stored = _truth if kind == "b" else _number
    for code, level in enumerate(str(value).strip() for value in axis.values):
        if found(as_stored(level), -1) != code:
            raise DataError(
                f"column {axis.name} has the level {level}, which a column of {what} loses: read "
                f"it as text (with pandas, dtype={{{axis.name!r}: str}})"
            )


def _truth(level: str) -> str:
    """What a level reads as where it was taken for a truth value."""
    return level.capitalize() if level.lower() in ("true", "false") else level


def _number(level: str) -> str:
    """What a level reads as where it was taken for a number; nothing where others read the same."""
    if level.lower() in ("true", "false"):
        return ""
    try:
        number = float(level)
    except ValueError:
        return level
    return "" if 2**53 <= abs(number) < inf else text_of(number) or level


def _fits(column: Any, kind: pa.DataType) -> bool:
    if pa.types.is_dictionary(kind):
        return _fits(column, kind.value_type)
    number = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    text = pa.types.is_string(kind) or pa.types.is_large_string(kind)
    text = text or pa.types.is_string_view(kind)
    if pa.types.is_null(kind) or text:
        return True
    if isinstance(column, Date):
        return bool(pa.types.is_timestamp(kind) or pa.types.is_date(kind))
    return bool(number or pa.types.is_boolean(kind))
