"""What all figures of chapter 4 draw: the share of values that moved by at most x."""

import numpy as np

from papers.outcome import Outcome, Outcomes
from sfumato.graph.network import Weights

__all__ = ["KEPT", "LENGTHS", "WEIGHTS", "X", "add_shares", "share_within", "within"]

X = tuple(twentieth / 20 for twentieth in range(1, 13))  # 0.05 to 0.6
WEIGHTS, LENGTHS, KEPT = "weights", "lengths", "paths kept"


def within(x: float) -> str:
    """The name of such a share.

    >>> within(0.15)
    'within 0.15'
    """
    return f"within {x:g}"


def share_within(change: Weights, x: float) -> float:
    """How many changed by at most x, each as a part of itself.

    >>> share_within(np.array([0.1, -0.2, 0.3 - 0.1, 0.5]), 0.2)
    0.75
    """
    # 0.3 - 0.1 is 0.2 for a person, a little less or more for a float.
    return float(np.mean(np.abs(change) <= x * (1 + 1e-9)))


def add_shares(found: Outcomes, figure: str, who: str, run: int, change: Weights) -> None:
    """One curve of a figure."""
    for x in X:
        found.add(Outcome(figure, who, None, run, within(x), share_within(change, x)))
