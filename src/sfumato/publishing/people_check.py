"""What must hold in the tables of a release by person, looked at a batch at a time.

Keys are 1, 2, 3 … in order, rows of a person stand together and are not more than the schema says,
what has one value for a person has one, what orders rows and what grows with them never falls, and
every row is that of a person.  What is missing is passed over where a column grows.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NoReturn

import numpy as np
import pyarrow as pa

from sfumato.errors import ReleaseError
from sfumato.numeric.arrays import Codes, Whole
from sfumato.schema.domain import MISSING, Domain
from sfumato.schema.person import People

__all__ = ["Joined", "PersonKeys", "PersonRows", "keys_in"]

_MOST = 2**48  # persons, and so keys


def keys_in(batch: pa.RecordBatch, name: str) -> Whole:
    """The keys of a batch; refused where one is missing, or is none of 1, 2, 3 …"""
    column = batch.column(name)
    if column.null_count:
        _out_of_order(name)
    keys = np.asarray(column, np.int64)
    if len(keys) and (keys.min() < 1 or keys.max() > _MOST):
        _out_of_order(name)
    return keys


def _out_of_order(name: str) -> NoReturn:
    raise ReleaseError(f"column {name}: the keys of persons are not 1, 2, 3 … in order")


@dataclass
class PersonKeys:
    """Keys of the table of persons: each the next one."""

    name: str
    last: int = 0

    def __call__(self, keys: Whole) -> None:
        """Some more of them."""
        if not np.array_equal(keys, np.arange(self.last + 1, self.last + 1 + len(keys))):
            _out_of_order(self.name)
        self.last += len(keys)


@dataclass
class PersonRows:
    """Rows of persons, as they follow each other."""

    domain: Domain
    people: People
    persons: int  # how many are stated
    last: int = 0  # the key of the last row
    _rows: int = 0  # that this person has had
    _before: Codes | None = None  # the last row
    _grown: dict[int, tuple[int, int]] = field(default_factory=dict)  # key and code, by column

    def __call__(self, keys: Whole, codes: Codes) -> None:
        """Some more of them, with the codes of all columns."""
        if not len(keys):
            return
        self._check_keys(keys)
        self._check_number(keys)
        names = [axis.name for axis in self.domain.axes]
        if not self.people.linked:
            self._check_constants(keys, codes, [names.index(n) for n in self.people.per_person])
        for place, axis in enumerate(self.domain.axes):
            if axis.name == self.people.order or getattr(axis.column, "increasing", False):
                self._check_grown(place, keys, codes[:, place])
        self.last, self._before = int(keys[-1]), codes[-1:]

    def finish(self) -> None:
        """Refuse another number of persons than is stated; those of a table of their own count."""
        if not self.people.linked and self.last != self.persons:
            raise ReleaseError("the certificate states another number of persons than there are")

    def _check_keys(self, keys: Whole) -> None:
        step = np.diff(keys, prepend=self.last)
        if self.people.linked:
            if keys.max() > self.persons:
                raise ReleaseError(
                    f"column {self.people.person}: a row belongs to nobody in the table of persons"
                )
            if (step < 0).any():
                raise ReleaseError(
                    f"column {self.people.person}: rows are not in the order of their persons"
                )
        elif ((step < 0) | (step > 1)).any():
            _out_of_order(self.people.person)

    def _check_number(self, keys: Whole) -> None:
        first = np.flatnonzero(np.diff(keys, prepend=keys[0] - 1))
        counts = np.diff(first, append=len(keys))
        counts[0] += self._rows if keys[0] == self.last else 0
        if counts.max() > self.people.rows:
            raise ReleaseError(f"a person has more than {self.people.rows:,} rows")
        self._rows = int(counts[-1])

    def _check_constants(self, keys: Whole, codes: Codes, places: list[int]) -> None:
        same = keys[1:] == keys[:-1]
        for place in places:
            column = codes[:, place]
            varies = ((column[1:] != column[:-1]) & same).any()
            if self._before is not None and keys[0] == self.last:
                varies |= column[0] != self._before[0, place]
            if varies:
                name = self.domain.axes[place].name
                raise ReleaseError(f"column {name}: a person has more than one value (per: person)")

    def _check_grown(self, place: int, keys: Whole, codes: Codes) -> None:
        there = codes != MISSING
        keys, codes = keys[there], codes[there]
        if not len(keys):
            return
        key, code = self._grown.get(place, (0, 0))
        whose, held = np.append(key, keys), np.append(code, codes)
        if ((np.diff(held) < 0) & (np.diff(whose) == 0)).any():
            name = self.domain.axes[place].name
            raise ReleaseError(f"column {name}: it falls from one row of a person to the next")
        self._grown[place] = int(keys[-1]), int(codes[-1])


class Joined:
    """The constants of persons beside their rows, both read once and in order."""

    def __init__(self, persons: Iterator[Codes], width: int) -> None:
        self._persons, self._first = persons, 1  # the key of the first one at hand
        self._codes: Codes = np.empty((0, width), np.int32)

    def __call__(self, keys: Whole) -> Codes:
        """Of the person of each row; the keys rise, and there are so many persons."""
        found, done = np.empty((len(keys), self._codes.shape[1]), np.int32), 0
        while done < len(keys):
            after = self._first + len(self._codes)
            end = int(np.searchsorted(keys, after))
            found[done:end] = self._codes[keys[done:end] - self._first]
            done = end
            if done < len(keys):
                self._first, self._codes = after, next(self._persons)
        return found
