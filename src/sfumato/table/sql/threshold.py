"""Where codes begin: the least value of each code, found by bisecting our own encoder.

Codes of a number or date never fall as it rises, in the order of its own type, so a database
only has to compare, which is exact.  Values are searched by whole numbers in the same order:
themselves, units of the last place of a decimal, days, microseconds, or the bits of a float.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.numeric.arrays import Codes, Whole
from sfumato.schema.domain import Axis, Domain, Grid
from sfumato.table.complaint import Complaint, Complaints
from sfumato.table.encode import encode, read

__all__ = ["Ordered", "Thresholds", "order_of", "read_alone"]

_DIGITS = 18  # of a decimal whose units fit 64 bits
_FIRST, _LAST = np.array(["0001-01-01", "9999-12-31T23:59:59"], "datetime64[us]").view(np.int64)
_DAY = 86_400_000_000
_INFINITE = int(np.array([np.inf]).view(np.int64)[0])


@dataclass(frozen=True)
class Ordered:
    """A type whose values are whole numbers in its order, from the least to the greatest."""

    stored: pa.DataType
    least: int
    greatest: int
    values: Callable[[Whole], pa.Array]


@dataclass(frozen=True, eq=False)
class Thresholds:
    """The least value of each code from 1 on, of what fits, and of what is above if any is."""

    order: Ordered
    codes: Whole
    fits: int
    above: int | None

    @classmethod
    def of(cls, domain: Domain, axis: Grid, order: Ordered) -> "Thresholds":
        """Of a column that is stored as this type."""

        def at(values: Whole) -> tuple[Codes, Complaints]:
            return read_alone(domain, axis, order.values(values))

        def codes_at(values: Whole) -> Codes:
            return encode(alone, pa.record_batch([order.values(values)], [axis.name]))[:, 0]

        alone, greatest = Domain(domain.schema, (axis,)), np.array([order.greatest])
        wanted = np.arange(1, int(codes_at(greatest)[0]) + 1)
        codes = _least(order, len(wanted), lambda values: codes_at(values) >= wanted)
        fits = _least(order, 1, lambda values: at(values)[1] != Complaint.BELOW)
        above = _least(order, 1, lambda values: at(values)[1] == Complaint.ABOVE)
        beyond = at(above)[1][0] != Complaint.ABOVE
        return cls(order, codes, int(fits[0]), None if beyond else int(above[0]))


def read_alone(domain: Domain, axis: Axis, column: pa.Array) -> tuple[Codes, Complaints]:
    """Codes and complaints of a column by itself."""
    alone = Domain(domain.schema, (axis,))
    codes, said = read(alone, pa.record_batch([column], [axis.name]))
    return codes[:, 0], said[:, 0]


def _least(order: Ordered, count: int, reached: Callable[[Whole], NDArray[np.bool_]]) -> Whole:
    """The least values from which it is reached, else the greatest."""
    # As distances from the least value, which fit 64 bits without a sign; sums of two would not.
    start = np.uint64(order.least % 2**64)
    low = np.zeros(count, np.uint64)
    high = np.full(count, order.greatest - order.least, np.uint64)
    while (low < high).any():
        middle = low + (high - low) // np.uint64(2)
        there = reached((middle + start).view(np.int64))
        low = np.where(there, low, np.minimum(middle + np.uint64(1), high))
        high = np.where(there, middle, high)
    return (low + start).view(np.int64)


def order_of(stored: pa.DataType) -> Ordered | None:
    """How a type is ordered; None where it is not one of those that can be searched."""
    kinds = pa.types
    if kinds.is_integer(stored):
        ends = np.iinfo(stored.to_pandas_dtype())
        return Ordered(stored, int(ends.min), int(ends.max), lambda v: pa.array(v).cast(stored))
    if kinds.is_floating(stored):
        return Ordered(pa.float64(), -_INFINITE, _INFINITE, lambda v: pa.array(_floats(v)))
    if kinds.is_decimal(stored) and stored.precision <= _DIGITS:
        most = 10**stored.precision - 1
        return Ordered(stored, -most, most, lambda v: _decimals(stored, v))
    if kinds.is_date(stored):
        first, last = int(_FIRST) // _DAY, int(_LAST) // _DAY
        return Ordered(stored, first, last, lambda v: pa.array(v.astype(np.int32)).cast(stored))
    if kinds.is_timestamp(stored):
        return Ordered(stored, int(_FIRST), int(_LAST), lambda v: pa.array(v).cast(stored))
    return None


def _floats(keys: Whole) -> NDArray[np.float64]:
    """Floats in the order of whole numbers: the bits of those above 0, mirrored below it."""
    return np.where(keys < 0, -np.abs(keys).view(np.float64), np.abs(keys).view(np.float64))


def _decimals(stored: pa.DataType, units: Whole) -> pa.Array:
    words = np.stack([units, units >> 63], axis=1).tobytes()  # 128 bits, with their sign
    return pa.Array.from_buffers(stored, len(units), [None, pa.py_buffer(words)])
