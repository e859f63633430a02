"""Generalised values: the interval or set of values that a region has in a column, as text."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.render.decode import code_values
from sfumato.schema.arrow import arrow_type
from sfumato.schema.domain import MISSING, Axis, Domain, Grid

__all__ = ["generalised_batch", "generalised_columns", "node_labels"]

_ALL, _GONE = "any", "missing"
_MOST = 6  # values that a set is written with in full

Run = tuple[int, int]  # positions start … stop − 1


def node_labels(
    axis: Axis, order: NDArray[np.int32], runs: Sequence[Run], names: Mapping[Run, str]
) -> list[str]:
    """How each run of positions is written; `order` holds the code at each position.

    An interval of numbers or dates shows where the next one begins, the last one its own end;
    a set of levels its name in the taxonomy, or its values.

    >>> from sfumato.schema import Schema
    >>> columns = {"age": {"kind": "integer", "low": 0, "high": 99}, "ward": {"kind": "category",
    ...     "values": ["a", "b", "c"], "taxonomy": {"south": ["a", "b"], "north": ["c"]}}}
    >>> age, ward = Domain.of(Schema.of({"name": "t", "columns": columns})).axes
    >>> node_labels(age, np.arange(100, dtype=np.int32), [(0, 40), (40, 41), (41, 100)], {})
    ['[0, 40)', '40', '[41, 99]']
    >>> node_labels(ward, np.arange(3, dtype=np.int32), [(0, 2), (2, 3)], {(0, 2): "south"})
    ['south', 'c']
    """
    values = code_values(axis).cast(arrow_type(axis))
    if isinstance(axis, Grid):
        return [_interval(values, order, *run) for run in runs]
    return [_set(values, axis.codes - axis.missing, order, run, names.get(run)) for run in runs]


def generalised_columns(domain: Domain) -> pa.Schema:
    """Every column as text."""
    return pa.schema([pa.field(axis.name, pa.string(), nullable=False) for axis in domain.axes])


def generalised_batch(
    domain: Domain, labels: Mapping[int, Sequence[str]], nodes: NDArray[np.int32]
) -> pa.RecordBatch:
    """Texts for a batch of nodes, by column; `labels` are those of each axis."""
    columns = [
        pa.array(labels[axis], pa.string()).take(pa.array(nodes[:, axis]))
        for axis in range(len(domain.axes))
    ]
    return pa.RecordBatch.from_arrays(columns, schema=generalised_columns(domain))


def _interval(values: pa.Array, order: NDArray[np.int32], start: int, stop: int) -> str:
    gone = bool(order[start] == MISSING)
    first = start + gone
    if first == stop:
        return _GONE
    low, last = _text(values[int(order[first])]), stop == len(order)
    high = _text(values[int(order[stop - 1 if last else stop])])
    written = low if stop - first == 1 else f"[{low}, {high}{']' if last else ')'}"
    return f"{written} or {_GONE}" if gone else written


def _set(
    values: pa.Array, present: int, order: NDArray[np.int32], run: Run, name: str | None
) -> str:
    start, stop = run
    texts = [_text(values[c]) if c < present else _GONE for c in order[start:stop].tolist()]
    if len(texts) == 1:
        return texts[0]
    if len(texts) == len(order):
        return _ALL
    if name is not None:
        return name
    if len(texts) > _MOST:
        return f"{{{texts[0]}, …, {texts[-1]} ({len(texts)} values)}}"
    return f"{{{', '.join(texts)}}}"


def _text(scalar: pa.Scalar) -> str:
    value: Any = scalar.as_py()
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return f"{value:g}" if float(f"{value:g}") == value else repr(value)
    if isinstance(value, datetime):
        return value.isoformat(sep=" ")
    return value.isoformat() if isinstance(value, date) else str(value)
