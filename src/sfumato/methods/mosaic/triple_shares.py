"""How many three-way tables with a target are bought, and for which share of the budget.

They are bought where the cells of pairs are clear of their noise: three-way cells are fewer
records each, and what they add is small before it is much.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import log

from sfumato.privacy.budget import shared
from sfumato.privacy.guarantee import ZCDP, PureDP

__all__ = ["NO_TRIPLES", "TripleShares", "triples_for"]

# Records to a deviation of a pair's cells: where triples begin, where their share is largest.
_FROM, _FULL = 300.0, 1000.0
_LEAST, _MOST = 10, 20  # hundredths of the budget there
_CHOICE = Fraction(15, 100)  # of this, for choosing them
_EACH = 600.0  # records to a deviation for each triple
_FEWEST = 2
_MOST_CELLS = 1_000  # coarse bins over all columns, for which counts in bands are kept


@dataclass(frozen=True)
class TripleShares:
    """How many are chosen, for which share of the whole budget."""

    share: Fraction
    chosen: int
    every: bool = False  # whether these are all there are, and none is left to choose

    def parts(self, whole: PureDP | ZCDP) -> tuple[PureDP | ZCDP | None, PureDP | ZCDP | None, int]:
        """What the choice may cost, and the tables; how many there are."""
        if not self.chosen:
            return None, None, 0
        if self.every:
            return None, shared(whole, self.share)[0], self.chosen
        choice, tables = self.share * _CHOICE, self.share * (1 - _CHOICE)
        return shared(whole, choice)[0], shared(whole, tables)[0], self.chosen


NO_TRIPLES = TripleShares(Fraction(0), 0)


def triples_for(clear: float, columns: int, cells: int) -> TripleShares:
    """By the number of records to a deviation of a pair's cells, before triples take their share.

    >>> [triples_for(clear, 10, 100).chosen for clear in (100, 500, 3_000, 1e9)]
    [0, 2, 5, 36]
    """
    every = (columns - 1) * (columns - 2) // 2
    if clear < _FROM or not every or cells > _MOST_CELLS:
        return NO_TRIPLES
    way = min(log(clear / _FROM) / log(_FULL / _FROM), 1.0)
    share = Fraction(round(_LEAST + way * (_MOST - _LEAST)), 100)
    chosen = min(every, max(_FEWEST, int(min(clear / _EACH, every))))
    return TripleShares(share, chosen, chosen == every)
