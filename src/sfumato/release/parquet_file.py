"""Parquet files of a release, read as something that anybody may have written.

A Parquet file says much beside its values: types and time zones, which programs obey; the least
and the largest value of a group of rows, an order and filters, by which they skip rows without
looking at them.  The digest of the values sees none of it.  So all of it is what a writer of ours
writes, and follows from the values, or the file is refused.
"""

from collections.abc import Iterator, Mapping, Set
from io import BytesIO
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from sfumato.errors import ReleaseError

__all__ = ["parquet_batches"]

_PIECE = 2**26  # bytes of texts at a time
# What we write.  Others pack gigabytes of the same byte into a small file.
_CODECS, _ENCODINGS = {"SNAPPY", "UNCOMPRESSED"}, {"PLAIN", "RLE", "RLE_DICTIONARY"}
_TYPES = b"ARROW:schema"  # all that we write beside the records
_NUMBER = b"PARQUET:field_id"  # all that is said of a column, by whoever reads it


def parquet_batches(
    file: Any,
    name: object,
    schema: pa.Schema,
    rows: int | None,
    levels: Mapping[str, Set[str]] | None,
) -> Iterator[pa.RecordBatch]:
    """The records of a file in these types, and so many of them where it is said.

    `levels`: texts that a column may list without holding them; None: whatever it lists.
    """
    with _opened(file, name, schema) as found:
        if found.schema_arrow.names != schema.names:
            raise ReleaseError(f"{name} does not have the columns of its schema")
        _check_packed(found.metadata, name, rows)
        _check_types(found, name, schema)
        for place in range(found.num_row_groups):
            group = found.metadata.row_group(place)
            seen = _Seen(schema)
            for batch in found.iter_batches(row_groups=[place]):
                if levels is not None:
                    seen.list_texts(batch, levels)
                for part in _parts(batch):
                    seen.update(part)
                    yield part
            if not seen.fits(group):
                raise ReleaseError(f"{name} tells of its records what does not follow from them")


def _opened(file: Any, name: object, schema: pa.Schema) -> Any:
    texts = [item.name for item in schema if pa.types.is_string(item.type)]
    try:
        # Texts as places in a list of texts: a long one that occurs often is there once.
        return pq.ParquetFile(file, pre_buffer=False, read_dictionary=texts)
    except (OSError, ValueError, pa.ArrowException):
        raise
    except Exception:  # of a type that the file names and some package, such as pandas, makes
        raise _other_types(name) from None


def _other_types(name: object) -> ReleaseError:
    return ReleaseError(f"{name} does not have the types of its schema")


def _check_packed(found: Any, name: object, rows: int | None) -> None:
    """Refuse, by what the file says of itself, what would unpack into something else."""
    if set(found.metadata or ()) - {_TYPES}:
        # pandas obeys what it finds there: other names of columns, an index.
        raise ReleaseError(f"{name} holds notes beside its records, which releases do not")
    if rows is not None and found.num_rows != rows:
        raise ReleaseError(f"{name} holds another number of rows than its certificate states")
    groups = [found.row_group(place) for place in range(found.num_row_groups)]
    if sum(group.num_rows for group in groups) != found.num_rows:
        raise ReleaseError(f"{name} holds another number of rows than it tells")
    for group in groups:
        columns = [group.column(place) for place in range(found.num_columns)]
        if group.sorting_columns or any(map(_indexed, columns)):
            raise ReleaseError(f"{name} holds indices beside its records, which releases do not")
        for column in columns:
            if column.compression not in _CODECS or set(column.encodings) - _ENCODINGS:
                raise ReleaseError(f"{name} is packed in a way that releases are not")


def _indexed(column: Any) -> bool:
    """Whether there is something by which programs skip rows, or look for them elsewhere."""
    filters = getattr(column, "bloom_filter_offset", None)  # older Arrow does not tell
    indices = column.has_column_index or column.has_offset_index
    return indices or filters is not None or bool(column.file_path)


