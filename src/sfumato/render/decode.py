"""From real-valued features back to a table of the schema's own types and steps."""

from collections.abc import Iterator
from fractions import Fraction
from math import floor, lcm, log10

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.numeric.arrays import Matrix
from sfumato.schema import Date
from sfumato.schema.arrow import arrow_schema, arrow_type
from sfumato.schema.domain import MISSING, Axis, Domain, Grid, moment_of, step_of
from sfumato.synopsis.features import Features

__all__ = ["BATCH_ROWS", "Decoder", "code_values", "nearest_codes"]

BATCH_ROWS = 65_536  # records drawn and decoded at a time


def nearest_codes(features: Features, Z: Matrix) -> NDArray[np.int32]:
    """Codes of the records nearest to each row: numbers rounded, blocks by their largest entry."""
    codes = np.zeros((len(Z), len(features.domain.axes)), np.int32, order="F")
    blocks: dict[int, list[int]] = {}
    for j, item in enumerate(features.items):
        if item.block is not None:
            blocks.setdefault(item.axis, []).append(j)
        elif item.level is None:
            codes[:, item.axis] = np.clip(np.rint(Z[:, j] * item.unit), 0, item.unit)
        elif item.level == MISSING:
            codes[Z[:, j] > 0.5, item.axis] = MISSING
        else:
            codes[:, item.axis] = Z[:, j] > 0.5
    for axis, columns in blocks.items():
        codes[:, axis] = Z[:, columns].argmax(axis=1)
    return codes


class Decoder:
    """Codes to Arrow batches; the value of every code is worked out once."""

    def __init__(self, domain: Domain) -> None:
        self.schema = arrow_schema(domain)
        self._axes = domain.axes
        self._values = [
            code_values(a).cast(f.type) for a, f in zip(domain.axes, self.schema, strict=True)
        ]

    def batch(self, codes: NDArray[np.int32]) -> pa.RecordBatch:
        """One Arrow batch in the columns and types of the schema."""
        columns = []
        for j, values in enumerate(self._values):
            # The last value is missing, so that code -1 finds it from the end.
            index = np.where(codes[:, j] == MISSING, len(values) - 1, codes[:, j])
            columns.append(values.take(pa.array(index, pa.int32())))
        return pa.RecordBatch.from_arrays(columns, schema=self.schema)

    def batches(self, parts: Iterator[NDArray[np.int32]]) -> Iterator[pa.RecordBatch]:
        """A stream of batches."""
        return (self.batch(codes) for codes in parts)


def code_values(axis: Axis) -> pa.Array:
    """The value of each code, then one null for missing."""
    if not isinstance(axis, Grid):
        text = pa.types.is_string(arrow_type(axis))
        return pa.array([*(str(v) if text else v for v in axis.values), None], arrow_type(axis))
    column, codes = axis.column, np.arange(axis.points + 1)
    if isinstance(column, Date):
        first = step_of(np.array([column.low], "datetime64[s]"), column.step)[0]
        moments = moment_of(first + _nearest_steps(axis, codes), column.step)
        return _with_null(pa.array(moments))
    low, high = Fraction(str(column.low)), Fraction(str(column.high))
    if column.step is None:
        values = float(low) + codes * (float(high - low) / axis.points)
        # Enough decimals to tell neighbouring points apart; more would only tire the eye.
        values = np.round(values, 1 - floor(log10((high - low) / axis.points)))
        # Rounding may leave the range; adding zero turns -0 into 0.
        return _with_null(pa.array(np.clip(values, column.low, column.high) + 0.0))
    step = Fraction(str(column.step))
    # Whole numbers over a power of ten, divided by Python, which rounds correctly at any
    # size: each value is the float nearest to its decimal.
    shared = lcm(low.denominator, step.denominator)
    whole = int(low * shared) + _nearest_steps(axis, codes) * int(step * shared)
    return _with_null(pa.array([number / shared for number in whole.tolist()]))


def _nearest_steps(axis: Grid, codes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where the grid is coarser than the steps, a code stands for the nearest step."""
    steps = axis.steps or axis.points
    each, rest = divmod(steps, axis.points)  # apart, so that no product passes 64 bits
    return np.asarray(codes * each + (2 * codes * rest + axis.points) // (2 * axis.points))


def _with_null(values: pa.Array) -> pa.Array:
    return pa.concat_arrays([values, pa.nulls(1, values.type)])
