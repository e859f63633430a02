"""A released table as the kind of frame that was given, in the types that it had.

A type comes back where the frame asked for it by name and it holds every value that the schema
allows: categories, small numbers, the nullable types.  What pandas and polars infer from the
records (int64, float64, bool, object; every type of a date) follows from the schema instead, or
one gap or one odd value among the records would show in the type of a release.  For the same
reason a category lists the levels of the schema, never those that were seen.
"""

from collections.abc import Mapping
from typing import Any, Literal

import pyarrow as pa

from sfumato.schema import Category, Column, Date, Integer, Number, Schema

__all__ = ["Frame", "as_given"]

Frame = Literal["pandas", "polars", "arrow"]  # the kind of table that was given


def as_given(table: pa.Table, frame: Frame, types: Mapping[str, Any], schema: Schema | None) -> Any:
    """The table as such a frame; `types` are those of the frame that was given, by column.

    >>> import pandas as pd
    >>> age = {"kind": "integer", "low": 0, "high": 110}
    >>> schema = Schema.of({"name": "t", "columns": {"age": age}})
    >>> as_given(pa.table({"age": [3]}), "pandas", {"age": pd.Int8Dtype()}, schema)["age"].dtype
    Int8Dtype()
    """
    # Keys are whole numbers, whatever the ids were kept in.
    columns = {} if schema is None else schema.released
    known = {name: kind for name, kind in types.items() if name in columns}
    if frame == "pandas":
        return _pandas(table, known, columns)
    if frame == "polars":
        return _polars(table, known, columns)
    return table


def _pandas(table: pa.Table, types: Mapping[str, Any], columns: Mapping[str, Column]) -> Any:
    """Without a type to go by, those of the schema: not whether a value is missing."""
    import pandas as pd

    nullable = {pa.int64(): pd.Int64Dtype(), pa.bool_(): pd.BooleanDtype()}
    frame = table.to_pandas()
    for item in table.schema:
        values, name = table.column(item.name), item.name
        if isinstance(columns.get(name), Date):
            # Whether a reader found dates, and of which unit and zone, one record decides.
            frame[name] = values.cast(pa.timestamp("us")).to_pandas()
            continue
        if item.nullable and item.type in nullable:
            frame[name] = values.to_pandas(types_mapper=nullable.get)
        kind = _pandas_type(types[name], item, columns[name]) if name in types else None
        if kind is not None:
            frame[name] = frame[name].astype(kind)
    return frame


def _pandas_type(given: Any, item: pa.Field, column: Column) -> Any:
    """The type that a column of pandas goes back to, or None where the schema decides."""
    import pandas as pd

    if isinstance(given, pd.CategoricalDtype):
        return _category(given, item, column) if isinstance(column, Category) else None
    if isinstance(given, pd.ArrowDtype):
        return pd.ArrowDtype(item.type)
    text = isinstance(given, pd.StringDtype)
    # Int64, Float64, boolean, string: asked for by name, though which of them by the records.
    masked = given.na_value is pd.NA if text else hasattr(given, "numpy_dtype")
    if pa.types.is_string(item.type):
        return given if text else pd.StringDtype() if masked else None
    size = getattr(given, "itemsize", 8)
    if not masked and (given.kind not in "iuf" or size >= 8 or item.nullable):
        return None
    if pa.types.is_boolean(item.type):
        return pd.BooleanDtype() if masked else None
    if pa.types.is_int64(item.type):
        fits = given.kind in "iu" and _within(column, 8 * size, given.kind == "i")
        return given if fits else pd.Int64Dtype() if masked else None
    if pa.types.is_float64(item.type):
        fits = given.kind == "f" and _reaches(column, 8 * size)
        return given if fits else pd.Float64Dtype() if masked else None
    return None


def _category(given: Any, item: pa.Field, column: Category) -> Any:
    """The levels of the schema; in the order of those given, where these are all of them."""
    import pandas as pd

    levels, listed = _levels(column, item.type), [str(value) for value in given.categories]
    if given.ordered and sorted(listed) == sorted(map(str, levels)):
        return pd.CategoricalDtype(sorted(levels, key=lambda v: listed.index(str(v))), ordered=True)
    return pd.CategoricalDtype(levels)


def _polars(table: pa.Table, types: Mapping[str, Any], columns: Mapping[str, Column]) -> Any:
    import polars as pl

    frame: Any = pl.from_arrow(table)
    kinds = {
        item.name: _polars_type(types.get(item.name), item, columns[item.name])
        for item in table.schema
        if item.name in columns
    }
    return frame.cast({name: kind for name, kind in kinds.items() if kind is not None})


def _polars_type(given: Any, item: pa.Field, column: Column) -> Any:
    """The type that a column of polars goes back to, or None where the schema decides."""
    import polars as pl

    if isinstance(column, Date):
        return pl.Datetime("us") if column.tells_time else pl.Date
    if given is None:
        return None
    if isinstance(column, Category) and pa.types.is_string(item.type):
        if isinstance(given, pl.Enum):
            levels = _levels(column, item.type)
            alike = sorted(given.categories.to_list()) == sorted(levels)
            return given if alike else pl.Enum(levels)
        return given if given == pl.Categorical else None
    if pa.types.is_int64(item.type) and given.is_integer():
        bits = int(str(given).lstrip("UInt"))
        return given if _within(column, bits, given.is_signed_integer()) else None
    number = pa.types.is_float64(item.type) and given.is_float()
    return given if number and _reaches(column, int(str(given).lstrip("Float"))) else None


def _reaches(column: Column, bits: int) -> bool:
    """Whether floating-point numbers of so many bits go as far as the schema does."""
    if not isinstance(column, Number):
        return False
    return max(abs(column.low), abs(column.high)) < {32: 1e38, 64: 1e308}.get(bits, 0)


def _levels(column: Category, kind: pa.DataType) -> list[Any]:
    """All values of a category as they are released."""
    other = [] if column.other is None else [column.other]
    return [str(v) if pa.types.is_string(kind) else v for v in (*column.values, *other)]


def _within(column: Column, bits: int, signed: bool) -> bool:
    """Whether whole numbers of so many bits hold every value that the schema allows."""
    if isinstance(column, Integer):
        low, high = column.low, column.high
    elif isinstance(column, Category):
        low, high = (int(end(column.values)) for end in (min, max))
    else:
        return False
    return (-(2 ** (bits - 1)) if signed else 0) <= low and high < 2 ** (bits - signed)
