"""Columns of a batch as numbers, days or texts, each value by its own rule.

What cannot be read as the declared kind lies outside every range and on every step, and is no
value of a category.
"""

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.facts.place import UNREADABLE, places
from sfumato.facts.selection import LONGEST
from sfumato.facts.step import calendar_levels, decimal_levels
from sfumato.numeric.arrays import Whole
from sfumato.schema import Category, Date, Integer, Number
from sfumato.schema.consistent import whole
from sfumato.schema.shorthand import OTHER
from sfumato.schema.written_number import written_in
from sfumato.table.missing_word import said_missing
from sfumato.table.read_dates import moments
from sfumato.table.read_levels import texts
from sfumato.table.read_numbers import numbers

__all__ = ["ORIGIN", "findable", "joined", "read_range", "read_texts"]

ORIGIN = np.datetime64("2020-01-01T00:00:00", "s")  # dates are counted in days from here
_DAY = 86_400


def read_range(
    column: pa.Array,
    declared: Number | Integer | Date,
    *,
    origin: float = 0.0,
    down: bool = False,
) -> tuple[Whole, Whole]:
    """NOT PRIVATE: the place of each value, written as it is declared, and the level of its step.

    `origin` is a declared end, from which values are counted, downwards with `down`.
    """
    if isinstance(declared, Date):
        found = moments(column, declared.format, utc=declared.tells_time)
        if (gone := said_missing(declared, column, found)) is not None:
            found[gone] = np.datetime64("NaT")
        values = (found - ORIGIN).astype(np.float64) / _DAY
        values[np.isnat(found)] = np.nan
        levels = calendar_levels(found)
    else:
        values = numbers(column, written_in(declared))
        if (gone := said_missing(declared, column, values)) is not None:
            values = np.where(gone, np.nan, values)
        levels = decimal_levels(values)
    return places(_from(values, origin, down)), levels


def _from(values: NDArray[np.float64], origin: float, down: bool) -> NDArray[np.float64]:
    with np.errstate(over="ignore"):
        return origin - values if down else values - origin


def joined(columns: list[Whole]) -> tuple[Whole, Whole]:
    """The smallest and the largest readable place of each record."""
    every = np.stack(columns)
    high = np.where(every == UNREADABLE, -UNREADABLE, every).max(axis=0)
    return every.min(axis=0), np.where(high == -UNREADABLE, UNREADABLE, high)


def read_texts(column: pa.Array, declared: Category) -> tuple[Whole, list[str | None]]:
    """NOT PRIVATE: for each row the place of its text; None for one that can never be found."""
    index, found = texts(column)
    gone = {whole(word) for word in declared.missing_words or ()}
    taken = {str(declared.other or OTHER).strip()}

    def kept(text: str) -> bool:
        return findable(text) and text not in taken and whole(text) not in gone

    return index, [text if kept(text) else None for text in found]


def findable(text: str) -> bool:
    """Whether a text may be a value of a category: by a public rule, whatever the others are.

    >>> [findable(text) for text in ("cardiology", "", "a\\0b", "x" * 201)]
    [True, False, False, False]
    """
    if not 0 < len(text) <= LONGEST or "\ufffd" in text:
        return False
    return not any(c in "\0\r" or 0xD800 <= ord(c) <= 0xDFFF for c in text)
