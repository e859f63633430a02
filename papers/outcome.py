"""What a study measured: one row per trial and measure, and the summaries tables need."""

import csv
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Outcome", "Outcomes"]


class Outcome(NamedTuple):
    """One number; `epsilon` is None where no budget is involved."""

    figure: str
    contender: str
    epsilon: float | None
    trial: int
    measure: str
    value: float


class Outcomes:
    """All numbers of a study, in the order in which they were measured.

    >>> found = Outcomes()
    >>> found.add(Outcome("2", "noise", 0.5, 1, "error", 3.0))
    >>> found.add(Outcome("2", "noise", 0.5, 2, "error", 5.0))
    >>> found.summary("2", "noise", 0.5, "error")
    (4.0, 1.4142135623730951)
    """

    def __init__(self) -> None:
        self._rows: list[Outcome] = []
        self._values: dict[tuple[str, str, float | None, str], list[float]] = {}

    def add(self, outcome: Outcome) -> None:
        """One more number."""
        figure, contender, epsilon, _, measure, value = outcome
        self._rows.append(outcome)
        self._values.setdefault((figure, contender, epsilon, measure), []).append(value)

    def values(
        self, figure: str, contender: str, epsilon: float | None, measure: str
    ) -> NDArray[np.float64]:
        """The trials of one cell; empty if it was not run."""
        return np.array(self._values.get((figure, contender, epsilon, measure), []))

    def summary(
        self, figure: str, contender: str, epsilon: float | None, measure: str
    ) -> tuple[float, float]:
        """Mean and standard deviation over the trials; not-a-number where there are too few."""
        found = self.values(figure, contender, epsilon, measure)
        nan = float("nan")
        mean = float(found.mean()) if len(found) else nan
        return mean, float(found.std(ddof=1)) if len(found) > 1 else nan

    def contenders(self, figure: str) -> list[str]:
        """Who took part in a figure, in order of appearance."""
        return list(dict.fromkeys(row.contender for row in self._rows if row.figure == figure))

    def __iter__(self) -> Iterator[Outcome]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def write(self, path: Path) -> None:
        """Every trial as CSV; numbers with all their digits."""
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(Outcome._fields)
            writer.writerows(_plain(self._rows))


def _plain(rows: Iterable[Outcome]) -> Iterator[list[object]]:
    return (["" if field is None else field for field in row] for row in rows)
