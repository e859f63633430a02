"""What a header must be like for a schema; no record is looked at.

Types that a frame or file declares are public, so a column stored as the wrong kind is refused.
So is a column of numbers in pandas for a category with levels that numbers cannot spell, such as
007: one text among the records, or one gap, and pandas would have stored the column otherwise.
"""

from collections.abc import Iterable
from typing import Any

import pyarrow as pa

from sfumato.domain import Axis, Domain, Levels
from sfumato.errors import DataError
from sfumato.schema import Category, Date
from sfumato.table.encode import listed
from sfumato.table.source import Frame, Source, has_rows
from sfumato.table.text import TextFile
from sfumato.table.value import text_of

__all__ = ["check_header", "check_spelling", "check_types"]


def check_header(source: Source, domain: Domain) -> None:
    """Refuse a table whose header does not fit the schema; looks at no record."""
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
        if not has_rows(source, 2):
            raise DataError("the data has fewer than two records: there is nobody to hide among")
        if isinstance(source, TextFile) and not source.is_terminated():
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
        check_spelling(axis for axis in domain.axes if axis.name in source.guessed)


def check_spelling(numbers: Iterable[Axis]) -> None:
    """Refuse categories given as numbers with a level that would not come back from a number.

    pandas reads 007 as 7, and beside a gap it rounds whole numbers beyond 2^53.

    >>> from sfumato.schema import Schema
    >>> domain = Domain.of(Schema.of({"name": "t", "columns": {
    ...     "agent": {"kind": "category", "values": ["006", "007"]}}}))
    >>> try:
    ...     check_spelling(domain.axes)
    ... except DataError as error:
    ...     print(str(error).partition(",")[0])
    column agent has the level 006
    """
    for axis in numbers:
        if isinstance(axis, Levels) and isinstance(axis.column, Category):
            found = listed(axis)
            for code, level in enumerate(map(str, axis.values)):
                if found(_as_stored(level.strip()), -1) != code:
                    raise DataError(
                        f"column {axis.name} has the level {level}, which is lost where the column "
                        "is stored as numbers or truth values: read it as text (with pandas, "
                        f"dtype={{{axis.name!r}: str}})"
                    )


def _as_stored(level: str) -> str:
    """What a level reads as after pandas has taken it for a number or a truth value."""
    if level.lower() in ("true", "false"):
        return str(level.lower() == "true")
    try:
        return text_of(float(level)) or level
    except ValueError:
        return level


def _fits(column: Any, kind: pa.DataType) -> bool:
    if pa.types.is_dictionary(kind) or pa.types.is_run_end_encoded(kind):
        return _fits(column, kind.value_type)
    number = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    text = pa.types.is_string(kind) or pa.types.is_large_string(kind)
    text = text or pa.types.is_string_view(kind)
    if pa.types.is_null(kind) or text:
        return True
    if isinstance(column, Date):
        return bool(pa.types.is_timestamp(kind) or pa.types.is_date(kind))
    return bool(number or pa.types.is_boolean(kind))
