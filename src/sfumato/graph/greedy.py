"""Every edge moves once, and the wanted paths stay (Liu 2015, Algorithm 1, corrected).

Edges on no wanted path grow, edges on all of them shrink, and the others, the most visited
first, do the one or the other: an edge grows if most wanted paths over it are no longer
than they were to begin with, else it shrinks, so that lengths stay near what they were.
How far is drawn uniformly from what keeps all wanted paths, up to a share of the weight.
"""

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from sfumato.graph.all_pairs import Distances
from sfumato.graph.dynamic import Dynamic
from sfumato.graph.dynamic_kernel import State, balance, highest, lower, lowest, raised
from sfumato.graph.fixed import Units
from sfumato.graph.network import Indices, Topology
from sfumato.graph.pairs import Pairs
from sfumato.graph.recipe import Say
from sfumato.numeric.compiled import compiled

__all__ = ["greedy"]

_PIECE = 2**14  # edges in one call of the loop, so that it can report and be interrupted
_LEAST = 0.05  # of itself: what is left of any weight


def greedy(
    topology: Topology,
    units: Units,
    pairs: Pairs,
    visits: Indices,
    strength: float,
    rng: Generator,
    say: Say,
) -> Units:
    """New weights, none changed by more than `strength` times itself.

    `visits` counts the wanted paths over each edge; each wanted pair must have one
    shortest path only.

    >>> ring = Topology(("a", "b", "c"), np.array([0, 1, 0]), np.array([1, 2, 2]), directed=False)
    >>> wanted = Pairs(np.array([0]), np.array([2]))
    >>> before, visits = np.array([100, 200, 400]), np.array([1, 1, 0])
    >>> greedy(ring, before, wanted, visits, 0.5, np.random.default_rng(1), print).tolist()
    moved 2 of 2 edges on wanted paths
    [74, 104, 429]
    """
    share = rng.random(topology.edges)
    more = np.maximum((strength * units).astype(np.int64), 1)
    less = (min(strength, 1 - _LEAST) * units).astype(np.int64)
    # Nothing wanted is measured along these: they may all move before anything is solved.
    start = units + np.where(visits == 0, _drawn(share, more), 0)
    dynamic = Dynamic.of(topology, start, pairs, visits)
    order = np.argsort(-visits, kind="stable")[: np.count_nonzero(visits)]
    # Edges on all wanted paths come first in it; they shrink whatever the lengths are.
    shrinking = int(np.count_nonzero(visits == len(pairs)))
    before = dynamic.distance.copy()
    for begin in range(0, len(order), _PIECE):
        piece = order[begin : begin + _PIECE]
        _sweep(dynamic.state, before, piece, shrinking - begin, more, less, share)
        say(f"moved {begin + len(piece):,} of {len(order):,} edges on wanted paths")
    return dynamic.units


def _drawn(share: NDArray[np.float64], room: Units) -> Units:
    """A whole number from 1 to `room`, by a share from 0 up to, but not, 1."""
    return 1 + (share * room).astype(np.int64)


@compiled
def _sweep(
    state: State,
    before: Distances,
    order: Indices,
    shrinking: int,
    more: Units,
    less: Units,
    share: NDArray[np.float64],
) -> None:
    """Move each edge of `order` in its turn; the first few can only shrink."""
    for turn in range(len(order)):
        e = order[turn]
        w = state.units[e]
        if turn >= shrinking and balance(state, before, e) > 0:
            room = highest(state, e, w + more[e]) - w
            if room > 0:
                raised(state, e, w + 1 + int(share[e] * room))
        else:
            room = w - lowest(state, e, w - less[e])
            if room > 0:
                lower(state, e, w - 1 - int(share[e] * room))
