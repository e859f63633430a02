"""Figures 4.10 to 4.12: how many weights and shortest lengths stay near under edge-gaussian.

Beside each share that is measured stands an exact one: that of a single weight, erf(x / √2σ),
and that of paths which were fixed beforehand, erf(xL / √2σ‖w‖₂), averaged over one shortest
path of each pair.  Shortest lengths themselves are minima over all paths and have no such law.
"""

import numpy as np

from papers.liu2015.chapter4.shares import (
    KEPT,
    LENGTHS,
    WEIGHTS,
    X,
    add_shares,
    within,
)
from papers.liu2015.networks import every_pair, released
from papers.liu2015.settings import Settings
from papers.outcome import Outcome, Outcomes
from sfumato.graph.all_pairs import AllPairs
from sfumato.graph.edge_gaussian import METHOD
from sfumato.graph.fixed import FixedPoint
from sfumato.graph.network import Network
from sfumato.graph.path_length import FixedPath
from sfumato.inspection.network import compare

__all__ = ["EXACT", "RUNS", "SHIFT", "SIGMAS", "exact", "measure_noise"]

SIGMAS = {"4.10": 0.1, "4.11": 0.15, "4.12": 0.2}
EXACT, SHIFT = "exact ", "mean change"
RUNS = 20  # in a trial: one takes a hundredth of a second


def exact(network: Network, found: Outcomes) -> None:
    """The shares that theory predicts, for each figure and x."""
    topology, weight = network.topology, network.weight
    units = FixedPoint.of(topology, weight, 1.0).units(weight)
    ways = AllPairs.of(topology, units).paths(every_pair(topology))
    each = [ways[pair] for pair in range(len(ways))]
    paths = [FixedPath(edges, weight[edges], topology.directed) for edges in each]
    edge = FixedPath(np.array([0]), weight[:1], topology.directed)
    for figure, sigma in SIGMAS.items():
        for x in X:
            shares = {
                WEIGHTS: edge.within(x / sigma),
                LENGTHS: float(np.mean([path.within(x / sigma) for path in paths])),
            }
            for what, share in shares.items():
                found.add(Outcome(figure, EXACT + what, None, 0, within(x), share))


def measure_noise(network: Network, trial: int, settings: Settings, found: Outcomes) -> None:
    """Some runs for each figure: weights, shortest lengths of all pairs, and whether paths stay."""
    pairs = every_pair(network.topology)
    for figure, sigma in SIGMAS.items():
        for run in range(trial * RUNS, (trial + 1) * RUNS):
            seed = settings.seed_of("chapter 4", figure, run)
            seen = compare(network, released(METHOD, network, None, seed, sigma=sigma), pairs=pairs)
            add_shares(found, figure, WEIGHTS, run, seen.weight_change)
            add_shares(found, figure, LENGTHS, run, seen.length_change)
            found.add(Outcome(figure, LENGTHS, None, run, KEPT, seen.kept))
            shift = float(seen.length_change.mean())
            found.add(Outcome(figure, LENGTHS, None, run, SHIFT, shift))