def _check_types(found: Any, name: object, schema: pa.Schema) -> None:
    """Refuse values in other types: 23 as a point of time is equal to 23, and reads otherwise."""
    empty = BytesIO()
    pq.write_table(schema.empty_table(), empty)
    wanted = pq.ParquetFile(empty)
    # Both: some programs go by the one, some by the other.
    same_types = map(_same_type, found.schema_arrow, wanted.schema_arrow)
    if _stored(found.schema) != _stored(wanted.schema) or not all(same_types):
        raise _other_types(name)


def _stored(schema: Any) -> list[tuple[object, ...]]:
    columns = (schema.column(place) for place in range(len(schema)))
    return [
        (column.path, column.physical_type, str(column.logical_type), column.max_repetition_level)
        for column in columns
    ]


def _same_type(found: pa.Field, wanted: pa.Field) -> bool:
    kind = found.type
    if pa.types.is_dictionary(kind) and not kind.ordered:
        kind = kind.value_type
    return kind.equals(wanted.type) and not set(found.metadata or ()) - {_NUMBER}


class _Seen:
    """Rows, missing values and ends of each column in a group of rows."""

    def __init__(self, schema: pa.Schema) -> None:
        self._rows, self._missing = 0, [0] * len(schema)
        self._ends: list[list[Any]] = [[] for _ in schema]
        self._listed, self._held = set[tuple[str, str]](), set[tuple[str, str]]()

    def list_texts(self, batch: pa.RecordBatch, levels: Mapping[str, Set[str]]) -> None:
        """Texts that are listed: programs show those that no row holds as categories."""
        for name, column in zip(batch.schema.names, batch.columns, strict=True):
            if not pa.types.is_dictionary(column.type):
                continue
            more = set(column.dictionary.to_pylist()) - levels.get(name, set())
            if more:
                self._listed |= {(name, text) for text in more}
                used = pc.unique(column.indices).drop_null()
                held = column.dictionary.take(used).to_pylist()
                self._held |= {(name, text) for text in held}

    def update(self, batch: pa.RecordBatch) -> None:
        self._rows += batch.num_rows
        for place, column in enumerate(batch.columns):
            self._missing[place] += column.null_count
            ends = pc.min_max(_raw(column)).as_py().values()
            both = [end for end in (*self._ends[place], *ends) if end is not None]
            self._ends[place] = [min(both), max(both)] if both else []

    def fits(self, group: Any) -> bool:
        """Whether what the file tells of the group is so."""
        if self._rows != group.num_rows or self._listed - self._held:
            return False
        for place, (missing, ends) in enumerate(zip(self._missing, self._ends, strict=True)):
            told = group.column(place).statistics
            if told is None:
                continue
            if told.has_null_count and told.null_count != missing:
                return False
            if told.has_min_max and [told.min_raw, told.max_raw] != ends:
                return False
        return True


def _raw(column: pa.Array) -> pa.Array:
    """The values as Parquet keeps them."""
    if pa.types.is_date32(column.type):
        return column.view(pa.int32())
    if pa.types.is_timestamp(column.type):
        return column.view(pa.int64())
    return column.cast(pa.binary()) if pa.types.is_string(column.type) else column


def _parts(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """A batch in pieces whose texts, written out, take up little memory."""
    width = sum(
        int(pc.max(pc.binary_length(column.dictionary)).as_py() or 0)
        for column in batch.columns
        if pa.types.is_dictionary(column.type)
    )
    step = max(_PIECE // (width + 1), 1)
    for start in range(0, batch.num_rows, step):
        piece = batch.slice(start, step)
        columns = [
            column.dictionary_decode() if pa.types.is_dictionary(column.type) else column
            for column in piece.columns
        ]
        yield pa.RecordBatch.from_arrays(columns, names=batch.schema.names)
