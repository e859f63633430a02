"""Shortest paths before and after: how long they are, and where the release leads."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sfumato.graph.network import Indices, Weights

__all__ = ["Lengths"]

_SAME = 1e-9  # of a length: sums of the same weights in another order


@dataclass(frozen=True, eq=False)
class Lengths:
    """NOT PRIVATE: for each pair looked at, the lengths of its shortest paths.

    >>> one, two = np.array([1.0]), np.array([2.0])
    >>> Lengths(np.array([0]), np.array([5]), one, two, two, np.array([True])).kept.tolist()
    [False]
    """

    source: Indices = field(repr=False)
    target: Indices = field(repr=False)
    before: Weights = field(repr=False)  # of the shortest path in the original
    after: Weights = field(repr=False)  # of the shortest path in the release, as published
    along: Weights = field(repr=False)  # of that same path, by the true weights
    alone: NDArray[np.bool_] = field(repr=False)  # whether the release has no other one

    def __len__(self) -> int:
        return len(self.source)

    @property
    def kept(self) -> NDArray[np.bool_]:
        """Whether the path that the release calls shortest is a shortest one in truth."""
        return self.along <= self.before * (1 + _SAME)
