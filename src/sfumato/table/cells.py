"""Statistics that are counts of cells: what can be counted where records are, without code of ours.

A cell is a whole number that each record has by its codes, or by what is said against its values;
a table counts records by one or more cells.  A database can do that in its own language, and the
statistic puts the counts in their places.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from sfumato.numeric.arrays import Whole

__all__ = ["Cell", "CellCounts", "FirstComplaint", "Key"]

T_co = TypeVar("T_co", covariant=True)
Places = NDArray[np.integer[Any]]


@dataclass(frozen=True, eq=False)
class Cell:
    """The sum of what the codes of some columns stand for; by code, with missing last."""

    parts: tuple[tuple[int, Places], ...] = field(default=(), repr=False)


@dataclass(frozen=True, eq=False)
class FirstComplaint:
    """What the first complaint stands for, by column and complaint; 0 where there is none."""

    places: Places = field(repr=False)


Key = Cell | FirstComplaint


@runtime_checkable
class CellCounts(Protocol[T_co]):
    """A statistic that is made of such tables."""

    def tables(self) -> Sequence[tuple[Key, ...]]:
        """By what records are counted, table by table."""

    def gathered(self, counted: Sequence[Whole]) -> T_co:
        """NOT PRIVATE: the total, of tables with a row for each combination of cells that occurs.

        A row has the cells, in the order of the keys, and last how many records there are.
        """
