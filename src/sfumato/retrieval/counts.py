"""Counts under public keys: how many records there are of each kind, word or place.

The list of keys is public: which keys there are, and in which order.  The counts are private:
one that is missing, no number, or below 0 counts as 0, so that no refusal depends on a count.
"""

import hashlib
import hmac
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sfumato.errors import DataError, ParameterError
from sfumato.numeric.arrays import Whole
from sfumato.table.read_numbers import numbers
from sfumato.table.source import Source, columns_of, open_source

__all__ = ["LARGEST_COUNT", "MOST_KEYS", "Counts", "Keys"]

LARGEST_COUNT = 2**40  # so that the sum of all stays a whole number of 64 bits
MOST_KEYS = 2**22
_FEWEST = 20  # keys, which are public: counts of fewer are alike by accident
_COLUMNS = ("key", "count")


@dataclass(frozen=True, eq=False)
class Keys:
    """The public list of keys, and queries that name some of them.

    >>> keys = Keys(("flu", "cold", "cough"))
    >>> keys.chosen(["cough", "flu"]).tolist(), keys.span("flu", "cold").tolist()
    ([1, 0, 1], [1, 1, 0])
    """

    names: tuple[str, ...]

    def __post_init__(self) -> None:
        if not 2 <= len(self.names) <= MOST_KEYS:
            raise DataError(f"counts must have from 2 to {MOST_KEYS} keys, not {len(self.names)}")
        if "" in self._places:
            raise DataError("column key: every row needs a key; complete or remove the row")
        if len(self._places) < len(self.names):
            raise DataError("column key: a key is listed twice; add its counts up first")

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def _places(self) -> dict[str, int]:
        return {name: place for place, name in enumerate(self.names)}

    def place(self, key: str) -> int:
        """Where a key stands in the list."""
        found = self._places.get(key)
        if found is None:
            raise ParameterError(f"key {key!r} is not in the public list of keys: check its name")
        return found

    def chosen(self, keys: Iterable[str]) -> Whole:
        """The query that adds up the counts of these keys, each once."""
        query = np.zeros(len(self), np.int64)
        query[[self.place(key) for key in keys]] = 1
        return query

    def span(self, first: str, last: str) -> Whole:
        """The query that adds up all counts from one key to another, in the order of the list."""
        start, stop = self.place(first), self.place(last)
        if start > stop:
            raise ParameterError(f"{first!r} comes after {last!r} in the list of keys: swap them")
        query = np.zeros(len(self), np.int64)
        query[start : stop + 1] = 1
        return query

    def digest(self) -> str:
        """A short name for this list in this order."""
        return hashlib.sha256("\0".join(self.names).encode()).hexdigest()


@dataclass(frozen=True, eq=False)
class Counts:
    """NOT PRIVATE: a count for every key, as it is read and as it is protected."""

    keys: Keys
    values: Whole
    total: int  # records, before a count was cut to the range; beyond it only that it is

    @classmethod
    def read(cls, data: Any) -> "Counts":
        """The counts in a CSV or Parquet file, a frame or an Arrow table: columns key and count.

        In a table of two columns other names will do.

        >>> table = pa.table({"word": ["flu", "cold"], "seen": ["7", "?"]})
        >>> Counts.read(table).values.tolist()
        [7, 0]
        """
        source = open_source(data, ("key", "count"))
        key, count = _roles(source)
        table = columns_of(source, (key, count))
        keys = Keys(tuple(_texts(table.column(key))))
        read = [numbers(chunk) for chunk in table.column(count).chunks]
        return cls.of(keys, np.concatenate(read))

    @classmethod
    def of(cls, keys: Keys | Sequence[str], values: Any) -> "Counts":
        """Counts as numbers, rounded and brought into the range that they are protected in."""
        keys = keys if isinstance(keys, Keys) else Keys(tuple(keys))
        given = np.asarray(values, np.float64)
        if given.shape != (len(keys),):
            raise DataError(f"there are {len(keys)} keys: give one count for each of them")
        inside = np.clip(np.nan_to_num(given, nan=0.0), 0, LARGEST_COUNT + 1)
        # Halves downwards, so that one record more is one step more wherever a number lies: to
        # the nearest even one, 2.5 and 3.5 would be two steps apart.
        read = np.ceil(inside - 0.5).astype(np.int64)
        return cls(keys, np.minimum(read, LARGEST_COUNT), int(read.sum()))

    @property
    def records(self) -> int:
        """How many records were counted: private, unless the neighbours are replace-one.

        Refused above the largest count.  Up to there no count was cut to the range, so the number
        stays what it is when a record moves from one key to another; and whether it is above
        says nothing more than the number itself, which is public.
        """
        if self.total > LARGEST_COUNT:
            raise DataError(
                f"the counts add up to more than {LARGEST_COUNT} records, too many for a number "
                "that is published: choose add-remove neighbours, or count in larger units"
            )
        return self.total

    def fingerprint(self, key: bytes | None) -> bytes | None:
        """A digest under the ledger's key, by which it knows the same counts again."""
        if key is None or len(self.keys) < _FEWEST:
            return None
        order = np.argsort(np.array(self.keys.names))
        digest = hmac.new(key, b"sfumato counts", hashlib.blake2b)
        digest.update("\0".join(sorted(self.keys.names)).encode())
        digest.update(np.ascontiguousarray(self.values[order]).tobytes())
        return digest.digest()[:32]

    def __repr__(self) -> str:
        return f"<Counts under {len(self.keys)} keys>"


def _roles(source: Source) -> tuple[str, str]:
    present = list(source.names)
    if set(_COLUMNS) <= set(present):
        return _COLUMNS
    if len(present) == 2 and not set(_COLUMNS) & set(present):
        return present[0], present[1]
    raise DataError("counts need a column key and a column count: rename the columns")


def _texts(column: pa.ChunkedArray) -> list[str]:
    try:
        texts = pc.utf8_trim_whitespace(column.cast(pa.string()))
    except pa.ArrowException:
        texts = None
    if texts is None:
        raise DataError("column key: keys must be texts or whole numbers; convert it")
    found: list[str] = pc.fill_null(texts, "").to_pylist()
    return found
