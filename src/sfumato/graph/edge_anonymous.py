"""edge-anonymous: weights move until each is like k others around it (Liu 2015, chapter 5).

An arc is anonymous if at least k arcs of its node, itself included, have weights within μ of
its own (`anonymity`).  Two engines raise the share of such arcs.

slack   Every edge moves within what the shortest paths of the named pairs leave it, so that
        each pair keeps one of its shortest paths, and that is its only one afterwards.
        Up to 3,000 nodes by a table of all distances; beyond, by searches (`anonymous`).
rsp     The published way, by path probabilities, corrected (`random_walk`, `anonymous_walk`).
        It keeps most of the wanted paths and guarantees none.  For small networks.
"""

from typing import Any

import numpy as np

from sfumato.errors import ParameterError
from sfumato.graph.anonymity import share
from sfumato.graph.anonymous import ORDERS, Goal, by_search, by_slack, range_around
from sfumato.graph.anonymous_walk import by_random_walk
from sfumato.graph.fixed import LONGEST, FixedPoint, Units
from sfumato.graph.network import Topology, Weights
from sfumato.graph.pairs import Pairs
from sfumato.graph.recipe import Changed, EdgeMethod, EdgePlan, Say, unproved_event
from sfumato.graph.wanted import ROOM, Searches, Table, alone, table_fits
from sfumato.numeric.compiled import HAVE_NUMBA, SLOW
from sfumato.perturb.randomness import generator
from sfumato.plan import ContractCase, Family
from sfumato.plan.options import real, whole
from sfumato.privacy.budget import Budget
from sfumato.privacy.guarantee import Heuristic
from sfumato.privacy.mechanism import Purse

__all__ = ["METHOD"]

DEFAULT_K, LARGEST_K = 3, 1000
DEFAULT_THETA, LARGEST_THETA = "20", 1000.0
ENGINES = ("slack", "rsp")
_TABLE = 3_000  # nodes: minutes; each edge moves several times
_WORK = 5 * 10**10  # steps of solving, minutes: beyond it the probabilistic engine is refused
_STEP = 1e-6  # θ times the lightest weight: below it walks hardly end
REASON = (
    "being like k others is no promise about what an attacker learns: whoever knows some of the "
    "weights, or the rule by which they move, can tell much about the rest"
)
RSP = "and the probabilistic engine does not guarantee that the wanted paths stay"
LIMITS = (
    "A weight that hides already may be published as it is, if a wanted path takes its edge; the "
    "account states how many weights are unchanged.",
    "No weight leaves the range of those it is compared with: published weights of a node lie "
    "between its lightest and its heaviest true one, which are often published as they are.",
    "An order of lengths is published: each kept path was no longer, by the true weights, than "
    "any other path between its ends.",
    "Lengths that differ by rounding only (below about 1e-9 of the longest) count as equal.",
)
MAY_CHANGE = (
    "The probabilistic engine keeps most wanted paths and guarantees none: the account states "
    "which share stayed. Use engine=slack to keep all of them."
)


