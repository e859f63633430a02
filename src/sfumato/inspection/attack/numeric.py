"""NOT PRIVATE: a release that keeps one row per record, and the records, as real matrices.

Numbers, integers and dates are taken; categories and booleans have neither rank nor angle and
are left out.  The original is first mapped onto the public grid, with what is missing at
the middle of its range.  Released numbers are taken as they are, also beyond their range.
"""

from typing import Any

import numpy as np

from sfumato.errors import DataError, SchemaError
from sfumato.inspection.utility import AnySchema, domain_of, has_rows, opened
from sfumato.methods.perturbation import Numbers
from sfumato.numeric.arrays import Matrix
from sfumato.schema.domain import Domain, Grid
from sfumato.table.read_numbers import numbers
from sfumato.table.records import Records
from sfumato.table.source import columns_of

__all__ = ["in_shares", "in_units"]


def in_units(release: Any, original: Any, schema: AnySchema) -> tuple[Matrix, Matrix]:
    """NOT PRIVATE: release and original in the units of the schema; dates as days since 1970.

    >>> import pyarrow as pa
    >>> schema = {"name": "t", "columns": {"day": {
    ...     "kind": "date", "low": "1970-01-01", "high": "1970-12-31", "step": "day"}}}
    >>> P, A = in_units(pa.table({"day": [3.5]}), pa.table({"day": ["1970-01-05"]}), schema)
    >>> P.tolist(), A.tolist()
    ([[3.5]], [[4.0]])
    """
    columns = _columns(schema)
    A, P = _on_grid(original, columns), _on_grid(release, columns)
    if len(P) != len(A):
        raise DataError(
            "the release does not have one row per record: compare distributions instead, "
            "with total_variation"
        )
    own = _as_written(release, columns)
    return np.where(np.isfinite(own), own, P), A


def in_shares(release: Any, original: Any, schema: AnySchema) -> tuple[Matrix, Matrix]:
    """NOT PRIVATE: the same as shares of the public ranges, from -½ to ½ about the middle.

    Rotation and noise work in this space, so it is the one to attack them in: in the units
    of the schema a rotation is none.

    >>> import pyarrow as pa
    >>> schema = {"name": "t", "columns": {"age": {"kind": "integer", "low": 0, "high": 100}}}
    >>> P, A = in_shares(pa.table({"age": [110.0]}), pa.table({"age": [25]}), schema)
    >>> P.tolist(), A.tolist()
    ([[0.6]], [[-0.25]])
    """
    P, A = in_units(release, original, schema)
    low, high = _columns(schema).bounds
    middle = (low + high) / 2
    return (P - middle) / (high - low), (A - middle) / (high - low)


def _columns(schema: AnySchema) -> Numbers:
    domain = domain_of(schema)
    grids = tuple(axis for axis in domain.axes if isinstance(axis, Grid))
    if not grids:
        raise SchemaError("the schema has no number, integer or date to compare")
    return Numbers(Domain(domain.schema, grids))


def _on_grid(data: Any, columns: Numbers) -> Matrix:
    source = opened(data, columns.domain)
    if not has_rows(source, 1):
        raise DataError("there are no records: nothing can be compared")
    Z, _ = columns.read(Records(source, columns.domain))
    return columns.restored(np.nan_to_num(Z))  # what is missing stands at the middle, zero


def _as_written(release: Any, columns: Numbers) -> Matrix:
    """Released values as numbers; not-a-number where they are dates, or missing."""
    table = columns_of(opened(release, columns.domain), tuple(columns.names))
    batches = table.to_batches()
    return np.vstack([np.column_stack([numbers(c) for c in batch.columns]) for batch in batches])
