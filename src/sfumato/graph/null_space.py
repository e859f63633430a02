"""Other weights under which given pairs keep their shortest paths, and the lengths of these.

For a few pairs in a big network.  Edges on none of the paths only grow, at random: no path
that competes gets shorter, so they can do no harm.  It also means that the published weight
of such an edge is an upper bound of the true one, and whoever knows the pairs finds from the
release which edges these are.

The edges on the paths change by random shares, projected onto the null space of the
equations "the length of each path stays as it is".  That takes fewer pairs than edges on
their paths; otherwise there are no equations and the lengths change too.  Then every path
is verified.  Where another one has become as short, the difference of the two lengths
joins the equations and the shares are projected again.  The zero change solves all of
them, and the difference was above zero there: so each such path stays the longer one.
What rounding to whole steps leaves is settled by keeping edges as they were, at worst all
of them, so that it ends, and with every path kept.
"""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np
from numpy.random import Generator
from scipy.sparse import csc_array, csr_array, eye_array, vstack
from scipy.sparse.linalg import splu

from sfumato.errors import DataError
from sfumato.graph.fixed import Units
from sfumato.graph.network import Indices, Weights
from sfumato.graph.pairs import Pairs
from sfumato.graph.paths import Paths
from sfumato.graph.recipe import Say
from sfumato.graph.search import Search

__all__ = ["NullSpace", "perturb"]

_LEAST = 0.05  # of itself: what is left of any weight
_ROUNDS = 20  # before the edges on the paths are left as they were; 2 to 6 are usual
_PASSES, _NEARLY = 3, 1.05  # clipping and projecting in turn, until within 5 % of the bounds
_EXACT, _KEPT = 1e-9, 1e-8  # of a row of length 1; of the length of a path, rounded to steps
_ENOUGH = 1e-3  # of a row, where no length is kept and paths are only told apart
_STEPS = 3000  # of the iteration
_DIRECT = 20_000  # rows whose factors still fit in a few gigabytes
_RIDGE = 1e-11  # makes dependent rows invertible, and is taken back by repetition


