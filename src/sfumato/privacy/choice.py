"""The exponential mechanism, exactly: one of several public candidates, the better the likelier.

    P(i)  ∝  exp(ε · score_i / (2Δ)),        score_i a whole number of steps of 1/unit

is ε-differentially private if, between neighbours, no two scores move apart by more than
2Δ (McSherry and Talwar 2007; `docs/proofs/exponential.md`).  Scores that each move by at
most Δ are such; so are scores that move one way only, by at most 2Δ.

The weights are irrational, so each is covered by a whole number of cells: at least
2^width · exp(−z) of them.  A cell is drawn uniformly, and a point in it; the point counts if
it lies below 2^width · exp(−z), which `enclosure.Uniform` decides without a rounding error.
One proposal is nearly always enough, however one candidate dominates.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import ParameterError
from sfumato.numeric.arrays import Whole
from sfumato.privacy.enclosure import Uniform
from sfumato.privacy.guarantee import PureDP
from sfumato.privacy.mechanism import Event
from sfumato.privacy.noise import uniform_below
from sfumato.privacy.randomness import Bits

__all__ = ["Ceilings", "Choice", "draw_index", "width_for"]


_SLACK = 2.0**-36  # eight times what `exp` and its argument are trusted with
_STEEPEST = 2.0**900  # floats stand in with it for rates that no float holds


@dataclass(frozen=True, slots=True)
class Choice:
    """A draw that costs `budget` where scores move apart by at most twice `sensitivity`.

    >>> from sfumato.privacy.randomness import SeededBits
    >>> choice = Choice("column", Fraction(1), PureDP(2))
    >>> choice.event.noise
    Fraction(1, 1)
    >>> choice.draw(np.array([3, 90, 4]), SeededBits(1))
    1
    """

    statistic: str
    sensitivity: Fraction
    budget: PureDP
    unit: int = 1

    def __post_init__(self) -> None:
        if not isinstance(self.sensitivity, Fraction) or self.sensitivity <= 0:
            raise ParameterError(
                f"sensitivity must be a Fraction above 0, got {self.sensitivity!r}"
            )
        if isinstance(self.unit, bool) or not isinstance(self.unit, int) or self.unit < 1:
            raise ParameterError(f"unit must be a whole number of at least 1, got {self.unit!r}")
        if not isinstance(self.budget, PureDP):
            raise ParameterError("a private choice takes epsilon only: leave out delta and rho")

    @property
    def event(self) -> Event:
        """What is chosen, its temperature in units of the score, and its price."""
        temperature = 2 * self.sensitivity / self.budget.epsilon
        return Event(self.statistic, "exponential", self.sensitivity, temperature, self.budget)

    @property
    def rate(self) -> Fraction:
        """How much one step of the score adds to the logarithm of a probability."""
        return self.budget.epsilon / (2 * self.sensitivity * self.unit)

    def draw(self, scores: Whole, bits: Bits) -> int:
        """The position of the chosen score; pay for `event` first, that buys the bits."""
        if not len(scores):
            raise ParameterError("a choice needs at least one candidate")
        return int(draw_index(scores.max() - scores, self.rate, 1, bits)[0])


def draw_index(gaps: Whole, rate: Fraction, size: int, bits: Bits) -> Whole:
    """`size` draws with P(i) ∝ exp(−rate · gapᵢ), exactly; the smallest gap is 0.

    >>> from sfumato.privacy.randomness import SeededBits
    >>> draw_index(np.array([1, 0, 1000]), Fraction(1, 2), 8, SeededBits(1)).tolist()
    [1, 1, 1, 0, 0, 0, 1, 0]
    """
    approximate = np.asarray(gaps, np.float64) * float(min(rate, Fraction(_STEEPEST)))
    ceilings = Ceilings(approximate, lambda i: int(gaps[i]) * rate, width_for(len(gaps)))
    ends = np.cumsum(ceilings.above)
    found: list[Whole] = []
    while (missing := size - sum(map(len, found))) > 0:
        cell = uniform_below(int(ends[-1]), missing, bits)
        which = np.searchsorted(ends, cell, side="right")
        level = cell - (ends[which] - ceilings.above[which])
        found.append(which[ceilings.accept(which, level, bits)])
    return np.concatenate(found) if found else np.empty(0, np.int64)


def width_for(candidates: int) -> int:
    """As many bits as leave the cells of so many candidates countable in 63."""
    return 62 - candidates.bit_length()


class Ceilings:
    """Cells that cover the weights exp(−z): `above[i]` ≥ 2^width · exp(−zᵢ), and little more.

    `exact(i)` is the i-th z ≥ 0; `approximate[i]` must be within z · 2⁻⁵⁰ of it, or both
    above 64 or below 2⁻⁵⁰.

    >>> Ceilings(np.array([0.0, 99.0]), [Fraction(0), Fraction(99)].__getitem__, 4).above
    array([18,  2])
    """

    def __init__(
        self, approximate: NDArray[np.float64], exact: Callable[[int], Fraction], width: int
    ) -> None:
        self._exact, self._width = exact, width
        with np.errstate(under="ignore"):
            weight = np.exp(-approximate) * 2.0**width
        self.above = np.floor(weight * (1 + _SLACK)).astype(np.int64) + 2
        self._below = np.floor(weight * (1 - _SLACK)).astype(np.int64) - 1

    def accept(self, which: Whole, level: Whole, bits: Bits) -> NDArray[np.bool_]:
        """Whether a point in cell `level` (from 0) lies under the weight it covers, exactly."""
        accepted: NDArray[np.bool_] = level < self._below[which]
        for i in np.flatnonzero(~accepted):
            point = Uniform(bits, int(level[i]), self._width)
            accepted[i] = point.below_exp(self._exact(int(which[i])))
        return accepted
