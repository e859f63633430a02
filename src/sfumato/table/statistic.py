"""A statistic: whole numbers that any engine can add up, in parts and in any order.

Records are counted where they are: each part of a table gives a total, and totals are merged.
All of it is in whole numbers, so the answer has the same bits for every order, batching, number
of threads and engine, and a part that is counted again gives the same again.

>>> parts = [np.array([[0], [2]], np.int32), np.array([[2]], np.int32)]
>>> folded(Rows(), parts)
3
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from sfumato.numeric.arrays import Whole

__all__ = ["Reads", "Rows", "Statistic", "WholeSum", "folded"]

T = TypeVar("T")

# What a statistic looks at: the codes of each record, or what is said against its values.
Reads = Literal["codes", "complaints"]


class Statistic(Protocol[T]):
    """A sum over records; a frozen value that can be sent to where the records are."""

    reads: ClassVar[Reads] = "codes"

    def zero(self) -> T:
        """The total of no records, to be added to."""

    def add(self, total: T, records: NDArray[Any]) -> T:
        """NOT PRIVATE: the total with these records, a row each; `total` itself may be changed."""

    def merge(self, a: T, b: T) -> T:
        """NOT PRIVATE: the total of both together; `a` itself may be changed."""


class WholeSum(Statistic[Whole], ABC):
    """A statistic that is one array of 64-bit whole numbers; sums are modulo 2⁶⁴."""

    @property
    @abstractmethod
    def shape(self) -> tuple[int, ...]:
        """Of the array: a public fact."""

    def zero(self) -> Whole:
        """Of no records."""
        return np.zeros(self.shape, np.int64)

    def merge(self, a: Whole, b: Whole) -> Whole:
        """NOT PRIVATE: of both together."""
        return np.add(a, b, out=a)


@dataclass(frozen=True)
class Rows(Statistic[int]):
    """How many records there are."""

    def zero(self) -> int:
        """Of no records."""
        return 0

    def add(self, total: int, records: NDArray[Any]) -> int:
        """NOT PRIVATE: with these records."""
        return total + len(records)

    def merge(self, a: int, b: int) -> int:
        """NOT PRIVATE: of both together."""
        return a + b


def folded(statistic: Statistic[T], parts: Iterable[NDArray[Any]]) -> T:
    """NOT PRIVATE: the total of records that are at hand."""
    total = statistic.zero()
    for records in parts:
        total = statistic.add(total, records)
    return total
