"""Codes inside the coarse bins of rows, of a number by its steps from one row to the next."""

import numpy as np

from sfumato.numeric.arrays import Array, Codes, Whole
from sfumato.render.mosaic import Filling
from sfumato.render.panel.step import Tilt
from sfumato.schema.domain import MISSING

__all__ = ["filled"]


def filled(
    filling: Filling,
    bins: Whole,
    start: Whole,
    tilt: Tilt | None,
    rng: np.random.Generator,
    *,
    rising: bool = False,
    distinct: int | None = None,
) -> Codes:
    """A code for each row; `rising` ones never fall, and differ up to `distinct`."""
    codes = filling.codes(bins, np.zeros(len(bins), np.int64), rng).astype(np.int32)
    alone = filling.column.bins == filling.column.fine.bins and bool(
        (filling.column.fine.stop - filling.column.fine.start == 1).all()
    )
    if tilt is not None and not alone:
        _follow(codes, filling, bins, start, tilt, rng)
    if rising:
        _in_order(codes, start, distinct)
    return codes


def _follow(
    codes: Codes,
    filling: Filling,
    bins: Whole,
    start: Whole,
    tilt: Tilt,
    rng: np.random.Generator,
) -> None:
    """Row after row, in proportion to the share of each code and the tilt of the step to it."""
    column, counts = filling.column, np.diff(start)
    fine, ordered = column.fine, column.fine.ordered
    share = (filling.spread.sum(axis=0) + 1e-9)[:ordered] / (fine.stop - fine.start)[:ordered]
    last = np.full(len(counts), MISSING, np.int64)  # the code before, of those that are there
    for place in range(int(counts.max(initial=0))):
        person = np.flatnonzero(counts > place)
        row = start[person] + place
        there = codes[row] != MISSING
        person, row = person[there], row[there]
        known = last[person] != MISSING
        for b in np.unique(bins[row[known]]).tolist():
            inside = np.flatnonzero(column.group[:ordered] == b)
            some = np.flatnonzero(known & (bins[row] == b))
            if len(inside):
                begin, end = fine.start[inside], fine.stop[inside]
                before = last[person[some], None]
                low, high = tilt.before(begin - before), tilt.before(end - before)
                weights = share[inside] * (high - low)
                codes[row[some]] = _drawn(
                    codes[row[some]], before[:, 0], weights, (low, high), (begin, end), tilt, rng
                )
        last[person] = codes[row]


def _drawn(
    else_codes: Codes,
    before: Whole,
    weights: Array,
    tilts: tuple[Array, Array],
    ends: tuple[Whole, Whole],
    tilt: Tilt,
    rng: np.random.Generator,
) -> Codes:
    """A fine bin by its weight, and in it a code by the tilt of its step; else what was there."""
    (low, high), (begin, end) = tilts, ends
    upto = np.cumsum(weights, axis=1)
    total = upto[:, -1]
    chosen = (upto < (rng.random(len(total)) * total)[:, None]).sum(axis=1)
    chosen = np.minimum(chosen, weights.shape[1] - 1)
    each = np.arange(len(total))
    level = low[each, chosen] + rng.random(len(total)) * (high - low)[each, chosen]
    step = np.searchsorted(tilt.upto, level, side="right") - 1 - tilt.points
    found = np.clip(before + step, begin[chosen], end[chosen] - 1)
    return np.where(total > 1e-12, found, else_codes).astype(np.int32)


def _in_order(codes: Codes, start: Whole, most: int | None) -> None:
    """The codes of each person, smallest first; all different, up to `most`, if there is one.

    Bins are in order already, so that a code leaves its bin only where it must differ from the
    one before.  Codes that are too near to the end for that are the last ones before it.

    >>> codes = np.array([3, 3, 9, 9, 9], np.int32)
    >>> _in_order(codes, np.array([0, 2, 5]), 9)
    >>> codes.tolist()
    [3, 4, 7, 8, 9]
    """
    there = np.flatnonzero(codes != MISSING)
    owner = np.repeat(np.arange(len(start) - 1), np.diff(start))[there]
    found = codes[there][np.lexsort((codes[there], owner))].astype(np.int64)
    if most is not None and len(found):
        begins = np.append(True, owner[1:] != owner[:-1])
        every = np.arange(len(found))
        place = every - np.maximum.accumulate(np.where(begins, every, 0))
        # Larger by one than the one before, of each person: a running maximum of code less place.
        wide = most + len(found) + 1
        found = np.maximum.accumulate(found - place + owner * wide) - owner * wide + place
        left = np.append(np.flatnonzero(begins)[1:], len(found))[np.cumsum(begins) - 1]
        found = np.maximum(np.minimum(found, most - (left - 1 - every)), 0)
    codes[there] = found
