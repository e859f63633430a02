"""A column of a frame or an array as Arrow, by its type alone.

Columns of numbers, truth values, dates and texts are converted as they stand; Python objects
become texts, one by one, so that none decides how another is stored.  Nothing here raises
because of a value.
"""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import timezone
from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.table.value import UNREADABLE, seconds_of, text_among_texts
from sfumato.table.zone import is_known

__all__ = ["arrow_of", "declared_type", "guessed_kind", "of_array", "of_objects"]


def arrow_of(series: nw.Series[Any]) -> pa.Array | pa.ChunkedArray:
    """NOT PRIVATE: a column of a pandas or polars frame.

    >>> import pandas as pd
    >>> mixed = nw.from_native(pd.Series([1, "x", None], dtype=object), series_only=True)
    >>> arrow_of(mixed).to_pylist()
    ['1', 'x', None]
    """
    if series.implementation.is_pyarrow():
        return series.to_native()
    if not series.implementation.is_polars():
        return _of_pandas(series.to_native())
    if series.dtype == nw.Object:
        return of_objects(series.to_list())
    if series.dtype in (nw.Int128, nw.UInt128):  # which Arrow has not
        series = series.cast(nw.String)
    return series.to_arrow()


def of_array(values: NDArray[Any]) -> pa.Array:
    """NOT PRIVATE: a column of an array of any type that NumPy has.

    >>> of_array(np.array([20, 1 + 2j])).to_pylist()
    ['20', '\\x1f\ufffd']
    """
    values = values.astype(values.dtype.newbyteorder("="), copy=False)
    kind = values.dtype.kind
    if kind == "M":
        return pa.array(seconds_of(values))
    if kind == "m":
        return pa.nulls(len(values), pa.duration("s"))  # refused by its type where it is read
    if kind in "cf" and values.dtype.itemsize > 8:
        with np.errstate(over="ignore"):  # beyond the largest number lies infinity
            values = values.astype(np.complex128 if kind == "c" else np.float64)
    # Of complex numbers each by itself: some are numbers, beside others that are none.
    return pa.array(values) if kind in "biuf" else of_objects(values.tolist())


def of_objects(values: Iterable[Any]) -> pa.Array:
    """NOT PRIVATE: a column of Python objects as texts, each by itself.

    >>> of_objects([1.0, None, [1, 2]]).to_pylist()
    ['1', None, '[1, 2]']
    """
    values = list(values)
    try:
        # Texts, bytes and gaps, which Arrow takes as they are; it stops at all else.
        return pa.array(values, pa.large_string(), from_pandas=True)
    except Exception:  # whatever an object does when it is looked at
        return pa.array([text_among_texts(value) for value in values], pa.large_string())


def declared_type(series: nw.Series[Any]) -> pa.DataType | None:
    """The type that a column declares; None where a single record may have decided it.

    pandas infers numbers, objects and texts from whatever it is given, so those say nothing.
    Dates, spans and intervals say something.
    """
    if series.implementation.is_polars():
        return arrow_of(series.head(0)).type
    kind = _stored(series.to_native())
    return None if _says_nothing(kind) else kind


def guessed_kind(series: nw.Series[Any]) -> str | None:
    """NumPy's letter where pandas may have taken texts for truth values or numbers; else None."""
    if not series.implementation.is_pandas_like():
        return None
    dtype = series.to_native().dtype
    kind = getattr(getattr(dtype, "categories", None), "dtype", dtype).kind
    return str(kind) if kind in "biufc" else None


def _of_pandas(column: Any) -> pa.Array | pa.ChunkedArray:
    import pandas as pd

    dtype = column.dtype
    if isinstance(dtype, np.dtype):
        return of_array(column.to_numpy())
    if isinstance(dtype, pd.CategoricalDtype):
        places = column.cat.codes.to_numpy()
        values = _of_pandas(column.cat.categories.to_series())
        values = values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
        return pa.DictionaryArray.from_arrays(pa.array(places, mask=places < 0), values)
    if isinstance(dtype, pd.DatetimeTZDtype) and (zone := _zone_of(dtype)) is not None:
        utc = of_array(np.asarray(column, dtype=f"datetime64[{dtype.unit}]"))
        return utc.cast(pa.timestamp("s", zone))
    if isinstance(dtype, pd.SparseDtype):
        return of_array(np.asarray(column))
    if isinstance(dtype, pd.StringDtype | pd.ArrowDtype) or hasattr(dtype, "numpy_dtype"):
        with suppress(UnicodeError, pa.ArrowException):  # half a character, kept as a Python text
            return pa.array(column.array)
    return of_objects(_one_by_one(column.array))


def _zone_of(dtype: Any) -> str | None:
    """The name of a zone of pandas; None where it has none, so that texts must do."""
    # Of others Arrow takes what the zone calls itself, which may be the name of another.
    if not (
        isinstance(dtype.tz, timezone) or hasattr(dtype.tz, "key") or hasattr(dtype.tz, "zone")
    ):
        return None
    with suppress(pa.ArrowException, ValueError, TypeError):
        zone = str(pa.lib.tzinfo_to_string(dtype.tz))
        return zone if is_known(zone) else None
    return None


def _one_by_one(array: Any) -> Iterator[Any]:
    """The values of an array of pandas, with a mark where one cannot even be taken out."""
    for place in range(len(array)):
        try:
            yield array[place]
        except Exception:  # a time of day that its zone does not reach
            yield UNREADABLE


def _stored(column: Any) -> pa.DataType:
    """The type that a column of pandas has in Arrow, by pandas's own account if it has one."""
    if hasattr(column, "cat"):
        column = column.cat.categories[:0].to_series()
        return _of_pandas(column).type  # intervals as the labels that they are
    if not isinstance(column.dtype, np.dtype) and not hasattr(column.dtype, "tz"):
        with suppress(pa.ArrowException, TypeError, ValueError):  # not a type that Arrow has
            return pa.array(column.array[:0]).type
    return _of_pandas(column.iloc[:0]).type


def _says_nothing(kind: pa.DataType) -> bool:
    texts = ("string", "large_string", "string_view")
    tests = ("integer", "floating", "decimal", "boolean", "null", *texts)
    return any(getattr(pa.types, f"is_{test}")(kind) for test in tests)
