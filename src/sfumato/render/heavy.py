"""Fine counts with heavy codes apart, and how these are spread within each class.

A heavy code has its count from the table of all codes; what is left of its bin is made whole as
that of any other number (`sfumato.render.bins`).
"""

import numpy as np

from sfumato.numeric.arrays import Array, Vector
from sfumato.render.bins import FineCounts, whole_column
from sfumato.render.piecewise import beyond_noise
from sfumato.synopsis.bins import Merged
from sfumato.synopsis.heavy import HeavyCodes

__all__ = ["by_class", "with_heavy"]


def with_heavy(
    heavy: HeavyCodes,
    code_deviation: float,
    fine: Vector,
    runs: Vector | None,
    run: int,
    deviation: float,
    total: float,
) -> FineCounts:
    """Counts of at least zero that add up, in the planned bins and one for each heavy code."""
    within, bins = heavy.within, heavy.bins
    inside = within.place[heavy.codes]
    alone = (within.stop - within.start)[inside] == 1
    counts = heavy.counts.sum(axis=0).astype(np.float64)
    # Where the bin is nothing but the code, two noisy counts say the same.
    own = deviation**2 / (deviation**2 + len(heavy.counts) * code_deviation**2)
    counts = np.maximum(np.where(alone, own * counts + (1 - own) * fine[inside], counts), 0.0)
    known = np.bincount(inside, counts, minlength=within.bins)
    rest = fine - known
    rest[inside[alone]] = 0.0
    if runs is not None:
        ordered = within.ordered
        runs = runs - np.bincount(np.arange(ordered) // run, known[:ordered])
    body = whole_column(within, rest, runs, run, deviation, max(total - counts.sum(), 0.0))
    place, light = within.place[bins.start], (bins.stop - bins.start).astype(np.float64)
    light[bins.place[heavy.codes]] = 0.0
    room = np.bincount(place, light)
    found = body.counts[place] * light / np.maximum(room, 1.0)[place]
    found[bins.place[heavy.codes]] = counts
    found *= total / max(float(found.sum()), 1e-9)
    tail = None if body.tail is None else body.tail[place] & (light > 0)
    return FineCounts(bins, found, body.deviation, tail)


def by_class(
    column: Merged,
    heavy: HeavyCodes,
    spread: Vector,
    coarse: Array,
    code_variance: float,
    coarse_variance: float,
) -> Array:
    """Records of each class in fine bins: as all records are spread, or as its heavy codes say.

    `spread` are all records in fine bins, `coarse` those of each class in coarse ones.  What a
    class has by itself counts as far as noise does not explain it.
    """
    found = np.tile(spread, (len(coarse), 1))
    place = column.fine.place[heavy.codes]
    known = np.zeros((len(coarse), len(spread)))
    known[:, place] = heavy.counts
    is_heavy = np.zeros(len(spread), bool)
    is_heavy[place] = True
    for group in np.unique(column.group[place]):
        inside = column.group == group
        apart, light = inside & is_heavy, inside & ~is_heavy
        common = np.append(spread[apart], spread[light].sum())
        if inside.sum() < 2 or common.sum() <= 0:
            continue
        common /= common.sum()
        codes = int(apart.sum())
        noise = 2 * codes * code_variance + coarse_variance
        for k, records in enumerate(np.maximum(coarse[:, group], 0.0)):
            own = known[k, apart]
            away = np.append(own, records - own.sum() if light.any() else 0.0) - records * common
            spread_here = np.maximum(records * common + beyond_noise(away, noise) * away, 0.0)
            if spread_here.sum() <= 0:
                continue
            found[k, apart] = spread_here[:codes]
            among = spread[light]
            found[k, light] = spread_here[codes] * among / max(float(among.sum()), 1e-9)
    return found
