"""Drawn records that keep the rules: by rejection, and where that is hopeless by moving.

Rejection gives the records of the model that keep the rules, as they are distributed there.
Where fewer than one draw in a hundred keeps them, the model contradicts the rules, and the
rest is drawn once and moved to near values that keep them.  The budget is spent by then, so
a release comes out whatever the model says, and all of its records keep the rules.
"""

from collections.abc import Callable, Iterator

import numpy as np

from sfumato.numeric.arrays import Codes
from sfumato.render.decode import BATCH_ROWS
from sfumato.render.rules import Rules

__all__ = ["CONDITIONED", "STATEMENT", "kept"]

_RAREST = 100  # draws per record that keeps the rules
_TRIAL = 20_000  # draws after which the share that keeps them is known well enough
STATEMENT = (
    "The constraints of the schema hold in every record, by rejection: drawn records that break "
    f"one are drawn again. Where fewer than 1 in {_RAREST} keeps them all, the others are moved "
    "to near values that do. The records of the data were counted as they are."
)
# Certificates of the first versions lack it: what is said of the rows was always true of them.
CONDITIONED = (
    "So rows are not drawn from the noisy tables alone: their shares and means may be off by more "
    "than the errors that are stated, which are those of the tables. Ask sfumato accuracy or the "
    "synopsis for figures of one column, rather than count rows."
)


def kept(
    draw: Callable[[int], Codes], rules: Rules, rows: int, rng: np.random.Generator
) -> Iterator[Codes]:
    """So many records that keep the rules, a batch at a time; `draw` makes any number."""
    drawn = fitting = 0
    left = rows
    while left:
        # In whole numbers, rounded up: `left` may be more than a float holds.
        count = min(BATCH_ROWS, -(-left * (drawn + 1) // (fitting + 1)))
        if drawn >= _TRIAL and fitting * _RAREST < drawn:
            codes = draw(min(BATCH_ROWS, left))
            broken = ~rules.keeps(codes)
            codes[broken] = rules.moved(codes[broken], rng)
        else:
            codes = draw(count)
            codes = codes[rules.keeps(codes)]
            drawn, fitting = drawn + count, fitting + len(codes)
            codes = codes[:left]
        left -= len(codes)
        if len(codes):
            yield codes
