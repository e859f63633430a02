"""Some whole persons, and sums over persons that any engine can add up.

>>> three = Panel(
...     constants=np.array([[0], [1], [1]], np.int32),
...     start=np.array([0, 2, 2, 3]),
...     rows=np.array([[4], [5], [4]], np.int32),
... )
>>> three.counts.tolist(), three.owner.tolist()
([2, 0, 1], [0, 0, 2])
>>> Persons().add(0, three)
3
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from sfumato.numeric.arrays import Codes, Whole

__all__ = ["Cells", "Panel", "PeopleStatistic", "Persons"]

T = TypeVar("T")
Cells = NDArray[np.unsignedinteger]  # of first complaints (`sfumato.table.first_complaint`)


@dataclass(frozen=True, eq=False)
class Panel:
    """NOT PRIVATE: persons in the order of their hashes, with the rows of each that are kept.

    Rows are in the order that the layout names, those of equal order and those without one in
    that of their hashes.  There may be persons without a row.
    """

    constants: Codes  # one row per person, one column per axis
    start: Whole  # where the rows of each person begin, and where the last ones end
    rows: Codes  # one row per row, one column per axis
    # Where it was asked for: the cell of the first complaint of each row, and, where persons have a
    # table of their own, of each person's row there.
    said: Cells | None = None
    person_said: Cells | None = None

    @property
    def persons(self) -> int:
        """How many there are."""
        return len(self.start) - 1

    @cached_property
    def counts(self) -> Whole:
        """How many rows each person has."""
        return np.diff(self.start)

    @cached_property
    def owner(self) -> Whole:
        """For each row the place of its person."""
        return np.repeat(np.arange(self.persons), self.counts)


class PeopleStatistic(Protocol[T]):
    """A sum over persons, in whole numbers; a frozen value that can be sent to where they are."""

    def zero(self) -> T:
        """The total of nobody, to be added to."""

    def add(self, total: T, panel: Panel) -> T:
        """NOT PRIVATE: the total with these persons; `total` itself may be changed."""

    def merge(self, a: T, b: T) -> T:
        """NOT PRIVATE: the total of both together; `a` itself may be changed."""


@dataclass(frozen=True)
class Persons:
    """How many persons there are."""

    def zero(self) -> int:
        """Of nobody."""
        return 0

    def add(self, total: int, panel: Panel) -> int:
        """NOT PRIVATE: with these persons."""
        return total + panel.persons

    def merge(self, a: int, b: int) -> int:
        """NOT PRIVATE: of both together."""
        return a + b
