"""Whole numbers that are stored as such, to the codes of a grid whose step is one.

Straight from what is stored: the code is the distance from the low end.  Whatever is not stored as
whole numbers, or lies on another grid, takes the way through floats; both give the same codes.

>>> from sfumato.schema import Schema
>>> from sfumato.schema.domain import Domain
>>> (age,) = Domain.of(Schema.of({"name": "t", "columns": {
...     "age": {"kind": "integer", "low": 10, "high": 99}}})).axes
>>> codes = np.empty(3, np.int32)
>>> write_whole(codes, None, age, pa.array([12, 700, None])), codes.tolist()
(True, [2, 89, 44])
"""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sfumato.numeric.arrays import Codes
from sfumato.schema import Integer
from sfumato.schema.domain import MISSING, Grid
from sfumato.table.complaint import Complaint, Complaints, against_unread

__all__ = ["write_whole"]

_EXACT = 2**53  # up to which floats, too, tell whole numbers apart


def write_whole(codes: Codes, complaints: Complaints | None, axis: Grid, column: pa.Array) -> bool:
    """NOT PRIVATE: the code of each value and, where asked, what is said against it.

    False, and nothing is written, where the column is not of this kind: by its type alone.
    """
    declared = axis.column
    if not isinstance(declared, Integer) or not pa.types.is_integer(column.type):
        return False
    low, high = int(declared.low), int(declared.high)
    held = np.iinfo(column.type.to_pandas_dtype())
    ends = max(low, held.min), min(high, held.max)
    plain = axis.points == high - low and max(-low, high) <= _EXACT and not declared.missing_words
    if not plain or ends[0] > ends[1]:
        return False
    some = bool(column.null_count)
    full = pc.fill_null(column, pa.scalar(ends[0], column.type)) if some else column
    _write(codes, complaints, np.asarray(full.to_numpy(zero_copy_only=False)), low, ends)
    if some:
        gaps = np.asarray(column.is_null().to_numpy(zero_copy_only=False))
        codes[gaps] = MISSING if axis.missing else axis.middle
        if complaints is not None:
            complaints[gaps] = against_unread(gaps[gaps], allowed=axis.missing)
    return True


def _write(
    codes: Codes,
    complaints: Complaints | None,
    values: NDArray[np.integer],
    low: int,
    ends: tuple[int, int],
) -> None:
    """`ends` are those of the range, as far as the stored type reaches."""
    if complaints is not None:
        complaints[:] = Complaint.FITS
    if len(values) and not ends[0] <= values.min() <= values.max() <= ends[1]:
        if complaints is not None:
            complaints[values < ends[0]] = Complaint.BELOW
            complaints[values > ends[1]] = Complaint.ABOVE
        values = np.clip(values, *ends)
    # In 64 bits: a short type may not reach from one end to the other.
    np.subtract(values, low, out=codes, dtype=np.int64, casting="unsafe")
