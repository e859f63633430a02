"""What scikit-learn hands over (X and y, frames or arrays) as the tables of a schema, and back.

Whether something is refused follows from shapes, names and types, never from a value.
"""

from collections.abc import Iterator
from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.domain import Domain
from sfumato.errors import DataError, SchemaError
from sfumato.features import Features
from sfumato.render.decode import Decoder
from sfumato.schema import Schema
from sfumato.table.records import Codes, Records
from sfumato.table.source import as_text, open_source

__all__ = [
    "answer_of",
    "features_of",
    "given_type",
    "inputs_of",
    "joined",
    "labelled",
    "records_of",
]

Matrix = NDArray[np.float64]


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
    return Domain.of(Schema.of(facts | {"columns": kept}))


def joined(X: Any, y: Any, schema: Schema) -> Any:
    """X, with y as the column that the schema marks as label or target.

    >>> schema = Schema.of({"name": "t", "columns": {
    ...     "age": {"kind": "integer", "low": 0, "high": 99},
    ...     "ill": {"kind": "boolean", "role": "label"}}})
    >>> joined(np.array([[30], [41]]), [True, False], schema).column_names
    ['age', 'ill']
    """
    answer = None if y is None else answer_of(schema)
    table = _named(X, [name for name in schema.released if name != answer])
    if answer is None:
        return table
    frame = nw.from_native(table, eager_only=True)
    if answer in frame.columns:
        raise DataError(f"X holds the column {answer} already: leave it out of X, or leave out y")
    values = _values(y)
    if len(values) != len(frame):
        raise DataError(f"X has {len(frame)} records and y has {len(values)}: give one y for each")
    series = nw.new_series(answer, values, backend=frame.implementation)
    return frame.with_columns(series).to_native()


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
    names = [axis.name for axis in domain.axes]
    source = open_source(_named(X, names))
    absent = [name for name in names if name not in source.names]
    if absent:
        raise DataError(f"X lacks the column {absent[0]} of the schema")
    return Records(source, domain).map(lambda codes: codes)


def labelled(table: pa.Table, answer: str, like: np.dtype[Any]) -> tuple[pa.Table, NDArray[Any]]:
    """Released records whose answer is not missing, and that answer in the type of the given y.

    >>> table = pa.table({"age": [30, 41], "ill": ["1", None]})
    >>> labelled(table, "ill", np.dtype(int))[1]
    array([1])
    """
    table = table.filter(table.column(answer).is_valid())
    rest, values = table.drop_columns([answer]), np.asarray(table.column(answer).to_pylist())
    try:
        if values.dtype.kind == "U" and like.kind in "biuf":
            values = values.astype(np.float64)  # by way of numbers, so that "0" is no
        if values.dtype.kind in "biuf" and not (values.dtype.kind == "b" and like.kind == "U"):
            values = values.astype(like)
    except ValueError:
        pass  # classes that are no numbers stay as the schema writes them
    return rest, values


def given_type(y: Any) -> np.dtype[Any]:
    """What y was given as: texts, whatever holds them, or a type of numbers."""
    kind = np.asarray(y).dtype
    return kind if kind.kind in "biuf" else np.dtype(np.str_)


def _named(X: Any, names: list[str]) -> Any:
    """Arrays take the names of the schema, in its order; what has names keeps them."""
    if not isinstance(X, np.ndarray):
        return X
    if X.ndim != 2 or X.shape[1] != len(names):
        raise DataError(
            f"an array must have {len(names)} columns, in the order of the schema: "
            f"{', '.join(names)}; got shape {X.shape}"
        )
    return pa.table({name: pa.array(_values(X[:, j])) for j, name in enumerate(names)})


def _values(y: Any) -> Any:
    """One column as numbers, or as texts so that none decides how others are stored.

    Numbers only where y has a type of its own: in a plain list one value would decide it.
    """
    column = _typed(y)
    if column.ndim == 2 and column.shape[1] == 1:
        column = column[:, 0]
    if column.ndim != 1:
        raise DataError(f"y must be one column, got shape {column.shape}")
    if column.dtype.kind in "biufM":
        return column
    return [as_text(value) for value in column.tolist()]


def _typed(y: Any) -> NDArray[Any]:
    """An array of y's own type, if that is one of NumPy's, else of Python's objects."""
    known = nw.from_native(y, eager_only=True, allow_series=True, pass_through=True)
    if isinstance(known, nw.DataFrame):
        if known.shape[1] != 1:
            raise DataError(f"y must be one column, got shape {known.shape}")
        known = known[:, 0]
    y = known.to_native() if isinstance(known, nw.Series) else y
    if isinstance(getattr(y, "dtype", None), np.dtype):
        return np.asarray(y)
    if isinstance(known, nw.Series):
        y = known.to_list()  # an array of numbers would turn whole ones around a gap into floats
    elif isinstance(y, pa.Array):
        y = y.to_pylist()
    return np.asarray(y, dtype=object)
