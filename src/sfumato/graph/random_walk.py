"""Walks on a network that prefer short ways: how likely a path is, and how long on average.

From node i a walker goes to j with probability p_ij = (1/w_ij) / Σ_t (1/w_it), and every
walk counts e^(-θ · its length).  With Q_ij = p_ij e^(-θ w_ij),

    K = Σ_t Qᵗ = (I - Q)⁻¹              all walks, by where they begin and end,
    Z[s, d] = K[s, d] / K[d, d]         those from s that stop when they first reach d,
    P(r) = Π Q along r / Z[s, d]        the share of a path r from s to d,
    Ē[s, d] = -∂ ln Z[s, d] / ∂θ        the average length (Liu 2015, chapter 5, corrected).

Everything is kept as a logarithm together with the average length of the walks it sums, and
only sums and products of positive numbers are formed: at θ = 20 and weights of 100 a walk
counts e^(-2000 · steps), which no float holds and no difference of floats survives.

Changing w_ij rescales all of row i of Q and nothing else.  The usual rank-one update of K
subtracts what went through row i; where the best ways did, all digits cancel.  `Bypass`
holds the walks that never leave the nodes in question: new rows are then joined to them
by sums alone, at the price of one solution per node instead of none.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from sfumato.graph.arcs import Arcs
from sfumato.graph.network import Indices, Topology, Weights
from sfumato.numeric.compiled import compiled

__all__ = ["Bypass", "RandomWalk", "Sums", "between", "joined", "step_row", "steps"]

_NEGLIGIBLE = 40.0  # e^-40 of a sum is below the last digit of a float


class Sums(NamedTuple):
    """Sums over walks, by begin and end: the logarithm, and the average length of the walks."""

    log: Weights  # -∞ where there is no walk
    length: Weights


@dataclass(frozen=True, eq=False)
class RandomWalk:
    """All walks of a network.

    >>> line = Topology(("a", "b", "c"), np.array([0, 1, 0]), np.array([1, 2, 2]), directed=True)
    >>> walk = RandomWalk.of(line, np.array([1.0, 1.0, 3.0]), theta=1.0)
    >>> s, d = np.array([0]), np.array([2])
    >>> np.exp(walk.log_partition(s, d)).round(6)  # ¾ e⁻² + ¼ e⁻³
    array([0.113948])
    >>> walk.expected_length(s, d).round(6)
    array([2.109232])
    """

    step: Sums = field(repr=False)  # Q
    walks: Sums = field(repr=False)  # K

    @classmethod
    def of(cls, topology: Topology, weight: Weights, theta: float) -> "RandomWalk":
        """Solve for all pairs of nodes."""
        step = steps(topology, weight, theta)
        return cls(step, closed(step))

    def log_partition(self, source: Indices, target: Indices) -> Weights:
        """ln Z for pairs of different nodes; -∞ where there is no way."""
        return self.walks.log[source, target] - self.walks.log[target, target]

    def expected_length(self, source: Indices, target: Indices) -> Weights:
        """Ē for pairs of different nodes."""
        return self.walks.length[source, target] - self.walks.length[target, target]


def steps(topology: Topology, weight: Weights, theta: float) -> Sums:
    """Q: one step from each node to each."""
    size = topology.size
    step = Sums(np.full((size, size), -np.inf), np.zeros((size, size)))
    out = Arcs.of(topology).out
    for node in range(size):
        arcs = slice(out.first[node], out.first[node + 1])
        there, lengths = out.head[arcs], weight[out.edge[arcs]]
        step.log[node, there] = step_row(lengths, theta)
        step.length[node, there] = lengths
    return step


@compiled
def step_row(weight: Weights, theta: float) -> Weights:
    """ln Q for the arcs of one node, by their weights."""
    row: Weights = -theta * weight - np.log(weight) - np.log(np.sum(1 / weight))
    return row


def closed(step: Sums) -> Sums:
    """K = I + Q + Q² + … for any Q whose sum exists.

    >>> half = Sums(np.log(np.full((1, 1), 0.5)), np.ones((1, 1)))
    >>> [float(part[0, 0].round(12)) for part in closed(half)]  # 2 walks, 1 step on average
    [0.69314718056, 1.0]
    """
    sums = Sums(step.log.copy(), step.length.copy())
    _close(sums)
    own = np.arange(len(step.log))
    here = sums.log[own, own]
    sums.log[own, own] = np.logaddexp(0.0, here)
    sums.length[own, own] *= np.exp(here - sums.log[own, own])
    return sums


@compiled
def _close(sums: Sums) -> None:
    """Let walks pass through one node after the other, as often as they like (Kleene)."""
    log, length = sums
    nodes = len(log)
    for via in range(nodes):
        if np.isfinite(log[via, via]):
            rounds = -np.log(-np.expm1(log[via, via]))
            detour = np.exp(log[via, via] + rounds) * length[via, via]
        else:
            rounds, detour = 0.0, 0.0
        onward, further = log[via].copy(), length[via].copy()
        arriving, so_far = log[:, via].copy(), length[:, via].copy()
        for s in range(nodes):
            begin = arriving[s] + rounds
            if begin == -np.inf:
                continue
            walked = so_far[s] + detour
            for d in range(nodes):
                more = begin + onward[d]
                old = log[s, d]
                if more > old - _NEGLIGIBLE and more > -np.inf:
                    if more - old > _NEGLIGIBLE:
                        log[s, d], length[s, d] = more, walked + further[d]
                    else:
                        share = 1 / (1 + np.exp(old - more))
                        log[s, d] = more - np.log(share)
                        length[s, d] += share * (walked + further[d] - length[s, d])


class Bypass(NamedTuple):
    """The walks that leave none of a few nodes, to which new rows of Q can be joined.

    With G = (I - Q without these rows)⁻¹ and R the new rows (Sherman, Morrison, Woodbury),

        K = G + G[:, nodes] T,    T = (I - R G[:, nodes])⁻¹ R G,

    and T is a sum of products of positive numbers again.

    >>> ring = Topology(("a", "b", "c"), np.array([0, 1, 0]), np.array([1, 2, 2]), directed=False)
    >>> weight, s, d = np.array([1.0, 2.0, 4.0]), np.array([0]), np.array([2])
    >>> bypass = Bypass.of(steps(ring, weight, 1.0), np.array([1]))
    >>> longer = steps(ring, np.array([1.0, 2.5, 4.0]), 1.0)
    >>> row = Sums(longer.log[[1]], longer.length[[1]])
    >>> joined(bypass, row).log.shape
    (1, 3)
    """

    nodes: Indices
    around: Sums  # G

    @classmethod
    def of(cls, step: Sums, nodes: Indices) -> "Bypass":
        """Solve once without these rows."""
        without = Sums(step.log.copy(), step.length)
        without.log[nodes] = -np.inf
        return cls(nodes, closed(without))


@compiled
def joined(bypass: Bypass, rows: Sums) -> Sums:
    """T: walks that begin by leaving one of the nodes along a new row."""
    nodes, around = bypass
    size = around.log.shape[1]
    through = Sums(np.full((len(nodes), size), -np.inf), np.zeros((len(nodes), size)))
    for row in range(len(nodes)):
        log, length = through.log[row], through.length[row]
        first = np.flatnonzero(rows.log[row] > -np.inf)
        for t in first:  # the largest term of each sum, so that none overflows
            for d in range(size):
                log[d] = max(log[d], rows.log[row, t] + around.log[t, d])
        total, walked = np.zeros(size), np.zeros(size)
        for t in first:
            for d in range(size):
                part = rows.log[row, t] + around.log[t, d]
                if part > -np.inf and part > log[d] - _NEGLIGIBLE:
                    share = np.exp(part - log[d])
                    total[d] += share
                    walked[d] += share * (rows.length[row, t] + around.length[t, d])
        for d in range(size):
            if total[d] > 0:
                log[d], length[d] = log[d] + np.log(total[d]), walked[d] / total[d]
    _return(through, nodes)
    return through


@compiled
def _return(through: Sums, nodes: Indices) -> None:
    """Let walks come back to the nodes and leave them again, as often as they like."""
    log, length = through
    for row in range(len(nodes)):
        via = nodes[row]
        rounds = -np.log(-np.expm1(log[row, via]))
        detour = np.exp(log[row, via] + rounds) * length[row, via]
        log[row] += rounds
        length[row] += detour
        for other in range(len(nodes)):
            begin, walked = log[other, via], length[other, via]
            if other == row or begin == -np.inf:
                continue
            for d in range(log.shape[1]):
                more, old = begin + log[row, d], log[other, d]
                if more > -np.inf:
                    top = max(more, old)
                    a, b = np.exp(old - top), np.exp(more - top)
                    log[other, d] = top + np.log(a + b)
                    length[other, d] += b / (a + b) * (walked + length[row, d] - length[other, d])


@compiled
def between(bypass: Bypass, through: Sums, s: int, d: int) -> tuple[float, float]:
    """ln K[s, d] and the average length, with the new rows joined."""
    nodes, around = bypass
    log, length = around.log[s, d], around.length[s, d]
    for row in range(len(nodes)):
        more = around.log[s, nodes[row]] + through.log[row, d]
        if more > -np.inf and more > log - _NEGLIGIBLE:
            walked = around.length[s, nodes[row]] + through.length[row, d]
            share = 1 / (1 + np.exp(log - more))
            log = more - np.log(share)
            length += share * (walked - length)
    return log, length
