"""The largest and the smallest of several true values, from noisy ones.

Over the noise, whatever the true values d_i are, with noisy values y_i = d_i + E_i:

    from above   max d ≤ max (y_i + t_i), E_i below −t_i with chance λ at most: only the noise of
                 the largest value matters, so the number of values does not;
    from below   max d ≥ max (y_i − t_i), where all E_i ≤ t_i together fail with chance λ at most;
    which one    the value that looks largest is declared if every other lies so far below that
                 noise alone does it with chance λ / (N − 1) at most; then a wrong one is declared
                 with chance λ at most.

For the smallest value all signs turn.  The probability of being the largest needs a prior;
with the flat one the true values are independent, d_i = y_i − E_i, and it is an integral.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import expm1, log1p
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.accuracy.law import Law, Real, share
from sfumato.errors import ParameterError
from sfumato.privacy.guarantee import Number

__all__ = [
    "MOST",
    "Bounds",
    "declared",
    "flat_prior_below",
    "flat_prior_largest",
    "maximum",
    "minimum",
    "together",
]

_REACH = 30  # deviations to either side: of Laplace noise 1e-18 lies beyond
_POINTS = 2_000
MOST = 4_096  # values whose chances are worth integrating


class Bounds(NamedTuple):
    """What the truth lies between."""

    low: float
    high: float


def maximum(
    values: Sequence[Real], laws: Sequence[Law], confidence: Number, *, independent: bool = True
) -> Bounds:
    """Bounds on the largest true value, half of the missing confidence for each.

    >>> from sfumato.accuracy.laplace_sum import LaplaceSum
    >>> bounds = maximum([3, 5, 4], [LaplaceSum.alike(1, 1.0)] * 3, 0.9)
    >>> round(bounds.low, 2), round(bounds.high, 2)
    (1.62, 7.3)
    """
    _check(values, laws)
    missing = (1 - share("confidence", confidence)) / 2
    each = _each(missing, len(values), independent=independent)
    high = max(float(y) + law.one_sided(missing) for y, law in zip(values, laws, strict=True))
    low = max(float(y) - law.one_sided(each) for y, law in zip(values, laws, strict=True))
    return Bounds(low, high)


def together(law: Law, count: int, confidence: Number, *, independent: bool = True) -> float:
    """What so many noises of one law all stay within, with this confidence.

    >>> from sfumato.accuracy.discrete_sum import DiscreteSum
    >>> one = DiscreteSum.laplace(10)
    >>> one.two_sided(0.5), together(one, 12, 0.5), together(one, 12, 0.5, independent=False)
    (7.0, 29.0, 32.0)
    """
    missing = 1 - share("confidence", confidence)
    return law.two_sided(_each(missing, count, independent=independent))


def _each(missing: Fraction, count: int, *, independent: bool) -> Fraction:
    """The chance of each of several errors that leaves this one for any of them."""
    if not independent:
        return missing / count
    # A little less, so that no rounding makes it more.
    return max(Fraction(-expm1(log1p(-float(missing)) / count) * (1 - 1e-12)), missing / count)


def minimum(
    values: Sequence[Real], laws: Sequence[Law], confidence: Number, *, independent: bool = True
) -> Bounds:
    """Bounds on the smallest true value."""
    turned = maximum([-y for y in values], laws, confidence, independent=independent)
    return Bounds(-turned.high, -turned.low)


def declared(
    values: Sequence[Real],
    laws: Sequence[Law],
    chance: Number,
    apart: Callable[[int, int], Law] | None = None,
) -> int | None:
    """Which value is the largest, or None if that cannot be told at this chance of error.

    `apart(i, j)` is the law of E_i − E_j; by default that of independent noises.

    >>> from sfumato.accuracy.laplace_sum import LaplaceSum
    >>> one = LaplaceSum.alike(1, 1.0)
    >>> declared([3, 14, 4], [one] * 3, 0.05), declared([3, 8, 4], [one] * 3, 0.05)
    (1, None)
    """
    _check(values, laws)
    allowed = share("chance", chance)
    top = max(range(len(values)), key=lambda i: values[i])
    nearest: dict[Law, Real] = {}  # of all that are compared by one law, only this one matters
    for i in range(len(values)):
        if i != top:
            law, gap = apart(top, i) if apart else laws[i], values[top] - values[i]
            nearest[law] = min(gap, nearest.get(law, gap))
    each = allowed / max(len(values) - 1, 1)
    sure = all(
        (law if apart else laws[top].joined(law)).tail(gap).upper <= each
        for law, gap in nearest.items()
    )
    return top if sure else None


def flat_prior_below(values: Sequence[Real], laws: Sequence[Law], bound: Real) -> float:
    """The probability that no true value passes `bound`, with a flat prior only.

    >>> from sfumato.accuracy.laplace_sum import LaplaceSum
    >>> round(flat_prior_below([3, 5, 4], [LaplaceSum.alike(1, 1.0)] * 3, 8), 3)
    0.963
    """
    _check(values, laws)
    return float(np.prod([law.tail(y - bound).value for y, law in zip(values, laws, strict=True)]))


def flat_prior_largest(values: Sequence[Real], laws: Sequence[Law]) -> NDArray[np.float64]:
    """Of each value the probability of being the largest, with a flat prior only; ties are shared.

    By the trapezoid rule, Σ ΔF_i · mean of Π_{j≠i} F_j, which sums over whole steps where
    the noise has few of them; the error is below 1e-3.

    >>> from sfumato.accuracy.laplace_sum import LaplaceSum
    >>> flat_prior_largest([3, 5, 4], [LaplaceSum.alike(1, 1.0)] * 3).round(3).tolist()
    [0.083, 0.671, 0.246]
    """
    _check(values, laws)
    if len(values) > MOST:
        raise ParameterError(f"values must be at most {MOST}, got {len(values)}")
    tables = {law: _cumulative(law) for law in set(laws)}
    y = np.array([float(value) for value in values])
    reach = np.array([tables[law][0][-1] for law in laws])
    step = max(float(tables[law][0][1] - tables[law][0][0]) for law in laws)
    start, stop = float((y - reach).max()), float((y + reach).max())
    points = y[0] + step * np.arange(np.floor((start - y[0]) / step), (stop - y[0]) / step + 1)
    below = np.array(
        [np.interp(points - at, *tables[law], left=0.0) for at, law in zip(y, laws, strict=True)]
    )
    logs = np.log(np.maximum(below, 1e-300))
    others = np.exp(logs.sum(axis=0) - logs)
    chances = (np.diff(below) * (others[:, 1:] + others[:, :-1]) / 2).sum(axis=1)
    return np.asarray(chances / chances.sum())


def _cumulative(law: Law) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """P(E ≤ x) at evenly spaced x, whole steps apart where the law has steps."""
    step = float(getattr(law, "step", 0.0))
    apart = 2 * _REACH * law.deviation / _POINTS
    apart = step * max(1.0, np.ceil(apart / step)) if step else apart
    x = apart * np.arange(np.ceil(_REACH * law.deviation / apart) + 1)
    above: Any = np.array([law.tail(Fraction(at), strict=True).value for at in x])
    return np.concatenate([-x[:0:-1], x]), np.concatenate([_mirrored(law, x), 1 - above])


def _mirrored(law: Law, x: NDArray[np.float64]) -> NDArray[np.float64]:
    """P(E ≤ −x) = P(E ≥ x), from far to near."""
    return np.array([law.tail(Fraction(at)).value for at in x[:0:-1]])


def _check(values: Sequence[Any], laws: Sequence[Law]) -> None:
    if not values or len(values) != len(laws):
        raise ParameterError("values and laws must be of the same length, at least one")
