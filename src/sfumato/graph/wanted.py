"""The shortest paths of the wanted pairs, by a table of all distances or by searches.

The table costs the same however many pairs are wanted, but its memory grows with the square
of the nodes: half a gigabyte for 3,000.  Searches (`search`) take each pair by itself and
need no more memory than the network, so they are for few pairs in networks of any size.
Both tell exactly which pairs have a path that is no longer the only shortest one.
"""

import os
from typing import NamedTuple, Protocol

import numpy as np
from numpy.random import Generator

from sfumato.errors import DataError
from sfumato.graph.all_pairs import AllPairs
from sfumato.graph.arcs import Arcs
from sfumato.graph.fixed import Units
from sfumato.graph.network import Indices, Topology
from sfumato.graph.pairs import Pairs
from sfumato.graph.search import Search
from sfumato.graph.ties import told_apart

__all__ = ["ROOM", "Alone", "Searches", "Table", "Wanted", "alone", "table_fits"]

_SMALL, _LARGE = 3_000, 8_000  # nodes
_BYTES = 64  # of memory per entry of the table, all copies counted
_SHARE = 4  # of the machine's memory, as a divisor
_JITTER = (2**6, 2**10, 2**14, 2**18, 2**22)  # steps that tell tied paths apart, in turn
ROOM = 1.5  # times: what telling apart may make of a weight, for a tie has two edges or more


class Wanted(Protocol):
    """Paths under one weighting, and whether they stay under another."""

    def solve(self, units: Units) -> int:
        """Find the paths under these weights; how many pairs have others as short."""

    def lengths(self) -> Units:
        """The length of each path that was found."""

    def visits(self) -> Indices:
        """For each edge, how many of these paths take it."""

    def verified(self, units: Units) -> Units:
        """Their lengths under other weights; an error if one is not the only shortest path."""


class Table:
    """All pairs of nodes are solved, wanted or not.

    >>> ends = np.array([0, 1, 0]), np.array([1, 2, 2])
    >>> ring, pairs = Topology(("a", "b", "c"), *ends, directed=False), Pairs(*ends)
    >>> wanted = Table(ring, pairs)
    >>> wanted.solve(np.array([1, 2, 3])), wanted.solve(np.array([1, 2, 4]))
    (1, 0)
    >>> wanted.lengths().tolist(), wanted.verified(np.array([2, 2, 5])).tolist()
    ([1, 2, 3], [2, 2, 4])
    """

    def __init__(self, topology: Topology, pairs: Pairs) -> None:
        self._topology, self._pairs = topology, pairs

    def solve(self, units: Units) -> int:
        """From every node to every other."""
        self._ways = AllPairs.of(self._topology, units)
        return self._ways.tied(self._pairs)

    def lengths(self) -> Units:
        """By a look at the table."""
        return self._ways.lengths(self._pairs)

    def visits(self) -> Indices:
        """By sums over trees."""
        return self._ways.visits(self._pairs)

    def verified(self, units: Units) -> Units:
        """By another table, made from the start."""
        after = AllPairs.of(self._topology, units)
        _refuse(int(np.count_nonzero(~self._ways.kept(after, self._pairs))))
        return after.lengths(self._pairs)


class Searches:
    """Only the wanted pairs are looked at; `search` and `paths` are there for others to use."""

    def __init__(self, topology: Topology, pairs: Pairs) -> None:
        self.search, self._pairs = Search(topology, Arcs.of(topology)), pairs

    def solve(self, units: Units) -> int:
        """Each path, and then whether another is as short."""
        self._units, self.paths = units, self.search.paths(units, self._pairs)
        return len(self.search.competitors(units, self._pairs, self.paths))

    def lengths(self) -> Units:
        """By adding up."""
        return self.paths.lengths(self._units)

    def visits(self) -> Indices:
        """By counting."""
        return self.paths.visits(self.search.topology.edges)

    def verified(self, units: Units) -> Units:
        """By looking for a competitor of each."""
        _refuse(len(self.search.competitors(units, self._pairs, self.paths)))
        return self.paths.lengths(units)


def _refuse(lost: int) -> None:
    if lost:
        raise RuntimeError(
            f"{lost} wanted paths would have changed: this is a bug, and nothing is published"
        )


def table_fits(topology: Topology, pairs: Pairs) -> bool:
    """Whether the table is the better way: up to 3,000 nodes, with many pairs up to 8,000.

    >>> line = Topology(("a", "b", "c"), np.array([0, 1]), np.array([1, 2]), directed=False)
    >>> table_fits(line, Pairs(np.array([0]), np.array([2])))
    True
    """
    size = _SMALL if len(pairs) < topology.edges else _LARGE
    return topology.size <= size and _BYTES * topology.size**2 <= _memory() / _SHARE


def _memory() -> float:
    """Bytes of the machine; where it does not say, as many as one likes."""
    try:
        return float(os.sysconf("SC_PAGE_SIZE")) * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return float("inf")


class Alone(NamedTuple):
    """Weights under which each pair has one shortest path."""

    units: Units
    tied: int  # pairs that had several before
    lengths: Units  # before


def alone(wanted: Wanted, units: Units, rng: Generator) -> Alone:
    """Choose one of the shortest paths of each pair; no weight grows by more than half.

    >>> ends = np.array([0, 1, 0]), np.array([1, 2, 2])
    >>> ring, pairs = Topology(("a", "b", "c"), *ends, directed=False), Pairs(*ends)
    >>> wanted, units = Table(ring, pairs), np.array([1, 2, 3]) << 20
    >>> told = alone(wanted, units, np.random.default_rng(1))
    >>> told.tied, wanted.solve(told.units)
    (1, 0)
    """
    tied = left = wanted.solve(units)
    told, lengths = units, wanted.lengths()
    longest = int(lengths.max(initial=1))
    for least in _JITTER:
        if not left:
            break
        # More only where less does not do: sevenths have ties, but no common step.
        told = told_apart(units, longest, rng, min(least, max(_JITTER[0], int(units.min()) >> 4)))
        left = wanted.solve(told)
    if left:
        raise DataError(
            f"{left} pairs keep several shortest paths that rounding cannot tell apart: the "
            "weights lie too many powers of ten apart; rescale or drop tiny weights"
        )
    return Alone(told, tied, lengths)