class NullSpace:
    """All x with rows · (scale x) = 0; the rows are a csr_array.

    >>> plane = NullSpace(csr_array([[1.0, 1.0, 0.0]]), np.array([1.0, 2.0, 3.0]))
    >>> plane.nearest(np.array([3.0, 1.0, 5.0])).round(9).tolist()
    [2.0, -1.0, 5.0]
    """

    def __init__(self, rows: Any, scale: Weights, exact: float = _EXACT) -> None:
        row, entry = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr)), rows.data
        entry = entry * scale[rows.indices]
        size = np.sqrt(np.bincount(row, entry**2, rows.shape[0]))
        entry /= np.where(size > 0, size, 1)[row]  # so that an error means the same in each
        self._rows = csr_array((entry, rows.indices, rows.indptr), shape=rows.shape)
        self._columns, self._exact, self._creeps = self._rows.T, exact, False

    def nearest(self, x: Weights) -> Weights:
        """The point of the null space nearest to x.

        By iteration, which is fast where the paths share little.  Where they share so much
        that it creeps, a factorisation takes over, unless its room would be too much.
        """
        if not self._rows.shape[0]:
            return x
        if not self._creeps:
            x = self._descended(x)
        for _ in range(_PASSES if self._rows.shape[0] <= _DIRECT else 0):
            error = self._rows @ x
            if np.abs(error).max() <= self._exact:
                break
            self._creeps = True
            x = x - self._columns @ self._factors.solve(error)
        return x

    def _descended(self, x: Weights) -> Weights:
        """Conjugate gradients on x less its projection; sums without BLAS, whose threads
        cost more than vectors of this size."""
        error = self._rows @ x
        along, size = error, (error * error).sum()
        for _ in range(_STEPS):
            if np.abs(error).max() <= self._exact:
                break
            step = self._columns @ along
            x = x - (size / (step * step).sum()) * step
            error, before = self._rows @ x, size
            size = (error * error).sum()
            along = error + (size / before) * along
        return x

    @cached_property
    def _factors(self) -> Any:
        square = csc_array(self._rows @ self._rows.T + _RIDGE * eye_array(self._rows.shape[0]))
        return splu(square, "MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})

    def within(self, x: Weights, least: float, most: float) -> Weights:
        """A point of the null space near x with all entries from -least to most."""
        for _ in range(_PASSES):
            x = self.nearest(np.clip(x, -least, most))
            over = max(x.max(initial=0) / most, -x.min(initial=0) / least)
            if over <= _NEARLY:
                break
        return np.asarray(x / max(over, 1))


def perturb(
    search: Search,
    units: Units,
    pairs: Pairs,
    paths: Paths,
    strength: float,
    rng: Generator,
    say: Say,
) -> tuple[Units, Mapping[str, Any]]:
    """New weights, none changed by more than `strength` times itself, and an account.

    `paths` must be the only shortest ones under `units`.

    >>> from sfumato.graph.arcs import Arcs
    >>> from sfumato.graph.network import Topology
    >>> line = Topology(tuple("abcd"), np.array([0, 1, 2, 0]), np.array([1, 2, 3, 3]), True)
    >>> search, pairs = Search(line, Arcs.of(line)), Pairs(np.array([0]), np.array([3]))
    >>> units = np.array([3, 2, 4, 10]) << 30
    >>> paths = search.paths(units, pairs)
    >>> new, account = perturb(search, units, pairs, paths, 0.5, np.random.default_rng(1), print)
    >>> (new >> 20).tolist()
    [2305, 1807, 5103, 15097]
    >>> account["lengths_kept"], account["largest_length_change"] < 1e-8
    (True, True)
    """
    visited = np.flatnonzero(paths.visits(len(units)))
    own, least = units[visited].astype(np.float64), min(strength, 1 - _LEAST)
    new = units + np.floor(units * (strength * rng.random(len(units)))).astype(np.int64)
    share = rng.uniform(-least, strength, len(visited))
    rows = paths.incidence(visited)
    exact = _EXACT
    if len(pairs) >= len(visited):
        rows, exact = rows[:0], _ENOUGH
        say(
            f"the paths of {len(pairs)} pairs have only {len(visited)} edges: with these weights "
            "the lengths will change too"
        )
    free, rounds, cuts = np.ones(len(visited)), 0, 0
    while True:
        share = NullSpace(rows, own * free, exact).within(share * free, least, strength)
        new[visited] = units[visited] + np.trunc(share * own).astype(np.int64)
        rivals = search.competitors(new, pairs, paths)
        if not len(rivals):
            break
        if not free.any():
            raise DataError(
                f"{len(rivals)} of {len(pairs)} pairs have more than one shortest path: tell "
                "them apart first"
            )
        rounds += 1
        say(f"round {rounds}: {len(rivals)} of {len(pairs)} paths are no longer the shortest")
        apart = rivals.paths.incidence(visited) - paths.chosen(rivals.pair).incidence(visited)
        # Where the difference has hardly moved another equation cannot help: the two paths
        # were so close that rounding tells them apart.
        close = np.abs(apart @ (share * own)) <= abs(apart) @ (2 + exact * own)
        free[apart[close].indices] = 0
        rows, cuts = vstack([rows, apart[~close]], format="csr"), cuts + int((~close).sum())
        if rounds > _ROUNDS:
            free[:] = 0
    held = int((free == 0).sum())
    return new, _outcome(units, new, paths, visited) | {
        "rounds": rounds,
        "cuts": cuts,
        "held": held,
    }


def _outcome(units: Units, new: Units, paths: Paths, visited: Indices) -> dict[str, Any]:
    """What became of lengths and weights."""
    before, after = paths.lengths(units), paths.lengths(new)
    off = float((np.abs(after - before) / np.maximum(before, 1)).max(initial=0))
    moved = np.abs(new - units) > units // 100
    return {
        "lengths_kept": off <= _KEPT,
        "largest_length_change": off,
        "visited_edges": len(visited),
        "visited_changed": float(moved[visited].sum() / max(len(visited), 1)),
        "edges_changed": float(moved.mean()),
    }
