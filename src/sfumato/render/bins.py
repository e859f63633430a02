"""Noisy one-way tables made possible, and the coarse bins that two-way tables are counted in."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.numeric.arrays import Vector
from sfumato.render.piecewise import beyond_noise, piecewise, price, simplex
from sfumato.render.tails import Seen, significant, tailed
from sfumato.synopsis.bins import Fine, Merged

__all__ = ["FineCounts", "merge", "whole_column"]

_LEAST = 0.02  # of an even share: no bin is ruled out by noise
_SPIKE = 4.0  # times its neighbours


@dataclass(frozen=True, eq=False)
class FineCounts:
    """Estimated records of each fine bin, and the deviation of a sum of neighbouring bins."""

    column: Fine
    counts: Vector
    deviation: float
    tail: NDArray[np.bool_] | None = None  # of a number: the bins that hold a tail that falls


def whole_column(
    column: Fine, fine: Vector, runs: Vector | None, run: int, deviation: float, total: float
) -> FineCounts:
    """Counts of at least zero that add up, from noisy fine bins and noisy runs of bins.

    Spikes and the body of the histogram are kept, noise beyond it is not (`tails`); what is cut
    there goes to the body, so that the total stays.
    """
    ordered = column.ordered
    if not ordered:
        even = total / column.bins
        share = beyond_noise(fine - even, column.bins * deviation**2)
        return FineCounts(column, simplex(even + share * (fine - even), total), deviation)
    even_width = (column.stop - column.start)[:ordered].astype(np.float64)
    widths = [even_width, *([] if column.width is None else [column.width])]
    missing, fine = fine[ordered:], fine[:ordered]
    if runs is None:
        smooth, spread, apart = fine, deviation, fine
        level = piecewise(fine, widths, deviation, price(ordered, deviation, total))
    else:
        level, smooth, spread = _from_runs(fine, runs, run, widths, deviation, total)
        apart = smooth
    spikes = _spikes(column, apart, significant(ordered, laplace=runs is None) * deviation)
    group = np.arange(ordered) // run
    rest = None if runs is None else runs - np.bincount(group, spikes)
    seen = Seen(fine - spikes, rest, run, widths[-1], deviation)
    if column.single:  # few codes: no tail of them is long
        smooth, inside = level, np.zeros(ordered, bool)
    else:
        smooth, inside = tailed(np.where(spikes > 0, 0.0, level), seen)
    level = np.where(inside, smooth + spikes, level)
    settled = inside & (level > 0)
    left = total - float(level[settled].sum())
    if settled.all() or left <= 0:
        settled, left = np.zeros(ordered, bool), total
    body = simplex(np.concatenate([level[~settled], missing]), left)
    counts = np.concatenate([level, body[len(body) - len(missing) :]])
    counts[:ordered][~settled] = body[: len(body) - len(missing)]
    tail = np.append(settled, np.zeros(len(missing), bool))
    return FineCounts(column, counts, spread, tail)


def _from_runs(
    fine: Vector, runs: Vector, run: int, widths: list[Vector], deviation: float, total: float
) -> tuple[Vector, Vector, float]:
    """Counts, bins that agree with their runs, and the deviation of a run.

    Runs say how many, bins say where: sums of many bins would carry the noise of each.
    """
    group = np.arange(len(fine)) // run
    size, inside = np.bincount(group), np.bincount(group, fine)
    wide = [np.asarray(np.bincount(group, width), np.float64) for width in widths]
    together = (runs * size + inside) / (size + 1)  # the best mean of two unbiased sums
    spread = deviation * float(np.sqrt(run / (run + 1)))
    level = piecewise(together, wide, spread, price(len(runs), spread, total))
    sums = np.maximum(level, 0.0)
    agreed = fine + ((together - inside) / size)[group]
    bins = piecewise(agreed, widths, deviation, price(len(fine), deviation, total))
    even_bins = (sums / wide[0])[group] * widths[0]
    shape = np.maximum(bins, _LEAST * even_bins + 1e-9)
    return sums[group] * shape / np.bincount(group, shape)[group], agreed, spread


def _spikes(column: Fine, noisy: Vector, least: float) -> Vector:
    """The counts of single codes that stand far above both neighbours; 0 elsewhere."""
    single = (column.stop - column.start)[: column.ordered] == 1
    padded = np.concatenate([[0.0], np.maximum(noisy, 0), [0.0]])
    beside = np.maximum(padded[:-2], padded[2:])
    return np.where(single & (noisy > _SPIKE * beside + least), noisy, 0.0)


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
