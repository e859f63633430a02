"""Figures 4.13 to 4.15: how far edge-greedy moves weights and lengths, all wanted paths kept.

The thesis keeps 77, 54 and 25 % "of all pairs" and says that pairs whose shortest path is a
single edge are left out.  Both cannot be: on EIES two thirds of all pairs are such.  So H is
drawn from all pairs, and again from those that are several edges apart.

Weights are those of edges on some wanted paths and not on others: the thesis draws no others.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from papers.liu2015.chapter4.shares import KEPT, LENGTHS, WEIGHTS, add_shares
from papers.liu2015.networks import every_pair, released, some
from papers.liu2015.settings import Settings
from papers.outcome import Outcome, Outcomes
from sfumato.graph.all_pairs import FAR, AllPairs
from sfumato.graph.edge_greedy import METHOD
from sfumato.graph.fixed import FixedPoint
from sfumato.graph.network import Network
from sfumato.graph.pairs import Pairs
from sfumato.inspection.network import compare

__all__ = [
    "ANY",
    "COUNTED",
    "EIES",
    "FULL",
    "MADE_UP",
    "PARTLY",
    "READINGS",
    "RUNS",
    "SEVERAL",
    "SHARES",
    "Wanted",
    "cell",
    "count_visits",
    "measure_moves",
    "wanted",
]

SHARES = {"4.13": 0.77, "4.14": 0.54, "4.15": 0.25}
EIES, MADE_UP = "EIES", "made-up"
COUNTED = "made-up, counted only"  # larger than what is changed: as large as in the thesis
ANY, SEVERAL = READINGS = ("any pairs", "pairs several edges apart")
PARTLY = "edges on some wanted paths"
FULL = 1600  # nodes of the thesis' made-up network
STRENGTH = 1  # the thesis bounds a change by nothing but the paths; this is the most there is
RUNS = 5  # in a trial, on EIES


@dataclass(frozen=True, eq=False)
class Wanted:
    """A network, its shortest paths, and the pairs that H may be drawn from, by reading."""

    name: str
    network: Network
    ways: AllPairs
    pairs: dict[str, Pairs]

    def drawn(self, figure: str, reading: str, run: int, settings: Settings) -> tuple[Pairs, int]:
        """H of one run, and the seed it was drawn by."""
        seed = settings.seed_of("chapter 4", figure, self.name, reading, run)
        return some(self.pairs[reading], SHARES[figure], seed), seed


def cell(name: str, reading: str, what: str = "") -> str:
    """Who takes part in a figure.

    >>> cell(EIES, ANY, WEIGHTS)
    'EIES, any pairs, weights'
    """
    return ", ".join(filter(None, (name, reading, what)))


def wanted(name: str, network: Network) -> Wanted:
    """Pairs several edges apart have no edge between them that is as short as their distance."""
    topology, pairs = network.topology, every_pair(network.topology)
    units = FixedPoint.of(topology, network.weight, 1.0).units(network.weight)
    straight = np.full((topology.size, topology.size), FAR)
    straight[topology.source, topology.target] = units
    if not topology.directed:
        straight[topology.target, topology.source] = units
    ways = AllPairs.of(topology, units)
    apart = np.flatnonzero(ways.lengths(pairs) < straight[pairs.source, pairs.target])
    several = Pairs(pairs.source[apart], pairs.target[apart])
    return Wanted(name, network, ways, {ANY: pairs, SEVERAL: several})


def count_visits(what: Wanted, settings: Settings, found: Outcomes) -> None:
    """How many edges are on some wanted paths, without changing any: weights that do not tie."""
    for figure in SHARES:
        for reading in READINGS:
            H, _ = what.drawn(figure, reading, 0, settings)
            partly = float(_partly(what.ways, H).mean())
            found.add(Outcome(figure, cell(what.name, reading), None, 0, PARTLY, partly))


def measure_moves(what: Wanted, run: int, settings: Settings, found: Outcomes) -> None:
    """One run for each figure and reading."""
    network, topology = what.network, what.network.topology
    for figure in SHARES:
        for reading in READINGS:
            H, seed = what.drawn(figure, reading, run, settings)
            release = released(METHOD, network, H, seed, strength=STRENGTH)
            seen = compare(network, release, pairs=H)
            units = FixedPoint.of(topology, release.weight, 1.0).units(release.weight)
            partly = _partly(AllPairs.of(topology, units), H)  # each has one path only by now
            who = cell(what.name, reading)
            add_shares(found, figure, f"{who}, {WEIGHTS}", run, seen.weight_change[partly])
            add_shares(found, figure, f"{who}, {LENGTHS}", run, seen.length_change)
            found.add(Outcome(figure, who, None, run, PARTLY, float(partly.mean())))
            found.add(Outcome(figure, who, None, run, KEPT, seen.kept_alone))


def _partly(ways: AllPairs, H: Pairs) -> NDArray[np.bool_]:
    """Which edges are on some of these paths and not on others."""
    visits = ways.visits(H)
    return (visits > 0) & (visits < len(H))
