"""Which three-way tables with a target are worth their price, chosen under privacy.

Guarantee.  The exponential mechanism, draw after draw, as for pairs (`sfumato.measure.tables`).
Sensitivity.  A record lies in one cell of two columns and one band of the target, whose value is at
most `unit`: a score moves by that much, or by twice as much where a record is replaced
(`docs/proofs/mosaic.md`).
Exactness.  Values of bands, counts and what is expected of them are whole numbers.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from sfumato.measure.candidates import Candidates
from sfumato.measure.tables import PairChoice, choice_price
from sfumato.numeric.arrays import Whole
from sfumato.privacy.choice import Choice
from sfumato.synopsis.tables import pairs_of
from sfumato.synopsis.triples import Pair

__all__ = ["TripleChoice", "pairs_without"]


@dataclass(frozen=True)
class TripleChoice(PairChoice):
    """Pairs chosen for how far the target's mean in their cells is from what was expected.

    The classes of the partition are bands of the target.
    """

    values: tuple[int, ...] = ()  # of each band

    @property
    def choice(self) -> Choice:
        """One draw; a score of one is a record that moves from the middle to the last band."""
        far = Fraction(1 if self.neighbours == "add-remove" else 2)
        unit = max(1, *map(abs, self.values)) if self.values else 1
        return Choice("triples to measure", far, choice_price(self.budget, self.pairs), unit)

    def scores(self, counts: Whole, expected: Iterable[Whole], handicap: Whole) -> Whole:
        """NOT PRIVATE: for each two columns, the sum over their cells of the target's distance.

        `expected` are whole numbers, band by band.
        """
        apart = np.zeros(counts.shape[1:], np.int64)
        for value, here, there in zip(self.values, counts, expected, strict=True):
            apart += value * (here - there)
        return self.by_columns(np.abs(apart, out=apart)) - handicap

    def candidates(self) -> Candidates:
        """All pairs without the target."""
        return Candidates(len(self.partition.columns), without=self.target)


def pairs_without(target: int | None, columns: int) -> list[Pair]:
    """All pairs of columns but those with the target.

    >>> pairs_without(1, 4)
    [(0, 2), (0, 3), (2, 3)]
    """
    return [pair for pair in pairs_of(columns) if target not in pair]
