"""A digest of released records that does not depend on file format, batching or version.

It is a tree.  A leaf is the digest of `LEAF_ROWS` records that follow each other in a file, the
last one of what is left; the digest of a file is a hash over its leaves and the number of its
records; that of a release is its file's, or, of several files or tables, a hash over their names,
numbers of records and digests, in order.  So leaves can be worked out by whoever draws the
records, at the same time.

A text stands in a leaf as its place among the distinct texts of its column there, in the order of
their bytes: files that keep texts as dictionaries are hashed as fast as numbers.
"""

import hashlib
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

__all__ = ["LEAF_ROWS", "Content", "Hashed", "PartsContent", "TablesContent", "leaf_digest"]

LEAF_ROWS = 65_536


class Hashed(NamedTuple):
    """A batch, with its digest where it has as many records as a leaf."""

    batch: pa.RecordBatch
    digest: bytes | None


def leaf_digest(batch: pa.RecordBatch) -> bytes:
    """The digest of records that are a leaf: `LEAF_ROWS`, or the last ones of a file."""
    total = hashlib.sha256(_said(b"records", batch.num_rows))
    for name, column in zip(batch.schema.names, batch.columns, strict=True):
        named = name.encode()
        total.update(_said(b"column", len(named)) + named)
        texts = pa.types.is_string(column.type) or pa.types.is_dictionary(column.type)
        for piece in _texts(column) if texts else _values(column):
            total.update(piece)
    return total.digest()


class Content:
    """Running digest over the records of one file.

    >>> whole, halves = Content(), Content()
    >>> batch = pa.RecordBatch.from_pydict({"a": [1, None, 3], "b": ["x", "yz", None]})
    >>> whole.update(batch)
    >>> halves.update(batch.slice(0, 1)); halves.update(batch.slice(1))
    >>> whole.hexdigest() == halves.hexdigest()
    True
    """

    def __init__(self) -> None:
        self.rows = 0
        self._leaves, self._open = list[bytes](), list[pa.RecordBatch]()

    def update(self, batch: pa.RecordBatch | Hashed) -> None:
        """Add the records of a batch; what was hashed already is not hashed again."""
        if isinstance(batch, Hashed):
            batch, digest = batch
            if digest is not None and not self._open:
                self.rows += batch.num_rows
                self._leaves.append(digest)
                return
        self.rows += batch.num_rows
        batch = _compact(batch)
        while batch.num_rows:
            room = LEAF_ROWS - sum(part.num_rows for part in self._open)
            self._open.append(batch.slice(0, room))
            batch = batch.slice(room)
            if self.rows - batch.num_rows == (len(self._leaves) + 1) * LEAF_ROWS:
                self._leaves.append(self._leaf())
                self._open.clear()

    def hexdigest(self) -> str:
        """The digest of everything so far."""
        total = hashlib.sha256(_said(b"file", self.rows))
        for leaf in self._leaves:
            total.update(leaf)
        if self._open:
            total.update(self._leaf())
        return total.hexdigest()

    def _leaf(self) -> bytes:
        (batch,) = pa.Table.from_batches(self._open).combine_chunks().to_batches()
        return leaf_digest(batch)


class PartsContent:
    """Running digest over several files, in their order.

    >>> parts = PartsContent()
    >>> parts.add("data/part-00000.parquet", 0, Content().hexdigest())
    >>> parts.rows, len(parts.hexdigest())
    (0, 64)
    """

    def __init__(self) -> None:
        self.rows, self._total = 0, hashlib.sha256(b"files")

    def add(self, name: str, rows: int, digest: str) -> None:
        """The next file: what it is called, how many records it has, and their digest."""
        named = name.encode()
        self.rows += rows
        self._total.update(_said(b"name", len(named)) + named + _said(b"rows", rows))
        self._total.update(bytes.fromhex(digest))

    def hexdigest(self) -> str:
        """The digest of all of them."""
        return self._total.hexdigest()


class TablesContent:
    """Running digest over the tables of a release: one, or persons and then their events.

    >>> rows = pa.RecordBatch.from_pydict({"a": [1, 2]})
    >>> both = TablesContent(["persons", "events"])
    >>> both.update("events", rows); both.update("persons", rows.slice(1))
    >>> both.rows, len(both.hexdigest())
    (2, 64)
    """

    def __init__(self, names: Iterable[str] = ("data",)) -> None:
        self._each = {name: Content() for name in names}

    def update(self, table: str, batch: pa.RecordBatch | Hashed) -> None:
        """Add the records of a batch of this table."""
        self._each[table].update(batch)

    @property
    def rows(self) -> int:
        """Those of the last table: what persons have rows in, where there are two."""
        *_, last = self._each.values()
        return last.rows

    def hexdigest(self) -> str:
        """The digest of everything so far; that of a single table is its own."""
        if len(self._each) == 1:
            return next(iter(self._each.values())).hexdigest()
        both = PartsContent()
        for name, content in self._each.items():
            both.add(name, content.rows, content.hexdigest())
        return both.hexdigest()


def _compact(batch: pa.RecordBatch) -> pa.RecordBatch:
    """The same with every text once: a long one that occurs often is not held as often."""
    columns = [
        column.dictionary_encode() if pa.types.is_string(column.type) else column
        for column in batch.columns
    ]
    return pa.RecordBatch.from_arrays(columns, names=batch.schema.names)


def _said(what: bytes, number: int) -> bytes:
    return what + b"\0" + number.to_bytes(8, "little")


def _texts(column: pa.Array) -> tuple[bytes | memoryview, ...]:
    """The distinct texts with their lengths, and the place of each value; past the last: none."""
    column = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    # As bytes, which need not be the letters that they are said to be.
    levels: list[bytes | None] = column.dictionary.cast(pa.binary()).to_pylist()
    places = np.asarray(column.indices.fill_null(0)).astype(np.intp)
    if column.null_count:
        places[np.asarray(column.is_null())] = len(levels)
    used = np.flatnonzero(np.bincount(places, minlength=len(levels) + 1)[:-1])
    found = sorted({text for k in used if (text := levels[k]) is not None})
    order = {text: place for place, text in enumerate(found)}
    rank = np.full(len(levels) + 1, len(found), _width(len(found)))
    rank[used] = [len(found) if (text := levels[k]) is None else order[text] for k in used]
    lengths = np.array([len(text) for text in found], "<i8")
    return _said(b"texts", len(found)), lengths.tobytes(), b"".join(found), rank[places].data


def _width(largest: int) -> np.dtype[np.unsignedinteger]:
    """The same whoever hashes: the narrowest that holds it, lowest byte first."""
    return np.dtype("<u1" if largest < 2**8 else "<u2" if largest < 2**16 else "<u4")


def _values(column: pa.Array) -> tuple[bytes | memoryview, ...]:
    """Which values are missing, if any is, and the present ones as bytes."""
    marks, present = b"", column
    if column.null_count:
        marks, present = np.packbits(np.asarray(column.is_valid())).tobytes(), column.drop_null()
    return _said(b"values", column.null_count), marks, _numbers(present).data


def _numbers(present: pa.Array) -> NDArray[np.generic]:
    if pa.types.is_boolean(present.type):
        present = present.cast(pa.uint8())
    elif pa.types.is_date32(present.type):
        present = present.view(pa.int32())
    elif pa.types.is_timestamp(present.type):
        present = present.view(pa.int64())
    values = np.asarray(present)
    return np.ascontiguousarray(values.astype(values.dtype.newbyteorder("<"), copy=False))
