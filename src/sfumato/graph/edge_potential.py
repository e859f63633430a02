"""edge-potential: a height for every node, w(u, v) + h(u) - h(v); all shortest paths stay.

Of a directed network, whichever pairs are named, every shortest path of every pair stays a
shortest one, no other becomes one, and the lengths between the ends of named pairs stay
to the last digit.  `potential` says why and how the heights are found.

What it hides is little: one number per node, less one.  The sum along every cycle is
published exactly (an arc walked backwards counts as negative), and so is the sum of the two
directions of a street.

All of it holds for the weights in whole steps (`fixed`).  Whole numbers and binary fractions
are such; other weights are rounded to the nearest step first.
"""

from typing import Any

import numpy as np

from sfumato.errors import ParameterError
from sfumato.graph.fixed import FixedPoint
from sfumato.graph.network import Indices, Topology, Weights
from sfumato.graph.pairs import Pairs
from sfumato.graph.potential import changed, heights
from sfumato.graph.recipe import Changed, EdgeMethod, EdgePlan, Say, unproved_event
from sfumato.numeric.compiled import HAVE_NUMBA, SLOW
from sfumato.perturb.randomness import generator
from sfumato.plan import ContractCase, Family
from sfumato.plan.options import real
from sfumato.privacy.budget import Budget
from sfumato.privacy.guarantee import Heuristic
from sfumato.privacy.mechanism import Purse

__all__ = ["METHOD", "two_way"]

DEFAULT_SPREAD = "1"
LEAST_SPREAD, LARGEST_SPREAD = 0.01, 100.0
_SAMPLE = 2**17  # arcs
REASON = "the sum of the weights along every cycle is published exactly"


def two_way(topology: Topology) -> int:
    """How many arcs of a directed network have one in the opposite direction.

    >>> two_way(Topology(("a", "b", "c"), np.array([0, 1, 1]), np.array([1, 0, 2]), directed=True))
    2
    """
    low, high = np.sort([topology.source, topology.target], axis=0)
    street = np.sort(low * topology.size + high)
    return 2 * int(np.count_nonzero(street[1:] == street[:-1]))


def plan(topology: Topology, budget: Budget | None, spread: Any = DEFAULT_SPREAD) -> EdgePlan:
    """Heights that reach as far as `spread` typical weights."""
    reach, reason = real("spread", spread), Heuristic(REASON)
    if not LEAST_SPREAD <= reach <= LARGEST_SPREAD:
        raise ParameterError(
            f"spread must be from {LEAST_SPREAD:g} to {LARGEST_SPREAD:g}, got {spread!r}"
        )
    if not topology.directed:
        raise ParameterError(
            "edge-potential needs a directed network: an undirected edge has one weight, which "
            "cannot rise in one direction and fall in the other. Give both directions as arcs "
            "only where their weights differ: the sum of the two is published exactly, so two "
            "equal ones would be given away; else use edge-greedy"
        )
    events = unproved_event(reason)

    def change(weight: Weights, pairs: Pairs, purse: Purse, say: Say) -> Changed:
        if not HAVE_NUMBA:
            say(SLOW)
        # A path grows by the difference of two heights, which is at most `reach` times the
        # median weight; that is no more than the longest path.
        grid = FixedPoint.of(topology, weight, growth=1 + reach)
        units = grid.units(weight)
        terminals = np.union1d(pairs.source, pairs.target)
        exact = _within(topology, terminals)
        some = slice(None, None, 1 + topology.edges // _SAMPLE)  # enough to tell medians
        spread_units = int(reach * float(np.median(units[some])))
        rng = generator(purse.spend(events[0]))
        h = heights(topology, units, spread_units, rng, terminals)
        published = changed(topology, units, h)
        moved = float(np.median(np.abs(published[some] / units[some] - 1)))
        account = {
            "nodes at one height": len(terminals),
            "weights published exactly": exact,
            "median change": round(moved, 3),
        }
        return Changed(grid.weights(published), account)

    return EdgePlan(
        method=METHOD.name,
        budget=budget,
        events=events,
        change=change,
        options={"spread": str(spread)},
        unproved=reason,
        limits=_limits(topology),
    )


def _within(topology: Topology, terminals: Indices) -> int:
    """How many arcs join two of these nodes and so keep their weight; refused if all do."""
    known = np.zeros(topology.size, np.bool_)
    known[terminals] = True
    exact = int(np.count_nonzero(known[topology.source] & known[topology.target]))
    if exact == topology.edges:
        raise ParameterError(
            "every edge joins two ends of named pairs, and lengths between those stay: no weight "
            "could change. Name fewer pairs, or none: all shortest paths stay in any case"
        )
    return exact


def _limits(topology: Topology) -> tuple[str, ...]:
    opposite = two_way(topology)
    streets = (
        f"{opposite:,} of the {topology.edges:,} arcs have one in the opposite direction: the sum "
        "of the two weights is published exactly; if they are known to be equal, so is each."
    )
    return (
        *((streets,) if opposite else ()),
        "The sum of the weights along every cycle is published exactly; only one number per node, "
        f"{topology.size - 1:,} in all, is hidden, and whoever knows the weights along a "
        "spanning tree knows all the others.",
        "Between two nodes that are ends of named pairs every length is published exactly, and so "
        "is the weight of an arc that joins them.",
        "Many light arcs hold the heights together: on dense networks weights hardly change, "
        "however large the spread; the account states the median change.",
        "Weights that are no whole numbers of the step are rounded to it first, which can decide "
        "ties and differences smaller than the rounding.",
    )


METHOD = EdgeMethod(
    name="edge-potential",
    summary="Shifts the weights of a directed network so that all shortest paths stay.",
    promise="nothing: there is no proof",
    source="ours, after the reduced costs of Johnson 1977",
    proof="proofs/edge-potential.md",
    plan=plan,
    options={
        "spread": "how far heights may reach, in median weights, from "
        f"{LEAST_SPREAD:g} to {LARGEST_SPREAD:g}; {DEFAULT_SPREAD} by default, which changes "
        "weights of sparse networks by about a quarter"
    },
    preserves=True,
    family=Family.UNPROVED,
    use="directed networks whose shortest paths must all stay, as for routing",
    example="sfumato graph publish arcs.csv --directed --method edge-potential "
    "--accept-no-guarantee",
    contract=(ContractCase(promised=False),),
)
