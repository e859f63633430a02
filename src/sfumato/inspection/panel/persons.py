"""NOT PRIVATE: persons of a panel: all of them at once, some of them, and each as one number."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.numeric.arrays import Whole
from sfumato.table.people.panel import Panel
from sfumato.table.row_digest import row_digests, row_weights, scrambled

__all__ = ["Everybody", "in_a_fixed_order", "signatures", "some_persons", "steps"]

_WEIGHTS = b"persons as they are"


@dataclass(frozen=True)
class Everybody:
    """All persons, put together; in whatever order threads came to them."""

    constants: int  # columns
    rows: int

    def zero(self) -> Panel:
        """Nobody."""
        none = np.empty((0, self.constants), np.int32), np.empty((0, self.rows), np.int32)
        return Panel(none[0], np.zeros(1, np.int64), none[1])

    def add(self, total: Panel, panel: Panel) -> Panel:
        """NOT PRIVATE: with these."""
        return self.merge(total, panel)

    def merge(self, a: Panel, b: Panel) -> Panel:
        """NOT PRIVATE: both together."""
        return Panel(
            np.vstack([a.constants, b.constants]),
            np.concatenate([a.start, a.start[-1] + b.start[1:]]),
            np.vstack([a.rows, b.rows]),
        )


def some_persons(panel: Panel, places: NDArray[np.integer]) -> Panel:
    """NOT PRIVATE: these persons alone, in this order.

    >>> three = Panel(np.array([[0], [1], [2]], np.int32), np.array([0, 2, 2, 3]),
    ...     np.array([[4], [5], [6]], np.int32))
    >>> two = some_persons(three, np.array([2, 0]))
    >>> two.constants.tolist(), two.start.tolist(), two.rows.tolist()
    ([[2], [0]], [0, 1, 3], [[6], [4], [5]])
    """
    counts = panel.counts[places]
    start = np.append(0, np.cumsum(counts))
    at = np.repeat(panel.start[:-1][places] - start[:-1], counts) + np.arange(start[-1])
    return Panel(panel.constants[places], start, panel.rows[at])


def signatures(panel: Panel) -> NDArray[np.uint64]:
    """NOT PRIVATE: a number for each person: equal where constants and rows are, in any order.

    Persons who differ share one with a chance of about 2⁻⁶⁴ for each pair.

    >>> two = Panel(np.zeros((2, 0), np.int32), np.array([0, 2, 4]),
    ...     np.array([[4], [5], [5], [4]], np.int32))
    >>> first, second = signatures(two)
    >>> bool(first == second)
    True
    """
    rows, own = (
        row_digests(codes, row_weights(_WEIGHTS + what, codes.shape[1])[0])
        for what, codes in ((b"r", panel.rows), (b"c", panel.constants))
    )
    running = np.append(np.uint64(0), np.cumsum(rows, dtype=np.uint64))
    summed = running[panel.start[1:]] - running[panel.start[:-1]]  # modulo 2⁶⁴
    return scrambled(summed + own * np.uint64(0x9E3779B97F4A7C15) + panel.counts.astype(np.uint64))


def in_a_fixed_order(panel: Panel) -> Panel:
    """NOT PRIVATE: the same persons, in an order that follows from what they hold."""
    return some_persons(panel, np.argsort(signatures(panel), kind="stable"))


def steps(panel: Panel, lag: int = 1) -> Whole:
    """NOT PRIVATE: the rows of which the row so many further on is of the same person.

    >>> two = Panel(np.zeros((2, 0), np.int32), np.array([0, 3, 4]), np.zeros((4, 0), np.int32))
    >>> steps(two).tolist(), steps(two, 2).tolist()
    ([0, 1], [0])
    """
    owner = panel.owner
    return np.flatnonzero(owner[lag:] == owner[:-lag])
