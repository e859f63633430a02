"""NOT PRIVATE: how much each person is like one of a release, by each of five scores.

`sfumato.inspection.attack.person` says what they are for.  All of them set a whole person, what
they have once and all of their rows, beside the released persons and beside other people.
"""

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from sfumato.inspection.attack.bins import BINS_OF_A_NUMBER, bins_of
from sfumato.inspection.attack.closest import closest
from sfumato.inspection.attack.portrait import portraits, row_points
from sfumato.inspection.panel.persons import steps
from sfumato.inspection.panel.reading import Frame
from sfumato.numeric.arrays import Vector
from sfumato.schema.domain import Grid
from sfumato.table.people.panel import Panel

__all__ = ["PERSON_SCORES", "person_scores"]

PERSON_SCORES = (
    "closeness",
    "closeness beside others",
    "density beside others",
    "rows beside others",
    "tables",
)
_FIFTH = 5
_EQUAL = 1e-6  # a distance that stands for none
_ROWS = 4  # of a person that are looked for

Points = NDArray[np.float64]


def person_scores(frame: Frame, release: Panel, others: Panel, targets: Panel) -> dict[str, Vector]:
    """For each target, by each score: the higher, the more like a member."""
    if not targets.persons:
        return dict.fromkeys(PERSON_SCORES, np.empty(0))
    at = portraits(frame, targets)
    near, usual = (_away(portraits(frame, side), at) for side in (release, others))
    first, last = (np.log(usual[:, k]) - np.log(near[:, k]) for k in (0, -1))
    rows = _rows(frame, release, others, targets)
    found = -near[:, 0], first, last, rows, _likelier(frame, release, others, targets)
    return dict(zip(PERSON_SCORES, found, strict=True))


def _away(points: Points, targets: Points, count: int = _FIFTH) -> Points:
    if not len(points) or not len(targets):
        return np.ones((len(targets), 1))  # nobody to compare with
    return closest(points, targets, min(count, len(points)))[0] + _EQUAL


def _rows(frame: Frame, release: Panel, others: Panel, targets: Panel) -> Vector:
    """Of a few rows of each target, how close the nearest ones are: log-ratio, on average."""
    chosen = np.arange(len(targets.rows)) - targets.start[targets.owner] < _ROWS
    owner, at = targets.owner[chosen], row_points(frame, targets)[chosen]
    near, usual = (_away(row_points(frame, side), at, 1)[:, 0] for side in (release, others))
    total = np.bincount(owner, np.log(usual) - np.log(near), targets.persons)
    return np.asarray(total / np.maximum(np.minimum(targets.counts, _ROWS), 1))


def _likelier(frame: Frame, release: Panel, others: Panel, targets: Panel) -> Vector:
    """Log-likelihood ratio of all tables, release against others, as if independent."""
    width = len(frame.constants.axes)
    sides = [_Binned(frame, release, side) for side in (targets, release, others)]
    total = _ratio([side.panel.counts for side in sides])
    for i, j in combinations(range(len(frame.both.axes)), 2):
        if j < width:
            total += _ratio([side.joint(side.persons, i, j) for side in sides])
        else:
            ratio = _ratio([side.joint(side.rows, i, j) for side in sides])
            total += np.bincount(targets.owner, ratio, targets.persons)
    where = targets.owner[sides[0].steps]
    for j in range(width, len(frame.both.axes)):
        ratio = _ratio([side.lagged(j, ordered=frame.order is not None) for side in sides])
        total += np.bincount(where, ratio, targets.persons)
    return total


def _ratio(cells: list[NDArray[np.int64]]) -> Vector:
    """Of each cell of the first: how much more often it is met in the second than in the third."""
    at, own, usual = cells
    count = max(int(each.max(initial=0)) for each in cells) + 1
    shares = [(np.bincount(t, minlength=count) + 0.5) / (len(t) + 1) for t in (own, usual)]
    return np.asarray(np.log(shares[0] / shares[1])[at])


class _Binned:
    """A panel in the bins of a release."""

    def __init__(self, frame: Frame, release: Panel, panel: Panel) -> None:
        bins = bins_of(frame.both, _joined(release))
        self.panel, self.steps = panel, steps(panel)
        self.rows = bins(_joined(panel))
        none = np.zeros((panel.persons, len(frame.rows.axes)), np.int32)
        self.persons = bins(np.hstack([panel.constants, none]))
        self._sizes = [
            BINS_OF_A_NUMBER + 1 if isinstance(axis, Grid) else axis.codes
            for axis in frame.both.axes
        ]

    def joint(self, cells: NDArray[np.int64], i: int, j: int) -> NDArray[np.int64]:
        """Of two columns."""
        return np.asarray(cells[:, i] * self._sizes[j] + cells[:, j])

    def lagged(self, j: int, *, ordered: bool) -> NDArray[np.int64]:
        """Of a column and the same one row later; without an order the smaller comes first."""
        first, later = self.rows[self.steps, j], self.rows[self.steps + 1, j]
        if not ordered:
            first, later = np.minimum(first, later), np.maximum(first, later)
        return np.asarray(first * self._sizes[j] + later)


def _joined(panel: Panel) -> NDArray[np.int32]:
    return np.hstack([panel.constants[panel.owner], panel.rows])
