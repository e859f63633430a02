"""From real-valued features back to a table of the schema's own types and steps."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.numeric.arrays import Matrix
from sfumato.release.content import LEAF_ROWS
from sfumato.schema import Date
from sfumato.schema.arrow import arrow_schema, arrow_type
from sfumato.schema.domain import MISSING, Axis, Domain, Grid, moment_of, step_of
from sfumato.schema.grid_number import code_numbers
from sfumato.synopsis.features import Features

__all__ = ["BATCH_ROWS", "Decoder", "NearestRecords", "code_values", "nearest_codes"]

BATCH_ROWS = LEAF_ROWS  # records drawn and decoded at a time: each batch is hashed by itself
_WIDTHS = {pa.int64(): pa.int64(), pa.timestamp("s"): pa.int64(), pa.date32(): pa.int32()}


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
        self.schema, self._domain = arrow_schema(domain), domain
        self._columns = [
            _Column(code_values(a).cast(f.type))
            for a, f in zip(domain.axes, self.schema, strict=True)
        ]
        kinds = zip(self.schema, self._columns, strict=True)
        self._encoded = pa.schema([field.with_type(column.type) for field, column in kinds])

    def __reduce__(self) -> Any:
        return Decoder, (self._domain,)  # which is small; the values of a fine grid are many

    def batch(self, codes: NDArray[np.int32]) -> pa.RecordBatch:
        """One Arrow batch in the columns and types of the schema."""
        return self.encoded(codes).cast(self.schema)

    def encoded(self, codes: NDArray[np.int32]) -> pa.RecordBatch:
        """The same with texts as places among all levels of the schema, in its order."""
        columns = [column.array(codes[:, j]) for j, column in enumerate(self._columns)]
        return pa.RecordBatch.from_arrays(columns, schema=self._encoded)

    def batches(self, parts: Iterable[NDArray[np.int32]]) -> Iterator[pa.RecordBatch]:
        """A stream of encoded batches."""
        return (self.encoded(codes) for codes in parts)


@dataclass(frozen=True, eq=False)
class NearestRecords:
    """From real-valued features to the records that are nearest to them, one batch at a time."""

    features: Features

    def __call__(self, Z: Matrix) -> pa.RecordBatch:
        """A record for each row."""
        return self._decoder.encoded(nearest_codes(self.features, Z))

    @cached_property
    def _decoder(self) -> Decoder:
        return Decoder(self.features.domain)


class _Column:
    """The values of one column by code, with missing last."""

    def __init__(self, values: pa.Array) -> None:
        self.type, self._levels, self._last = values.type, values[:-1], len(values) - 1
        if pa.types.is_string(values.type):
            self._table = np.arange(len(values), dtype=np.min_scalar_type(-len(values)))
            self.type = pa.dictionary(pa.from_numpy_dtype(self._table.dtype), pa.string())
        elif pa.types.is_boolean(values.type):
            self._table = np.asarray(values.fill_null(False))
        else:
            whole = pa.float64() if pa.types.is_floating(values.type) else _WIDTHS[values.type]
            self._table = np.asarray(values.view(whole).fill_null(0))

    def array(self, codes: NDArray[np.int32]) -> pa.Array:
        # The last value is missing, so that code -1 finds it from the end.
        values, gone = self._table.take(codes), (codes == MISSING) | (codes == self._last)
        mask = gone if gone.any() else None
        if pa.types.is_dictionary(self.type):
            places = pa.array(values, mask=mask)
            return pa.DictionaryArray.from_arrays(places, self._levels, safe=False)
        return pa.array(values, mask=mask).view(self.type)


def code_values(axis: Axis) -> pa.Array:
    """The value of each code, then one null for missing."""
    if not isinstance(axis, Grid):
        text = pa.types.is_string(arrow_type(axis))
        return pa.array([*(str(v) if text else v for v in axis.values), None], arrow_type(axis))
    column = axis.column
    if not isinstance(column, Date):
        return _with_null(pa.array(code_numbers(axis)))
    first = step_of(np.array([column.low], "datetime64[s]"), column.step)[0]
    steps = first + axis.nearest_steps(np.arange(axis.points + 1))
    return _with_null(pa.array(moment_of(steps, column.step)))


def _with_null(values: pa.Array) -> pa.Array:
    return pa.concat_arrays([values, pa.nulls(1, values.type)])
