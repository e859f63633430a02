"""Records to the public integer grid.

Encoding never fails on a value: what is outside the range is clipped, what cannot be read
is mapped into the domain, and no message, type or exit depends on a record.  The work
on a value looks at that value alone, so codes are the same for every order and batching.
What does not fit is told, value by value, only to those who ask with `read`.

>>> import pyarrow as pa
>>> from sfumato.schema import Schema
>>> from sfumato.table.complaint import Complaint
>>> domain = Domain.of(Schema.of({"name": "t", "columns": {
...     "age": {"kind": "integer", "low": 0, "high": 110},
...     "ward": {"kind": "category", "values": ["a", "b"], "other": "else"}}}))
>>> batch = pa.RecordBatch.from_pydict({"age": [7, 900, None], "ward": ["b", "?", ""]})
>>> encode(domain, batch)
array([[  7,   1],
       [110,   2],
       [ 55,   2]], dtype=int32)
>>> [[Complaint(said).words for said in record] for record in read(domain, batch)[1]]
[['fits', 'fits'], ['above', 'fits'], ['missing', 'missing']]
"""

import numpy as np
import pyarrow as pa

from sfumato.numeric.arrays import Codes, Mask, Vector
from sfumato.schema import Boolean, Date, Integer, Number
from sfumato.schema.domain import MISSING, Axis, Domain, Grid, step_of
from sfumato.schema.written_number import written_in
from sfumato.table.complaint import TORN, Complaint, Complaints, against_numbers, against_unread
from sfumato.table.grid import on_grid
from sfumato.table.missing_word import said_missing
from sfumato.table.read_dates import moments
from sfumato.table.read_levels import write_levels, write_truths
from sfumato.table.read_numbers import numbers
from sfumato.table.read_whole import write_whole
from sfumato.table.stored import absent, distinct

__all__ = ["encode", "read"]

_SINGLE = 1e-7  # of a number at most: what is lost where it is kept in 32 bits


def encode(domain: Domain, batch: pa.RecordBatch) -> Codes:
    """NOT PRIVATE: one row of codes per record, one column per axis of the domain."""
    codes = np.empty((batch.num_rows, len(domain.axes)), np.int32, order="F")
    for j, axis in enumerate(domain.axes):
        _write(codes[:, j], None, axis, batch.column(axis.name))
    return codes


def read(domain: Domain, batch: pa.RecordBatch) -> tuple[Codes, Complaints]:
    """NOT PRIVATE: the codes that `encode` gives, and for each value what is said against it."""
    codes = np.empty((batch.num_rows, len(domain.axes)), np.int32, order="F")
    complaints = np.empty(codes.shape, np.uint8, order="F")
    torn = batch.schema.metadata == TORN
    for j, axis in enumerate(domain.axes):
        _write(codes[:, j], complaints[:, j], axis, batch.column(axis.name))
        if torn:
            gaps = batch.column(axis.name).is_null()
            complaints[np.asarray(gaps.to_numpy(zero_copy_only=False)), j] = Complaint.UNREADABLE
    return codes, complaints


def _write(codes: Codes, complaints: Complaints | None, axis: Axis, column: pa.Array) -> None:
    if pa.types.is_dictionary(column.type):
        places, values = distinct(column)
        each = np.empty(len(values), np.int32)
        said = None if complaints is None else np.empty(len(values), np.uint8)
        _write(each, said, axis, values)
        each.take(places, out=codes, mode="clip")
        if complaints is not None and said is not None:
            said.take(places, out=complaints, mode="clip")
    elif isinstance(axis, Grid):
        if not write_whole(codes, complaints, axis, column):
            _write_grid(codes, complaints, axis, column)
    elif isinstance(axis.column, Boolean):
        write_truths(codes, complaints, axis, column)
    else:
        write_levels(codes, complaints, axis, column)


def _write_grid(codes: Codes, complaints: Complaints | None, axis: Grid, column: pa.Array) -> None:
    low, high = _ends(axis)
    values, gone = _measured(axis.column, column)
    if gone is not None:
        values = np.where(gone, np.nan, values)
    on_grid(codes, values, low, high, axis.points, MISSING if axis.missing else axis.middle)
    if complaints is None:
        return
    complaints[:] = against_numbers(values, low, high, _slack(axis, low, high))
    unread = np.isnan(values)
    if unread.any():
        nothing = absent(column) if gone is None else absent(column) | gone
        complaints[unread] = against_unread(nothing[unread], allowed=axis.missing)


def _measured(declared: Number | Integer | Date, column: pa.Array) -> tuple[Vector, Mask | None]:
    """Each value as a number, not-a-number where it cannot be read; where words for missing are."""
    if not isinstance(declared, Date):
        values = numbers(column, written_in(declared))
        return values, said_missing(declared, column, values)
    found = moments(column, declared.format, utc=declared.tells_time)
    values = step_of(found, declared.step).astype(np.float64)
    values[np.isnat(found)] = np.nan
    return values, said_missing(declared, column, found)


def _ends(axis: Grid) -> tuple[float, float]:
    declared = axis.column
    if not isinstance(declared, Date):
        return float(declared.low), float(declared.high)
    ends = np.array([declared.low, declared.high], "datetime64[s]")
    first, last = step_of(ends, declared.step).tolist()
    return float(first), float(last)


def _slack(axis: Grid, low: float, high: float) -> float:
    """Less than half a step, so that the code is that of the end; whole numbers have none."""
    if not isinstance(axis.column, Number):
        return 0.0
    return min(_SINGLE * max(abs(low), abs(high)), (high - low) / axis.points / 2)
