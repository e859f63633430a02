"""A sentence of a paper beside what came out, judged by the numbers alone."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import isfinite

__all__ = ["BEYOND", "UNSTATED", "Claim", "judged", "less", "percent"]

UNSTATED = "stated without numbers"
BEYOND = "not considered"  # a question that the paper does not ask


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence of the paper, its numbers, ours, and in how many cells it holds."""

    figure: str
    text: str
    paper: str
    ours: str
    holds: int
    cells: int

    @property
    def verdict(self) -> str:
        """Reached, reached in part, not reached, or not run."""
        if not self.cells:
            return "not run"
        if self.holds == self.cells:
            return "reached"
        return f"reached in {self.holds} of {self.cells}" if self.holds else "not reached"


def judged(figure: str, text: str, paper: str, ours: str, cells: Iterable[bool | None]) -> Claim:
    """The claim with its cells counted; None stands for a cell that was not run.

    >>> judged("1", "noise grows", "twice", "1.9 times", [True, None, False]).verdict
    'reached in 1 of 2'
    """
    known = [cell for cell in cells if cell is not None]
    return Claim(figure, text, paper, ours if known else "not run", sum(known), len(known))


def less(low: float, high: float) -> bool | None:
    """Whether one is smaller; None where either was not measured."""
    return bool(low < high) if isfinite(low) and isfinite(high) else None


def percent(share: float) -> str:
    """A share as a person reads it."""
    return f"{100 * share:.1f} %"
