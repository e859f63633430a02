"""Two sets of runs, told apart by the best of an ensemble of scores, on runs held out.

Runs that hardly any noise hides show which numbers one record moves, and by how much; training
runs show how much each of them varies.  A run seen along that direction is the matched filter,
the best there is where noise is independent and Gaussian: one of the synopsis and one of the
table.  Beside them stand scores of the audits (`sfumato.inspection.audit.learned`): the few numbers
that differ most in training, each with its distance from the usual one, and linear
discriminants of all.  They are learnt on a quarter of the runs, chosen by their area under the
curve on the next, and tested on the rest.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.inspection.attack.outcome import Rate
from sfumato.inspection.audit.learned import apart, learned
from sfumato.inspection.audit.region import Score
from sfumato.numeric.arrays import Matrix, Vector

__all__ = ["Told", "area", "best_cut", "tell"]

_MOST = 300  # numbers of a run that discriminants look at: those that differ most in training
_ERRORS = 4  # standard errors within which two means are the same
_SYNOPSIS = "synopsis"  # how names of its numbers begin
_SINGLE = 8  # scores of single numbers: a choice among few is hardly ever luck

Run = Mapping[str, float]
Sides = Sequence[Sequence[Run]]  # of one table and of the other


@dataclass(frozen=True, slots=True)
class Told:
    """What the held-out runs gave: called right, called wrongly, and the area under the curve."""

    success: Rate
    control: Rate
    auc: Rate
    score: str


def tell(noisy: Sides, clear: Sides, rng: np.random.Generator) -> Told:
    """How well noisy runs on one table are told from those on the other.

    >>> draw = np.random.default_rng(0)
    >>> a, b = ([{"x": draw.normal(at), "y": draw.normal()} for _ in range(200)] for at in (3, 0))
    >>> told = tell((a, b), ([{"x": 3.0, "y": 0.0}], [{"x": 0.0, "y": 0.0}]), draw)
    >>> told.score, told.success.hits > 85, told.control.hits < 15, told.auc.value > 0.9
    ('matched filter of the table', True, True, True)
    """
    size = len(noisy[0])
    learn, choose, test = slice(0, size // 4), slice(size // 4, size // 2), slice(size // 2, None)
    training = [run for side in noisy for run in side[learn]]
    names = [name for name in training[0] if all(name in run for run in training)]
    usual = [float(np.median([run[name] for run in training])) for name in names]
    a, b = (_matrix(side, names, usual) for side in noisy)
    far = [apart(x, y) for x, y in zip(a[learn].T, b[learn].T, strict=True)]
    kept = np.sort(np.argsort(far, kind="stable")[::-1][:_MOST])
    single = learned([names[k] for k in kept])(a[learn][:, kept], b[learn][:, kept])
    few = [*single[:_SINGLE], *single[_SINGLE:][-2:]]  # the last two are the discriminants
    scores = [Score(one.text, _of(one, kept)) for one in few]
    inside = np.array([name.startswith(_SYNOPSIS) for name in names])
    shown = tuple(_matrix(side[learn], names, usual) for side in clear)
    for text, part in (("the synopsis", inside), ("the table", ~inside)):
        filtered = _matched(text, part, shown, (a[learn], b[learn]))
        scores = scores if filtered is None else [filtered, *scores]

    def area_of(score: Score) -> float:
        return area(score(a[choose]), score(b[choose]))

    best = max(scores, key=lambda score: abs(area_of(score) - 0.5))  # the first of equals
    sign = 1.0 if area_of(best) >= 0.5 else -1.0
    x, y = (sign * best(side) for side in (a, b))
    cut = best_cut(x[choose], y[choose])
    x, y = x[test], y[test]
    higher = np.where(x == y, rng.random(len(x)) < 0.5, x > y)
    return Told(
        Rate(int((x >= cut).sum()), len(x)),
        Rate(int((y >= cut).sum()), len(y)),
        Rate(int(higher.sum()), len(higher)),
        best.text,
    )


def _matrix(runs: Sequence[Run], names: Sequence[str], usual: Sequence[float]) -> Matrix:
    """A row for each run; what a run does not have stands at its usual value."""
    pairs = list(zip(names, usual, strict=True))
    return np.array([[run.get(name, value) for name, value in pairs] for run in runs])


def _matched(
    text: str, part: NDArray[np.bool_], clear: Sequence[Matrix], noisy: Sequence[Matrix]
) -> Score | None:
    """The direction of the move, each number divided by its own variance; None without one.

    A number whose mean is not the one it has without noise stands for something else there (a
    bin that was found elsewhere), and is left out.
    """
    variance = np.mean([side.var(axis=0) for side in noisy], axis=0)
    off = np.mean([n.mean(axis=0) - c.mean(axis=0) for n, c in zip(noisy, clear, strict=True)], 0)
    same = off**2 <= _ERRORS**2 * variance / (2 * len(noisy[0]))
    moved = np.where(part & same, clear[0].mean(axis=0) - clear[1].mean(axis=0), 0)
    if not moved.any():
        return None
    least = 1e-9 * max(float(variance.max()), 1.0)  # what never varies in training is no proof
    weights = moved / np.maximum(variance, least)
    weights /= np.abs(weights).max()
    return Score(f"matched filter of {text}", lambda runs: runs @ weights)


def _of(score: Score, kept: NDArray[np.int64]) -> Callable[[Matrix], Vector]:
    return lambda runs: score.of(runs[:, kept])


def area(high: Vector, low: Vector) -> float:
    """The chance that one of `high` exceeds one of `low`; a tie counts half.

    >>> area(np.array([2.0, 1.0]), np.array([1.0, 0.0]))
    0.875
    """
    order = np.sort(low)
    below, upto = (np.searchsorted(order, high, side) for side in ("left", "right"))
    return float((below + upto).mean() / (2 * len(low)))


def best_cut(high: Vector, low: Vector) -> float:
    """The value from which most more of `high` than of `low` lie; infinite where none gains.

    >>> best_cut(np.array([1.0, 2.0, 3.0]), np.array([0.0, 1.0]))
    2.0
    """
    if not len(high) or not len(low):
        return float("inf")
    cuts = np.unique(np.concatenate([high, low]))
    shares = [1 - np.searchsorted(np.sort(side), cuts, "left") / len(side) for side in (high, low)]
    gained = shares[0] - shares[1]
    return float(cuts[gained.argmax()]) if gained.max() > 0 else float("inf")
