"""Where, up the line, the transform of weighted noises may be worth a point.

With weight w a factor of M repeats itself after 2π/w; what counts is whether many repeat at once.
Half-way round is divided into equal parts.  Over each part every factor is bounded by what it is
where the part is nearest to a repetition, so a part whose bounds multiply to less than e^−60 is
left out as a whole.  Those that stay are divided again, until they are as narrow as a peak of M
can be: of the mean of a number from 0 to 100, where all weights but one are even, that leaves
some hundred points in a million.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, pi
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sfumato.accuracy.inversion import FALLEN

__all__ = ["CELLS", "Factor", "Worth", "worth"]

CELLS = 16  # per weight, to begin with
_AGAIN = 4  # that a part is divided into
_MOST = 2**25  # parts times factors that are looked at
_WHOLE = 2**58  # places in halves of parts, times weights, are whole numbers of 64 bits


class Factor(Protocol):
    """Noises of one kind, size and weight."""

    @property
    def weight(self) -> int:
        """It repeats itself after 2π over this."""

    def fallen(self, turn: NDArray[np.float64]) -> NDArray[np.float64]:
        """What ln(|M| / M(θ)) is there at most, so far from a repetition; it falls."""


@dataclass(frozen=True, eq=False)
class Worth:
    """Runs of neighbouring parts, from the first to before the last, of so many half-way round."""

    runs: NDArray[np.int64]
    parts: int

    @property
    def share(self) -> float:
        """How much of the way they are."""
        return float((self.runs[:, 1] - self.runs[:, 0]).sum() / self.parts)

    def beyond(self, turn: float) -> bool:
        """Whether any of them reaches farther."""
        return bool(self.runs[-1, 1] * (pi / self.parts) > turn * (1 + 1e-9))

    def points(self, last: int, period: float, most: int) -> NDArray[np.int64] | None:
        """Which of the points 0 … last at 2π/period are in them; None if they are too many."""
        wide = period / (2 * self.parts)  # of a part, in points
        found, end = [], 0
        for a, b in self.runs.tolist():  # in order; where parts are narrow, two may share a point
            start, end = max(floor(a * wide), end), max(min(ceil(b * wide), last) + 1, end)
            found.append((start, end))
        if sum(b - a for a, b in found) > most:
            return None
        return np.concatenate([np.arange(a, b) for a, b in found])


def worth(factors: Sequence[Factor], spread: float) -> Worth | None:
    """The parts that are left, of noise with this deviation; None if nobody looked.

    >>> from fractions import Fraction
    >>> from sfumato.accuracy.discrete_sum import Part
    >>> even = [Part("laplace", Fraction(40), 1, weight) for weight in range(2, 100, 2)]
    >>> alone = Part("laplace", Fraction(40), 1, 99)
    >>> found = worth([*even, alone], 1e4)
    >>> len(found.runs), found.share < 0.01  # about 0, and half-way round
    (2, True)
    """
    heaviest = max(factor.weight for factor in factors)
    parts = CELLS * heaviest
    if parts * len(factors) > _MOST:
        return None
    left = np.arange(parts)[_may_be(factors, np.arange(parts), parts)]
    narrow = min(pi * spread, _WHOLE / heaviest)
    while parts < narrow and _AGAIN * len(left) * len(factors) <= _MOST:
        parts *= _AGAIN
        split = (_AGAIN * left[:, None] + np.arange(_AGAIN)).ravel()
        left = split[_may_be(factors, split, parts)]
    breaks = np.flatnonzero(np.diff(left) > 1)
    first, last = np.append(left[:1], left[breaks + 1]), np.append(left[breaks], left[-1:])
    return Worth(np.stack([first, last + 1], axis=1), parts)


def _may_be(factors: Sequence[Factor], which: NDArray[np.int64], parts: int) -> NDArray[np.bool_]:
    """Whether |M| may be worth e^−60 of what it is at the bottom, anywhere in these parts."""
    fallen = np.zeros(len(which))
    for factor in factors:
        # From the middle of the part to the nearest repetition, in whole half-parts: exactly.
        turned = factor.weight * (2 * which + 1) % (4 * parts)
        away = np.minimum(turned, 4 * parts - turned) - factor.weight
        fallen += factor.fallen(np.maximum(away, 0) * (pi / (2 * parts)))
    return np.asarray(fallen > -FALLEN)
