"""NOT PRIVATE: each person of a panel as one point: what an attacker compares of whole histories.

Features lie between 0 and 1, by the public domain: what the person has once, how many rows (as a
share of the most that count), of each feature of the rows the mean, of numbers the deviation, and
where rows follow each other how far one is from the next on average.  Persons with the same rows
are the same point.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from sfumato.inspection.attack.tables import points
from sfumato.inspection.panel.persons import steps
from sfumato.inspection.panel.reading import Frame
from sfumato.table.people.panel import Panel

__all__ = ["portraits", "row_points"]

Points = NDArray[np.float64]


def portraits(frame: Frame, panel: Panel) -> Points:
    """A point for each person."""
    own = points(frame.constants, panel.constants, range(len(frame.constants.axes)))
    rows = points(frame.rows, panel.rows, range(len(frame.rows.axes)))
    mean = _means(panel, rows)
    square = np.maximum(_means(panel, rows**2) - mean**2, 0)
    found = [own, panel.counts[:, None] / frame.people.rows, mean, np.sqrt(square)]
    if frame.order is not None:
        change = np.zeros_like(rows)
        at = steps(panel)
        change[at] = np.abs(rows[at + 1] - rows[at])
        found.append(_means(panel, change))
    return np.hstack(found)


def row_points(frame: Frame, panel: Panel) -> Points:
    """A point for each row, with what its person has."""
    both = np.hstack([panel.constants[panel.owner], panel.rows])
    return points(frame.both, both, range(len(frame.both.axes)))


def _means(panel: Panel, values: Points) -> Points:
    """Over the rows of each person; nothing of who has none."""
    shape = panel.persons, len(values)
    sums = csr_array((np.ones(len(values)), np.arange(len(values)), panel.start), shape=shape)
    means: Points = (sums @ values) / np.maximum(panel.counts, 1)[:, None]
    return means
