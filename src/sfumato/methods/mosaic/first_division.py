"""How the first revision of `mosaic` divided its budget: what its releases are verified by."""

from fractions import Fraction

from sfumato.methods.mosaic.division import MOST_CELLS, Division, Shape, deviation
from sfumato.privacy.budget import Budget, shared
from sfumato.privacy.guarantee import ZCDP

__all__ = ["divided_first"]

_MOST_PAIRS = 120  # so many are measured all at once under Gaussian noise
_CLEAR = 0.0018  # of all records: noise on a pair's cells up to which one more pair is worth it
_NOISY = {True: 1e-3, False: 1.5e-4}  # of all records: noise on a count, Gaussian or not
_APART = {True: 1.5, False: 2.5}  # deviations of a fine count in an even share, Gaussian or not


def divided_first(budget: Budget, shape: Shape) -> Division:
    """Shares, pairs and bins as they were: with steps from one rule to the next.

    >>> from sfumato.privacy.guarantee import PureDP
    >>> small, large = (divided_first(PureDP(1), Shape(10, 5, 70, n)) for n in (500, 50_000))
    >>> small.chosen, large.chosen
    (0, 9)
    """
    whole = shared(budget, Fraction(1))[0]
    noise = deviation(whole, shape.moved) / max(shape.records, 1)
    gaussian = isinstance(whole, ZCDP)
    noisy = noise > _NOISY[gaussian]
    pairs = shape.columns * (shape.columns - 1) // 2
    if shape.cells > MOST_CELLS:
        pairs = 0
    if gaussian and pairs <= _MOST_PAIRS:
        weights = (40, 20, 0, 40) if noisy else (30, 5, 0, 65)
        chosen = 0
    else:
        weights = (33, 33, 4, 30) if noisy else (30, 20, 5, 45)
        ratio = _CLEAR / noise
        worthwhile = int(ratio**2 / 2 if gaussian else ratio / 2)
        chosen = min(shape.columns - 1, worthwhile) if pairs else 0
        if not chosen:
            pairs, weights = 0, (40, 60, 0, 0)
    present = (bool(shape.wide), True, bool(chosen), bool(pairs))
    total = sum(w for w, there in zip(weights, present, strict=True) if there)
    columns, classes, choice, tables = (
        shared(whole, Fraction(w, total))[0] if there and w else None
        for w, there in zip(weights, present, strict=True)
    )
    single = 0
    if columns is not None:
        fine = shape.wide * (2 if gaussian else 1)  # with runs
        single = int(shape.records / (_APART[gaussian] * deviation(columns, shape.moved * fine)))
    bins = 6 if noisy else 10 if gaussian else 7
    return Division(columns, classes, choice, tables, chosen, float(noisy), bins, single, 0)
