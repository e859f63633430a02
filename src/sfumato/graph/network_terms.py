"""What is to be published of a network, as ledger and certificate see it."""

import pyarrow as pa

from sfumato.errors import DataError
from sfumato.graph.network import Topology
from sfumato.graph.recipe import EdgePlan
from sfumato.plan.terms import ReleaseTerms
from sfumato.release.certificate import MOST_LONELY

__all__ = ["COLUMNS", "network_terms"]

COLUMNS = pa.schema(
    [
        pa.field("source", pa.string(), nullable=False),
        pa.field("target", pa.string(), nullable=False),
        pa.field("weight", pa.float64(), nullable=False),
    ]
)
_LIMITS = (
    "Who is connected with whom is published as it is: the topology must be public.",
    "How long the computation took, and other side channels of the machine, are not covered.",
)
_MERGED = (
    "An edge that was listed in both directions has the {} of its two weights; what is said about "
    "weights is about that one."
)


def network_terms(
    dataset: str, topology: Topology, wanted: int | None, plan: EdgePlan, merged: str | None = None
) -> ReleaseTerms:
    """A plan for this network; `wanted` is the number of pairs whose paths are to survive.

    `merged`: what became of the two weights of an edge that was listed in both directions.
    """
    if topology.size > 2 * topology.edges + MOST_LONELY:
        raise DataError(f"more than {MOST_LONELY:,} nodes have no edge: leave them out")
    return plan.terms_for(
        {
            "dataset": dataset,
            "unit": "the weights of the network's edges",
            "neighbours": plan.neighbours or "none: nothing is promised",
            "network": {
                "nodes": topology.size,
                "edges": topology.edges,
                "directed": topology.directed,
                "wanted pairs": wanted,
                **({} if merged is None else {"merged directions": merged}),
            },
        },
        columns=COLUMNS,
        invariants=("the nodes and edges of the network", "the order of the edges"),
        caveats=(*(() if merged is None else (_MERGED.format(merged),)), *_LIMITS),
    )
