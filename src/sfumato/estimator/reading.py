"""What scikit-learn hands over (X and y, frames or arrays) as the tables of a schema, and back.

Whether something is refused follows from shapes, names and types, never from a value.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.errors import DataError, SchemaError
from sfumato.numeric.arrays import Codes, Matrix
from sfumato.render.decode import Decoder
from sfumato.schema import Schema
from sfumato.schema.domain import Axis, Domain, Levels
from sfumato.synopsis.features import Features
from sfumato.table.column import arrow_of, guessed_kind, of_array, of_objects
from sfumato.table.records import Records
from sfumato.table.source import open_source
from sfumato.table.type_check import check_spelling, check_types

__all__ = [
    "answer_of",
    "answers_of",
    "features_of",
    "inputs_of",
    "joined",
    "labelled",
    "records_of",
]


def answer_of(schema: Schema) -> str:
    """The column that y stands for: the label, or else the target.

    >>> answer_of(Schema.of({"name": "t", "columns": {
    ...     "ill": {"kind": "boolean", "role": "label"}, "age": {"kind": "id"}}}))
    'ill'
    """
    roles = {facts.role: name for name, facts in schema.columns.items() if facts.kind != "id"}
    for role in ("label", "target"):
        if role in roles:
            return roles[role]
    raise SchemaError("y needs a column of its own: give one column role: label or role: target")


def inputs_of(schema: Schema) -> Domain:
    """The domain of X: every released column but the one that y stands for."""
    facts, answer = schema.to_json(), answer_of(schema)
    kept = {name: column for name, column in facts["columns"].items() if name != answer}
    if not any(column["kind"] != "id" for column in kept.values()):
        raise SchemaError(f"there is no column besides {answer} to learn from")
    return Domain.of(Schema.from_json(facts | {"columns": kept}))


def joined(X: Any, y: Any, schema: Schema) -> Any:
    """X, with y as the column that the schema marks as label or target.

    >>> schema = Schema.of({"name": "t", "columns": {
    ...     "age": {"kind": "integer", "low": 0, "high": 99},
    ...     "ill": {"kind": "boolean", "role": "label"}}})
    >>> joined(np.array([[30], [41]]), [True, False], schema).column_names
    ['age', 'ill']
    """
    axes = Domain.of(schema).axes
    answer = None if y is None else answer_of(schema)
    table = _named(X, [axis for axis in axes if axis.name != answer])
    if answer is None:
        return table
    names = open_source(table).names  # what is no table is refused here
    if answer in names:
        raise DataError(f"X holds the column {answer} already: leave it out of X, or leave out y")
    if isinstance(table, str | Path):
        raise DataError("y beside a file: give X as a frame or an array, or y within the file")
    values = column_of(y, next(axis for axis in axes if axis.name == answer))
    if len(values) != len(table):
        raise DataError(f"X has {len(table)} records and y has {len(values)}: give one y for each")
    return _beside(table, answer, values)


def _beside(table: Any, name: str, values: pa.ChunkedArray) -> Any:
    """The table with one more column, which keeps its type."""
    if isinstance(table, pa.Table | pa.RecordBatch):
        return table.append_column(name, values)
    if nw.from_native(table, eager_only=True).implementation.is_polars():
        import polars

        return table.with_columns(polars.from_arrow(values).alias(name))
    import pandas

    stored = pandas.arrays.ArrowExtensionArray(values)
    return table.assign(**{name: pandas.Series(stored, index=table.index)})


def column_of(y: Any, axis: Axis) -> pa.ChunkedArray:
    """NOT PRIVATE: one column, read by its type or, where it has none, value by value.

    >>> domain = Domain.of(Schema.of({"name": "t", "columns": {"ill": {"kind": "boolean"}}}))
    >>> column_of([1, "no", [1, 2]], domain.axes[0]).to_pylist()
    ['1', 'no', '[1, 2]']
    """
    column = nw.from_native(y, eager_only=True, allow_series=True, pass_through=True)
    if isinstance(column, nw.DataFrame):
        if column.shape[1] != 1:
            raise DataError(f"y must be one column, got shape {column.shape}")
        column = column[:, 0]
    if isinstance(column, nw.Series):
        check_spelling(axis, guessed_kind(column))
        values = arrow_of(column)
    elif isinstance(y, np.ndarray):
        values = _of_vector(y, axis)
    elif isinstance(y, pa.Array):
        values = y
    else:
        values = of_objects(y)
    return values if isinstance(values, pa.ChunkedArray) else pa.chunked_array([values])


def _of_vector(values: NDArray[Any], axis: Axis) -> pa.Array:
    if values.ndim == 2 and values.shape[1] == 1:
        values = np.asarray(values)[:, 0]
    if values.ndim != 1:
        raise DataError(f"y must be one column, got shape {values.shape}")
    kind = values.dtype.kind
    check_spelling(axis, kind if kind in "biufc" else None)
    return of_array(values)


def features_of(X: Any, domain: Domain) -> Matrix:
    """NOT PRIVATE if X is not: numbers from 0 to 1, by public ranges and levels alone.

    What lies outside the domain is mapped into it, as it is when a table is published.

    >>> domain = Domain.of(Schema.of({"name": "t", "columns": {
    ...     "age": {"kind": "integer", "low": 0, "high": 100}, "ill": {"kind": "boolean"}}}))
    >>> features_of(pa.table({"age": [25, 900], "ill": [True, False]}), domain).tolist()
    [[0.25, 1.0], [1.0, 0.0]]
    """
    features = Features.of(domain)
    parts = (features.design(codes) / features.units for codes in _codes(X, domain))
    return np.concatenate([np.empty((0, len(features))), *parts])


def records_of(X: Any, domain: Domain) -> pa.Table:
    """NOT PRIVATE if X is not: X in the columns and types of a release, mapped into the domain."""
    decoder = Decoder(domain)
    return pa.Table.from_batches(map(decoder.batch, _codes(X, domain)), decoder.schema)


def _codes(X: Any, domain: Domain) -> Iterator[Codes]:
    source = open_source(_named(X, domain.axes))
    absent = [axis.name for axis in domain.axes if axis.name not in source.names]
    if absent:
        raise DataError(f"X lacks the column {absent[0]} of the schema")
    check_types(source, domain)
    return Records(source, domain).parts()


def labelled(table: pa.Table, answer: str, schema: Schema) -> tuple[pa.Table, NDArray[Any]]:
    """Released records whose answer is not missing, and that answer in the type of the schema.

    >>> schema = Schema.of({"name": "t", "columns": {
    ...     "age": {"kind": "integer", "low": 0, "high": 99},
    ...     "ill": {"kind": "category", "values": [0, 1], "missing": "allowed", "role": "label"}}})
    >>> labelled(pa.table({"age": [30, 41], "ill": [1, None]}), "ill", schema)[1]
    array([1])
    """
    table = table.filter(table.column(answer).is_valid())
    axis = next(axis for axis in Domain.of(schema).axes if axis.name == answer)
    return table.drop_columns([answer]), _answers(table.column(answer), axis)


def _answers(column: pa.ChunkedArray, axis: Axis) -> NDArray[Any]:
    """Values as NumPy has them, texts as wide as the longest that the schema lists."""
    if isinstance(axis, Levels) and pa.types.is_string(column.type):
        longest = max(len(str(value)) for value in axis.values)
        return np.array(column.to_pylist(), dtype=f"<U{longest}")
    return np.asarray(column.combine_chunks().to_numpy(zero_copy_only=False))


def answers_of(y: Any, schema: Schema) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """NOT PRIVATE if y is not: labels as a release would hold them, and which are not missing.

    What is predicted has the types of the schema, however y is stored.

    >>> schema = Schema.of({"name": "t", "columns": {
    ...     "ill": {"kind": "category", "values": ["0", "1"], "role": "label"}}})
    >>> answers_of(np.array([1.0, 0.0]), schema)[0]
    array(['1', '0'], dtype='<U1')
    """
    axis = next(axis for axis in Domain.of(schema).axes if axis.name == answer_of(schema))
    domain = Domain(schema, (axis,))
    table = records_of(pa.table({axis.name: column_of(y, axis)}), domain)
    given = np.asarray(table.column(0).is_valid())
    return labelled(table.append_column("kept", [given]), axis.name, schema)[1], given


def _named(X: Any, axes: Sequence[Axis]) -> Any:
    """Arrays take the names of the schema, in its order; what has names keeps them."""
    if not isinstance(X, np.ndarray):
        return X
    if X.ndim != 2 or X.shape[1] != len(axes):
        raise DataError(
            f"an array must have {len(axes)} columns, in the order of the schema: "
            f"{', '.join(axis.name for axis in axes)}; got shape {X.shape}"
        )
    columns = np.asarray(X).T
    return pa.table({axis.name: _of_vector(c, axis) for axis, c in zip(axes, columns, strict=True)})