def plan(
    topology: Topology,
    budget: Budget | None,
    mu: Any = None,
    k: Any = DEFAULT_K,
    engine: Any = ENGINES[0],
    theta: Any = DEFAULT_THETA,
    order: Any = ORDERS[0],
) -> EdgePlan:
    """Weights among which each is within `mu` of k - 1 others of its node, where that can be."""
    if mu is None:
        raise ParameterError(
            "mu must be given: how far two weights may lie apart and still look alike, in the "
            "unit of the weights; it is public, so do not take it from them"
        )
    near, needed, heat = real("mu", mu), whole("k", k, LARGEST_K, "arcs"), real("theta", theta)
    if needed < 2:
        raise ParameterError(f"k must be at least 2, got {k!r}: with 1 nothing is hidden")
    for name, value, known in (("engine", engine, ENGINES), ("order", order, ORDERS)):
        if value not in known:
            raise ParameterError(f"{name} must be one of {', '.join(known)}, got {value!r}")
    if heat > LARGEST_THETA:
        raise ParameterError(f"theta must be above 0 and at most {LARGEST_THETA:g}, got {theta!r}")
    likely = engine == "rsp"
    if likely and _solving(topology) > _WORK:
        raise ParameterError(
            f"engine=rsp is for small networks, and {topology.size:,} nodes with "
            f"{topology.edges:,} edges are too many: use engine=slack, which keeps all paths too"
        )
    reason = Heuristic(f"{REASON}, {RSP}" if likely else REASON)
    events = unproved_event(reason)

    def change(weight: Weights, pairs: Pairs, purse: Purse, say: Say) -> Changed:
        if not HAVE_NUMBA:
            say(SLOW)
        if likely and heat * float(weight.min()) < _STEP:
            raise ParameterError(f"theta times the lightest weight must be at least {_STEP:g}")
        rng = generator(purse.spend(events[0]))
        grid = FixedPoint.of(topology, weight, growth=ROOM * _growth(topology, weight))
        units = grid.units(weight)
        goal = Goal(needed, int(min(near / grid.step, LONGEST)), order)
        tabled = not likely and topology.size <= _TABLE and table_fits(topology, pairs)
        wanted = Table(topology, pairs) if tabled else Searches(topology, pairs)
        say(f"searching the shortest paths of {len(pairs):,} pairs")
        told = alone(wanted, units, rng)
        kept = 1.0
        if isinstance(wanted, Table):
            new = by_slack(topology, told.units, units, pairs, goal, rng, say)
        elif likely:
            new = by_random_walk(
                topology, told.units, grid, pairs, wanted.paths, goal, heat, rng, say
            )
            lost = len(wanted.search.competitors(new, pairs, wanted.paths))
            kept = 1 - lost / max(len(pairs), 1)
        else:
            new = by_search(wanted.search, told.units, units, pairs, wanted.paths, goal, rng, say)
        say(f"verifying the shortest paths of {len(pairs):,} pairs")
        lengths = _lengths(wanted, pairs, new, likely)
        off = np.abs(lengths / told.lengths - 1)
        published = grid.weights(new)
        account = {
            "engine": engine,
            "distances": "table" if tabled else "searches",
            "pairs": len(pairs),
            "pairs with several shortest paths before": told.tied,
            "anonymous before": round(share(topology, weight, needed, near), 6),
            "anonymous after": round(share(topology, published, needed, near), 6),
            "paths kept": round(kept, 6),
            "mean change of a length": float(off.sum()) / max(len(pairs), 1),
            "largest change of a length": float(off.max(initial=0)),
            "weights unchanged": round(float(np.mean(new == units)), 6),
        }
        return Changed(published, account)

    return EdgePlan(
        method=METHOD.name,
        budget=budget,
        events=events,
        change=change,
        options={
            "mu": str(mu),
            "k": needed,
            "engine": engine,
            "theta": str(theta),
            "order": order,
        },
        unproved=reason,
        limits=(*((MAY_CHANGE,) if likely else ()), *LIMITS),
    )


def _solving(topology: Topology) -> int:
    """Steps of the probabilistic engine: a solution per node, or per edge if undirected."""
    return int((topology.size if topology.directed else topology.edges) * topology.size**3)


def _growth(topology: Topology, weight: Weights) -> float:
    """By how much the longest path can grow, if every weight becomes the heaviest around it."""
    most = min(topology.edges, topology.size - 1)
    heaviest = range_around(topology, weight)[1]
    return float(np.sort(heaviest)[-most:].sum() / np.sort(weight)[-most:].sum())


def _lengths(wanted: Table | Searches, pairs: Pairs, new: Units, likely: bool) -> Units:
    """The new lengths of the pairs; an error if a path that was to stay did not."""
    if likely and isinstance(wanted, Searches):
        return wanted.search.paths(new, pairs).lengths(new)
    return wanted.verified(new)


METHOD = EdgeMethod(
    name="edge-anonymous",
    summary="Makes weights alike around each node, and keeps the shortest paths of given pairs.",
    promise="nothing: there is no proof",
    source="Liu 2015, chapter 5, path probabilities corrected; slack ours",
    proof="proofs/edge-anonymous.md",
    plan=plan,
    options={
        "mu": "how far two weights may lie apart and still look alike; required",
        "k": f"how many alike weights a node shall have around each, from 2; {DEFAULT_K} by "
        "default",
        "engine": f"{ENGINES[0]} keeps all wanted paths, {ENGINES[1]} (path probabilities) most; "
        f"{ENGINES[0]} by default",
        "theta": f"how much path probabilities prefer short paths, above 0 and at most "
        f"{LARGEST_THETA:g}; {DEFAULT_THETA} by default; for {ENGINES[1]} only",
        "order": f"{', '.join(ORDERS[:-1])} or {ORDERS[-1]}: which edges move first, those on most "
        f"or on fewest wanted paths; {ORDERS[0]} by default",
    },
    preserves=True,
    needs_pairs=True,
    family=Family.UNPROVED,
    use="networks, where single weights stand out, between parties bound by contract",
    example="sfumato graph publish edges.csv --undirected --method edge-anonymous "
    "--preserve 0.1 --option mu=5 --accept-no-guarantee",
    contract=(ContractCase(options={"k": 2, "mu": 1}, promised=False),),
)
