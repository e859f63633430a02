"""How many weights hide among their neighbours: μ-weighted k-anonymity (Liu 2015, 5.2.2).

Φ(i) are the arcs that leave node i.  The arc i → j is anonymous if at least k arcs of Φ(i),
itself among them, have weights within μ of its own.  Where Φ(i) has only k' < k arcs, all
of them must be within μ of it, and so must at least k - k' arcs that leave other nodes.
That an arc counts itself is how the definition's own example (four edges, 4-anonymous) and
its reading of k = 3 ("2 other edges") have it.

An undirected edge is two arcs, one in the Φ of each end, and is counted as two.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.graph.network import Topology

__all__ = ["anonymous", "share"]

_ROUNDING = 1e-9  # of μ: 0.8 and 0.6 are 0.2 apart for a person, a little more for a float


def anonymous(topology: Topology, weight: NDArray[Any], k: int, mu: float) -> NDArray[np.bool_]:
    """For each arc whether it is anonymous; undirected: source to target, then target to source.

    Weights may be floats or whole numbers of steps; `mu` is in the same measure.

    >>> star = Topology(tuple("abcde"), np.zeros(4, np.int64), np.arange(1, 5), directed=True)
    >>> anonymous(star, np.array([40.0, 10.0, 48.0, 43.0]), k=3, mu=10).tolist()
    [True, False, True, True]
    >>> anonymous(star, np.array([35.0, 32.0, 36.0, 33.0]), k=4, mu=10).tolist()
    [True, True, True, True]
    """
    tail = topology.source
    if not topology.directed:
        tail, weight = np.concatenate([tail, topology.target]), np.concatenate([weight, weight])
    leaving = np.bincount(tail, minlength=topology.size)[tail]
    reach = mu if weight.dtype.kind == "i" else mu * (1 + _ROUNDING)

    # Weights become ranks, so that node and weight fit into one sorted key.
    order = np.argsort(weight, kind="stable")
    ascending = weight[order]
    lowest = np.empty(len(tail), np.int64)
    beyond = np.empty(len(tail), np.int64)
    lowest[order] = np.searchsorted(ascending, ascending - reach, side="left")
    beyond[order] = np.searchsorted(ascending, ascending + reach, side="right")
    rank = np.empty(len(tail), np.int64)
    rank[order] = np.arange(len(tail))
    base = tail * (len(tail) + 1)
    key = np.sort(base + rank)
    near = np.searchsorted(key, base + beyond) - np.searchsorted(key, base + lowest)
    elsewhere = (beyond - lowest) - near
    return (near >= np.minimum(k, leaving)) & (near + elsewhere >= k)


def share(topology: Topology, weight: NDArray[Any], k: int, mu: float) -> float:
    """The share of all arcs that are anonymous.

    >>> star = Topology(tuple("abcde"), np.zeros(4, np.int64), np.arange(1, 5), directed=True)
    >>> share(star, np.array([40.0, 10.0, 48.0, 43.0]), k=3, mu=10)
    0.75
    """
    return float(anonymous(topology, weight, k, mu).mean())
