"""Records of a CSV file one at a time, for a file with a record that no block can hold.

Slower than Arrow, and without its bound: a long record is a record like any other.  Python reads
quotation marks, line breaks and broken rows as Arrow does; a test holds the two together.
"""

import csv
import struct
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice

import pyarrow as pa

from sfumato.table.file.batch import text_batches

__all__ = ["csv_rows", "has_records", "long_records"]

_NO_LIMIT = 2 ** (8 * struct.calcsize("l") - 1) - 1


def has_records(
    lines: Iterable[str], delimiter: str, count: int, *, quote: str | None = '"'
) -> bool:
    """Whether there are at least so many records; no more are read, and no field is kept.

    >>> has_records(["1,2\\n", "\\n"], ",", 2), has_records(['"1\\n', '2"'], ",", 2)
    (True, False)
    """
    with _unlimited():
        return sum(1 for _ in islice(csv_rows(lines, delimiter, quote), count)) == count


def long_records(
    lines: Iterable[str],
    names: Sequence[str],
    delimiter: str,
    columns: Sequence[str],
    done: int,
    *,
    quote: str | None = '"',
) -> Iterator[pa.RecordBatch]:
    """NOT PRIVATE: all records but the first `done`, as texts; broken rows as missing ones.

    >>> batches = long_records(["1,2\\n", "3\\n", "\\n", "4,5"], ["a", "b"], ",", ["b"], 1)
    >>> [batch.column("b").to_pylist() for batch in batches]
    [[None, '', '5']]
    """
    places = [names.index(name) for name in columns]
    with _unlimited():
        rows = islice(csv_rows(lines, delimiter, quote), done, None)
        # An empty line is a record of empty texts.
        whole = (row or [""] * len(names) for row in rows)
        picked = (
            [row[place] if len(row) == len(names) else None for place in places] for row in whole
        )
        yield from text_batches(picked, columns)


def csv_rows(lines: Iterable[str], delimiter: str, quote: str | None) -> Iterator[list[str]]:
    """The fields of each record; without a quotation mark every line is one."""
    texts = (line.replace("\0", "\ufffd") for line in lines)
    if quote is None:
        return csv.reader(texts, delimiter=delimiter, quoting=csv.QUOTE_NONE)
    return csv.reader(texts, delimiter=delimiter, quotechar=quote)


@contextmanager
def _unlimited() -> Iterator[None]:
    """Fields of any length, which Python bounds for the whole process."""
    before = csv.field_size_limit(_NO_LIMIT)
    try:
        yield
    finally:
        csv.field_size_limit(before)
