"""edge-greedy: edges move one by one as far as wanted shortest paths allow (Liu 2015, 4.2).

Every pair that is named keeps one of its shortest paths, and that is its only one
afterwards; lengths stay near what they were.  Where a pair had several, one is chosen at
random first (`ties`).

Two engines do this, and which is the better one is a matter of size.

matrix      The table of all distances is kept while every edge moves once (`greedy`): exact
            slack for every edge, whatever the number of pairs.  Seconds for 1,600 nodes,
            up to two minutes for 3,000.
null-space  No table: all edges on wanted paths move at once, in directions that leave the
            lengths as they are, and each pair is verified by a search (`null_space`).  For
            millions of edges, as long as the pairs are fewer than the edges on their paths.

`auto` takes the table up to 3,000 nodes, and up to 8,000 where there are as many pairs as
edges, so that no direction leaves all lengths alone; in both cases if the memory is there.
"""

from typing import Any

import numpy as np

from sfumato.errors import ParameterError
from sfumato.graph.fixed import FixedPoint
from sfumato.graph.greedy import greedy
from sfumato.graph.network import Topology, Weights
from sfumato.graph.null_space import perturb
from sfumato.graph.pairs import Pairs
from sfumato.graph.recipe import Changed, EdgeMethod, EdgePlan, Say, unproved_event
from sfumato.graph.wanted import ROOM, Searches, Table, alone, table_fits
from sfumato.numeric.compiled import HAVE_NUMBA, SLOW
from sfumato.perturb.randomness import generator
from sfumato.plan import ContractCase, Family
from sfumato.plan.options import real
from sfumato.privacy.budget import Budget
from sfumato.privacy.guarantee import Heuristic
from sfumato.privacy.mechanism import Purse

__all__ = ["METHOD"]

DEFAULT_STRENGTH = "0.5"
ENGINES = ("auto", "matrix", "null-space")
REASON = "weights are published within a share of themselves, and those on no wanted path only grow"
LIMITS = (
    "The weight of an edge on no wanted path only grows: what is published is an upper bound of "
    "it. Whoever knows the pairs can tell from the release which edges these are.",
    "No weight changes by more than the strength, a public share of itself, give or take what "
    "tells tied paths apart: each published weight gives a range that holds the true one.",
    "An order of lengths is published: each kept path was no longer, by the true weights, than "
    "any other path between its ends.",
    "Lengths that differ by rounding only (below about 1e-9 of the longest) count as equal.",
)


def plan(
    topology: Topology,
    budget: Budget | None,
    strength: Any = DEFAULT_STRENGTH,
    engine: Any = ENGINES[0],
) -> EdgePlan:
    """Weights moved by up to `strength` times themselves."""
    most, reason = real("strength", strength), Heuristic(REASON)
    if most > 1:
        raise ParameterError(
            f"strength must be above 0 and at most 1, got {strength!r}: it is the largest change "
            "of a weight as a share of it"
        )
    if engine not in ENGINES:
        raise ParameterError(f"engine must be one of {', '.join(ENGINES)}, got {engine!r}")
    events = unproved_event(reason)

    def change(weight: Weights, pairs: Pairs, purse: Purse, say: Say) -> Changed:
        if not HAVE_NUMBA:
            say(SLOW)
        rng = generator(purse.spend(events[0]))
        grid = FixedPoint.of(topology, weight, growth=ROOM * (1 + most))
        units = grid.units(weight)
        tabled = table_fits(topology, pairs) if engine == "auto" else engine == "matrix"
        wanted = Table(topology, pairs) if tabled else Searches(topology, pairs)
        say(f"searching the shortest paths of {len(pairs):,} pairs")
        told = alone(wanted, units, rng)
        visits, facts = wanted.visits(), {}
        if isinstance(wanted, Table):
            new = greedy(topology, told.units, pairs, visits, most, rng, say)
        else:
            new, report = perturb(wanted.search, told.units, pairs, wanted.paths, most, rng, say)
            facts = {name: report[name] for name in ("rounds", "cuts", "held")}
        say(f"verifying the shortest paths of {len(pairs):,} pairs")
        off = np.abs(wanted.verified(new) / told.lengths - 1)
        account = {
            "engine": "matrix" if tabled else "null-space",
            "pairs": len(pairs),
            "pairs with several shortest paths before": told.tied,
            "edges on no wanted path": _share(visits == 0),
            "edges on some wanted paths": _share((visits > 0) & (visits < len(pairs))),
            "edges on all wanted paths": _share((visits > 0) & (visits == len(pairs))),
            "edges changed": _share(new != units),
            "largest change of a length": float(off.max(initial=0)),
            "mean change of a length": float(off.sum()) / max(len(pairs), 1),
            **facts,
        }
        return Changed(grid.weights(new), account)

    return EdgePlan(
        method=METHOD.name,
        budget=budget,
        events=events,
        change=change,
        options={"strength": str(strength), "engine": engine},
        unproved=reason,
        limits=LIMITS,
    )


def _share(which: Any) -> float:
    return round(float(np.mean(which)), 6)


METHOD = EdgeMethod(
    name="edge-greedy",
    summary="Changes weights one by one as far as the shortest paths of given pairs allow.",
    promise="nothing: there is no proof",
    source="Liu 2015, section 4.2, Algorithm 1, proposition 4.2.5 corrected",
    proof="proofs/edge-greedy.md",
    plan=plan,
    options={
        "strength": "the largest change of a weight as a share of it, above 0 and at most 1; "
        f"{DEFAULT_STRENGTH} by default",
        "engine": f"{', '.join(ENGINES[:-1])} or {ENGINES[-1]}: the table of all distances, or "
        "searches for each pair that keep lengths; auto by default, by size",
    },
    preserves=True,
    needs_pairs=True,
    family=Family.UNPROVED,
    use="networks, between parties bound by contract",
    example="sfumato graph publish edges.csv --undirected --method edge-greedy "
    "--preserve 0.1 --accept-no-guarantee",
    contract=(ContractCase(promised=False),),
)
