"""NOT PRIVATE: what a release shows of one record, as numbers under fixed names.

Of a table in the schema's columns: how many rows agree with the record in each column, in each
pair of columns and in how many columns; how close the nearest row comes; means and ends of the
columns.  Of a table in columns of its own: means, deviations and ends.  Of a synopsis, every
number.  Agreement of a number is a difference of at most a twentieth of its public range.

>>> import pyarrow as pa
>>> from sfumato.schema import Schema
>>> domain = Domain.of(Schema.of({"name": "t", "columns": {
...     "age": {"kind": "integer", "low": 0, "high": 100}, "sick": {"kind": "boolean"}}}))
>>> found = trace(domain, np.array([98, 1], np.int32), None,
...     pa.table({"age": [99, 50], "sick": [True, True]}))
>>> found["rows like it in age"], found["rows like it in age and sick"], found["rows"]
(1.0, 1.0, 2.0)
"""

from collections.abc import Iterable
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.inspection.attack.tables import points
from sfumato.inspection.audit.released import numbers
from sfumato.inspection.utility import encoded, numbers_only
from sfumato.numeric.arrays import Codes
from sfumato.schema.domain import Domain, Grid

__all__ = ["trace"]

_NEAR = 0.05  # of a public range


def trace(domain: Domain, record: Codes, synopsis: Any, table: pa.Table) -> dict[str, float]:
    """NOT PRIVATE: features of one release, for an attacker who knows the whole record."""
    found = numbers(synopsis, ())
    found["rows"] = float(table.num_rows)
    if not table.num_rows:
        return found
    if {axis.name for axis in domain.axes} <= set(table.column_names):
        return found | _of_records(domain, record, encoded(table, domain))
    kept = [item.name for item in table.schema if str(item.type) in ("double", "int64")]
    names, X = numbers_only(table.select(kept))
    return found | _moments(names, X)


def _of_records(domain: Domain, record: Codes, codes: Codes) -> dict[str, float]:
    names = [axis.name for axis in domain.axes]
    width = np.array([_NEAR * a.points if isinstance(a, Grid) else 0 for a in domain.axes])
    like = np.abs(codes.astype(np.int64) - record) <= width
    together = like.T.astype(np.float64) @ like  # rows that agree in both columns of a pair
    found = {f"rows like it in {name}": float(together[i, i]) for i, name in enumerate(names)}
    for i, j in zip(*np.triu_indices(len(names), 1), strict=True):
        found[f"rows like it in {names[i]} and {names[j]}"] = float(together[i, j])
    agreeing = like.sum(axis=1)
    for count in range(1, len(names) + 1):
        found[f"rows like it in {count} columns"] = float((agreeing >= count).sum())
    places = range(len(names))
    away = points(domain, codes, places) - points(domain, record[None], places)
    found["nearest row"] = float(np.sqrt((away**2).sum(axis=1).min()))
    return found | _moments(names, codes.astype(np.float64))


def _moments(names: Iterable[str], X: NDArray[np.float64]) -> dict[str, float]:
    found: dict[str, float] = {}
    for name, values in zip(names, X.T, strict=True):
        found |= {
            f"{name}, mean": float(values.mean()),
            f"{name}, deviation": float(values.std()),
            f"{name}, least": float(values.min()),
            f"{name}, most": float(values.max()),
        }
    return found
