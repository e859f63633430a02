"""Class means and scatter where labels are answers at two rates, not the labels themselves.

Whoever is in a class c answers c with chance p, all others with chance q < p.  So of record i

    a_ic = (1{answer = c} − q) / (p − q)        is 1 on average if i is in c, else 0,

and Σ a_ic, Σ a_ic x_i are right on average for the size and the sum of class c; over all classes
a_ic adds up to 1, so the mean of all records stays what it is.  What the answers add to the
scatter between the class means is, to first order, right on average as

    L = Σ_c (1 / n_c) Σ_i (a_ic² − a_ic) (x_i − m_c)(x_i − m_c)ᵀ,

because a_ic² − a_ic has the variance of a_ic for its mean.  Everything between classes that is
left, taken from the scatter of all records, leaves that within them.
"""

from math import sqrt

import numpy as np
from numpy.typing import ArrayLike

from sfumato.accuracy.noisy_scatter import ClassScatter, class_scatter, cleaned
from sfumato.errors import DataError, ParameterError
from sfumato.numeric.arrays import Matrix

__all__ = ["unmixed_scatter"]

_SEEN = 2.0  # deviations of its size that a class must have, or nothing can be learnt of it
_FEWEST = 2  # classes, or there is nothing to tell apart
_MOST = 0.99  # of the scatter in any direction that is taken for that between classes


def unmixed_scatter(
    X: ArrayLike, y: ArrayLike, rates: tuple[float, float]
) -> tuple[ClassScatter, Matrix]:
    """Counts, means and scatter by true class, and what the answers add between the means.

    >>> rng = np.random.default_rng(0)
    >>> truth = rng.random(40_000) < 0.25
    >>> told = truth ^ (rng.random(40_000) < 0.2)  # 0.8 of the answers are true
    >>> X = rng.normal(size=(40_000, 1)) + 4 * truth[:, None]
    >>> found, _ = unmixed_scatter(X, told, (0.8, 0.2))
    >>> (found.counts / 40_000).round(2).tolist(), found.means.round(1).tolist()
    ([0.75, 0.25], [[0.0], [4.0]])
    """
    own, other = rates
    if not 0 <= other < own <= 1:
        raise ParameterError("label_rates must be two chances, the first above the second")
    points, answered = np.asarray(X, np.float64), class_scatter(X, y)
    records, apart = len(points), own - other
    kept = _told_apart((answered.counts - records * other) / apart, records, rates)
    seen = ClassScatter(
        answered.classes[kept], answered.counts[kept], answered.means[kept], answered.within
    )
    sums = seen.means * seen.counts[:, None]
    counts = (seen.counts - records * other) / apart
    means = (sums - other * points.sum(axis=0)) / apart / counts[:, None]
    middle = points - points.mean(axis=0)
    whole = middle.T @ middle
    found = ClassScatter(seen.classes, counts, means, whole)
    yes, no = ((answered - other) / apart for answered in (1, 0))
    added = np.zeros_like(whole)
    answers = np.asarray(y)
    for c, (mean, count) in enumerate(zip(means, counts, strict=True)):
        away = points - mean
        weight = np.where(answers == seen.classes[c], yes**2 - yes, no**2 - no)
        added += (away * weight[:, None]).T @ away / count
    within = cleaned(whole, found.between - added, _MOST)
    return ClassScatter(seen.classes, counts, means, within), added


def _told_apart(counts: Matrix, records: int, rates: tuple[float, float]) -> list[int]:
    """The classes that can be told from what wrong answers make up; refused below two of them.

    A class that nobody is in is answered all the same, and is left out here.  An estimate far
    above the number of records says that there are too few answers for any estimate.
    """
    own, other = rates
    kept: list[int] = []
    for place, count in enumerate(counts.tolist()):
        inside = min(max(count, 0.0), records)
        spread = inside * own * (1 - own) + (records - inside) * other * (1 - other)
        off = _SEEN * sqrt(spread) / (own - other)
        if count > records + off:
            kept = []
            break
        if count >= max(2.0, off):
            kept.append(place)
    if len(kept) < _FEWEST:
        raise DataError(
            "the noise on labels hides all classes but one: use more records, a larger share of "
            "the budget for the label, or fewer classes"
        )
    return kept
