"""One path for each pair, as the numbers of its edges in the order they are walked.

All paths lie in one array, one after the other: a million of them cost no Python object
each, and lengths, visits and equations are single passes over it.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sfumato.graph.fixed import Units
from sfumato.graph.network import Indices

__all__ = ["Paths"]


@dataclass(frozen=True, eq=False)
class Paths:
    """The edges of path i are edge[first[i]] up to edge[first[i + 1]].

    >>> both = Paths(np.array([0, 2, 3]), np.array([4, 1, 1]))
    >>> len(both), both[0].tolist(), both[1].tolist()
    (2, [4, 1], [1])
    >>> both.lengths(np.array([9, 5, 9, 9, 20])).tolist()
    [25, 5]
    """

    first: Indices = field(repr=False)
    edge: Indices = field(repr=False)

    def __len__(self) -> int:
        return len(self.first) - 1

    def __getitem__(self, which: int) -> Indices:
        return self.edge[self.first[which] : self.first[which + 1]]

    @property
    def hops(self) -> Indices:
        """How many edges each path has."""
        return np.diff(self.first)

    def lengths(self, units: Units) -> Units:
        """The length of each path, exactly."""
        # The running sum may pass 2⁶³ and wrap; differences of it are right all the same.
        run = np.zeros(len(self.edge) + 1, np.int64)
        np.cumsum(units[self.edge], out=run[1:])
        return run[self.first[1:]] - run[self.first[:-1]]

    def chosen(self, which: Indices) -> "Paths":
        """Only these paths, in this order.

        >>> Paths(np.array([0, 2, 3]), np.array([4, 1, 1])).chosen(np.array([1])).edge.tolist()
        [1]
        """
        first = np.append(0, np.cumsum(self.hops[which]))
        shift = np.repeat(self.first[which] - first[:-1], self.hops[which])
        return Paths(first, self.edge[np.arange(first[-1]) + shift])

    def visits(self, edges: int) -> Indices:
        """For each of so many edges, how many of these paths walk along it.

        >>> Paths(np.array([0, 2, 3]), np.array([4, 1, 1])).visits(5).tolist()
        [0, 2, 0, 0, 1]
        """
        return np.bincount(self.edge, minlength=edges)

    def incidence(self, columns: Indices) -> Any:  # a scipy.sparse.csr_array of float64
        """Paths by edges: 1 where the path walks along the edge, for these edges only.

        `columns` are edge numbers in rising order; edges of paths outside it are left out.

        >>> both = Paths(np.array([0, 2, 3]), np.array([4, 1, 1]))
        >>> both.incidence(np.array([1, 4])).toarray().tolist()
        [[1.0, 1.0], [1.0, 0.0]]
        """
        from scipy.sparse import csr_array

        place = np.minimum(np.searchsorted(columns, self.edge), len(columns) - 1)
        kept = columns[place] == self.edge
        first = np.concatenate([[0], np.cumsum(kept)])[self.first]
        entries = np.ones(int(first[-1]))
        return csr_array((entries, place[kept], first), shape=(len(self), len(columns)))
