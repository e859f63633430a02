"""NOT PRIVATE: records and release on the same public grid, and how far apart they lie.

The scores of this package are for the owner alone; `sfumato.inspection` says why.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import DataError
from sfumato.numeric.arrays import Codes
from sfumato.schema import Schema
from sfumato.schema.domain import Domain
from sfumato.schema.person import check_one_row_each
from sfumato.synopsis.features import Features
from sfumato.table.header import check_names
from sfumato.table.read_numbers import numbers
from sfumato.table.records import Records
from sfumato.table.source import Source, broken_off, columns_of, open_source

__all__ = [
    "AnySchema",
    "SquaredError",
    "domain_of",
    "encoded",
    "has_rows",
    "numbers_only",
    "opened",
    "squared_error",
]

AnySchema = Schema | Mapping[str, Any] | str | Path

_CHUNK = 65_536  # rows turned into features at a time


@dataclass(frozen=True, slots=True)
class SquaredError:
    """Σ (x − z)² over records and features: the square of the Frobenius norm."""

    total: float
    records: int

    @property
    def per_record(self) -> float:
        """The total over the number of records, so that tables of any size compare."""
        return self.total / self.records


def squared_error(original: Any, release: Any, schema: AnySchema) -> SquaredError:
    """NOT PRIVATE: squared error of a release that keeps one row per record, in order.

    Both tables become features in [0, 1] (`sfumato.synopsis.features`): a number its place in the
    public range, a column of two levels one 0/1 feature, of more levels one dummy each,
    so a wrong level costs 1 or 2.

    >>> import pyarrow as pa
    >>> schema = {"name": "t", "columns": {
    ...     "age": {"kind": "integer", "low": 0, "high": 100},
    ...     "ward": {"kind": "category", "values": ["a", "b", "c"]}}}
    >>> squared_error(
    ...     pa.table({"age": [20, 50], "ward": ["a", "b"]}),
    ...     pa.table({"age": [70, 50], "ward": ["a", "c"]}),
    ...     schema,
    ... )
    SquaredError(total=2.25, records=2)
    """
    domain = domain_of(schema)
    X, Z = encoded(original, domain), encoded(release, domain)
    if len(X) != len(Z):
        raise DataError(
            "the release does not have one row per record: compare distributions instead, "
            "with total_variation"
        )
    if not len(X):
        raise DataError("there are no records: nothing can be compared")
    features = Features.of(domain)
    total = 0.0
    for start in range(0, len(X), _CHUNK):
        here = slice(start, start + _CHUNK)
        gap = (features.design(X[here]) - features.design(Z[here])) / features.units
        total += float(np.einsum("ij,ij->", gap, gap))
    return SquaredError(total, len(X))


def domain_of(schema: AnySchema) -> Domain:
    """The public grid of a schema, however the schema is given."""
    read = Schema.read(schema) if isinstance(schema, str | Path) else Schema.of(schema)
    check_one_row_each(read.people, "figures and attacks take")
    return Domain.of(read)


def opened(data: Any, domain: Domain) -> Source:
    """NOT PRIVATE: a frame, Arrow table or file that has every column of the schema."""
    source = open_source(data, [axis.name for axis in domain.axes], domain.schema.file)
    check_names(source.names, [axis.name for axis in domain.axes])
    return source


def has_rows(source: Source, count: int) -> bool:
    """NOT PRIVATE: whether there are so many records; a file that breaks off is refused."""
    try:
        return source.has_rows(count)
    except Exception as error:  # whatever it is, it may quote a record
        reason = broken_off(error)
    raise DataError(reason)


def encoded(data: Any, domain: Domain) -> Codes:
    """NOT PRIVATE: a frame, Arrow table or file as codes of the public grid, all rows at once."""
    records = Records(opened(data, domain), domain)
    return np.vstack([np.empty((0, len(domain.axes)), np.int32), *records.parts()])


def numbers_only(data: Any) -> tuple[list[str], NDArray[np.float64]]:
    """NOT PRIVATE: names and values of a table that is not in a schema's columns.

    >>> import pyarrow as pa
    >>> numbers_only(pa.table({"component_1": [0.5, 2.0]}))
    (['component_1'], array([[0.5],
           [2. ]]))
    """
    source = open_source(data)
    table = columns_of(source, tuple(source.names))
    batches = [batch for batch in table.to_batches() if batch.num_rows]
    none = np.empty((0, len(source.names)))
    parts = [np.column_stack([numbers(column) for column in batch.columns]) for batch in batches]
    X = np.vstack([none, *parts])
    unusable = ~np.isfinite(X).all(axis=0)
    if unusable.any():
        names = ", ".join(np.array(source.names)[unusable])
        raise DataError(
            f"column {names}: a table that is not in the schema's columns must hold finite "
            "numbers only: drop the column, or give the schema"
        )
    return list(source.names), X
