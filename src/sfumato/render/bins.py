"""Noisy one-way tables made possible, and the coarse bins that two-way tables are counted in."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.numeric.arrays import Vector
from sfumato.render.piecewise import beyond_noise, piecewise, price, simplex
from sfumato.synopsis.bins import Fine, Merged

__all__ = ["FineCounts", "merge", "whole_column"]

_LEAST = 0.02  # of an even share: no bin is ruled out by noise


@dataclass(frozen=True, eq=False)
class FineCounts:
    """Estimated records of each fine bin, and the deviation of a sum of neighbouring bins."""

    column: Fine
    counts: Vector
    deviation: float


def whole_column(
    column: Fine, fine: Vector, runs: Vector | None, run: int, deviation: float, total: float
) -> FineCounts:
    """Counts of at least zero that add up, from noisy fine bins and noisy runs of bins.

    Runs say how many, bins say where: sums of many bins would carry the noise of each.
    """
    ordered = column.ordered
    if not ordered:
        even = total / column.bins
        share = beyond_noise(fine - even, column.bins * deviation**2)
        return FineCounts(column, simplex(even + share * (fine - even), total), deviation)
    width = (column.stop - column.start)[:ordered].astype(np.float64)
    missing, fine = fine[ordered:], fine[:ordered]
    cost = price(ordered, deviation, total)
    if runs is None:
        level = piecewise(fine, width, deviation, cost)
        counts = simplex(np.concatenate([level, missing]), total)
        return FineCounts(column, counts, deviation)
    group = np.arange(ordered) // run
    size, inside = np.bincount(group), np.bincount(group, fine)
    wide = np.asarray(np.bincount(group, width), np.float64)
    together = (runs * size + inside) / (size + 1)  # the best mean of two unbiased sums
    spread = deviation * float(np.sqrt(run / (run + 1)))
    level = piecewise(together, wide, spread, price(len(runs), spread, total))
    sums = simplex(np.concatenate([level, missing]), total)
    bins = piecewise(fine + ((together - inside) / size)[group], width, deviation, cost)
    even_bins = (sums[: len(runs)] / wide)[group] * width
    shape = np.maximum(bins, _LEAST * even_bins + 1e-9)
    spread_out = sums[group] * shape / np.bincount(group, shape)[group]
    return FineCounts(column, np.concatenate([spread_out, sums[len(runs) :]]), spread)


def merge(found: FineCounts, most: int, least: float) -> Merged:
    """Neighbouring bins of a number, or the rare values of a category, taken together.

    At most `most` coarse bins of about equal weight, each worth at least `least` records; spikes
    stay by themselves, and so does missing.
    """
    column, counts = found.column, found.counts
    ordered = column.ordered
    if column.bins <= most:
        return Merged(column, np.arange(column.bins))
    if ordered:
        group = _neighbours(counts[:ordered], most, least)
        rest = group[-1] + 1 + np.arange(column.bins - ordered)
        return Merged(column, np.concatenate([group, rest]))
    frequent = np.sort(np.argsort(-counts, kind="stable")[: most - 1])
    frequent = frequent[counts[frequent] >= least]
    group = np.full(column.bins, len(frequent))
    group[frequent] = np.arange(len(frequent))
    return Merged(column, group)


def _neighbours(counts: Vector, most: int, least: float) -> NDArray[np.int64]:
    total = float(counts.sum())
    group, current, inside, left = np.zeros(len(counts), np.int64), 0, 0.0, total
    target = max(total / most, least)
    for k, count in enumerate(counts):
        nearer_without = inside + count - target > target - inside
        if inside >= least and nearer_without and current < most - 1:
            current, left, inside = current + 1, left - inside, 0.0
            target = max(left / (most - current), least)
        group[k] = current
        inside += float(count)
    if current and inside < least:  # what is left over is too little to stand alone
        group[group == current] = current - 1
    return group
