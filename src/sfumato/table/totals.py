"""What is sent to where records are, whatever it adds up: totals in bytes, and how they merge.

A task answers once for all that a partition holds, in bytes.  What goes wrong on the way is
caught there and comes back as a marker: an error that travelled could quote a record.
"""

import pickle
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from sfumato.errors import DataError
from sfumato.numeric.threads import one_blas_thread

__all__ = ["Failed", "Totals", "TotalsTask", "failed"]

S = TypeVar("S")

Totals = tuple[Any, ...]


class Summed(Protocol):
    """A statistic, whatever it is a sum over."""

    def zero(self) -> Any:
        """The total of nothing."""

    def merge(self, a: Any, b: Any) -> Any:
        """NOT PRIVATE: the total of both together."""


@dataclass(frozen=True)
class Failed:
    """The marker of a partition that was not counted; the words are ours, of the data or not."""

    words: str
    of_data: bool

    def error(self) -> Exception:
        """What is raised for it where the answers are wanted."""
        return DataError(self.words) if self.of_data else RuntimeError(self.words)


class TotalsTask(ABC, Generic[S]):
    """Statistics of what a partition holds."""

    @property
    @abstractmethod
    def _all(self) -> tuple[Summed, ...]:
        """The statistics, in the order of their totals."""

    @abstractmethod
    def _totals(self, items: Iterable[S]) -> Totals:
        """NOT PRIVATE: the totals of these items."""

    def zero(self) -> Totals:
        """Of no records: its size is that of every answer."""
        return tuple(each.zero() for each in self._all)

    def __call__(self, items: Iterable[S]) -> bytes:
        """NOT PRIVATE: the totals of a partition, or the marker of a failure."""
        try:
            with one_blas_thread:
                return pickle.dumps(self._totals(items), protocol=5)
        except Exception as error:  # whatever it is, it may quote a record
            return pickle.dumps(failed(error))

    def merged(self, answers: Iterable[bytes]) -> bytes:
        """NOT PRIVATE: one answer for several partitions, for engines that merge by trees."""
        try:
            return pickle.dumps(self._total(answers), protocol=5)
        except Exception as error:
            return pickle.dumps(failed(error))

    def total(self, answers: Iterable[bytes]) -> Totals:
        """NOT PRIVATE: the totals of all partitions; raises what a marker stands for."""
        found = self._total(answers)
        if isinstance(found, Failed):
            raise found.error()
        return found

    def _total(self, answers: Iterable[bytes]) -> Totals | Failed:
        """The first marker, if there is any, in place of the totals."""
        total: Totals | None = None
        for answer in answers:
            found = pickle.loads(answer)  # noqa: S301  our own, from a task of our own
            if isinstance(found, Failed):
                return found
            total = found if total is None else self._merged(total, found)
        return self.zero() if total is None else total

    def _merged(self, a: Totals, b: Totals) -> Totals:
        return tuple(each.merge(x, y) for each, x, y in zip(self._all, a, b, strict=True))


def failed(error: Exception) -> Failed:
    """The marker of an error: in words of ours, or by its type alone."""
    if isinstance(error, DataError):
        return Failed(str(error), of_data=True)
    # An error of NumPy names the number that it met.
    return Failed(f"the records could not be counted ({type(error).__name__})", of_data=False)
