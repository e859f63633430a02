"""Pictures of a released network: its weights, its degrees, and its heaviest nodes."""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from sfumato.accuracy.spelling import spelt
from sfumato.release.release import Release
from sfumato.release.weight_noise import weights_drowned
from sfumato.report.card import Card, Group
from sfumato.report.figures import bars, histogram, spread
from sfumato.report.precision import CONFIDENCE, Precision
from sfumato.report.svg import short

__all__ = ["network_pictures"]

_MOST = 12
_MANY = 100_000  # edges; beyond, finding those of a node takes too long


def network_pictures(release: Release, precision: Precision) -> Iterator[Group]:
    """Distribution of weights and degrees, and the nodes with the largest total weight."""
    table = release.table
    weights = np.asarray(table.column("weight"), np.float64)
    if not len(weights):
        yield Group("The network", "It has no edges.", ())
        return
    nodes = _nodes(table)
    cards = (
        _spread("weights", "Weights", weights, "% of edges", f"{len(weights):,} edges"),
        _spread(
            "degrees",
            "Degrees",
            np.asarray(nodes.column("weight_count"), np.float64),
            "% of nodes",
            "edges of a node; public",
        ),
        _heaviest(nodes, precision, len(weights)),
    )
    edges = precision.found.edges if precision.found else None
    lines = (
        " A thin line spans what the true total of the weights as read lies between, with "
        "confidence 95 %."
        if edges is not None and len(weights) <= _MANY
        else ""
    )
    yield Group(
        "The network",
        "Who is connected with whom is public; the weights are as released."
        f"{lines}{_drowned(release)}",
        cards,
    )


def _drowned(release: Release) -> str:
    wide = weights_drowned(release.certificate)
    return "" if wide is None else f" Note: {wide}."


def _nodes(table: pa.Table) -> pa.Table:
    """Every node with the number and the total weight of its edges, the heaviest first."""
    ends = [
        pa.table({"node": table.column(end), "weight": table.column("weight")}) for end in _ENDS
    ]
    total = (
        pa.concat_tables(ends).group_by("node").aggregate([("weight", "sum"), ("weight", "count")])
    )
    return total.sort_by([("weight_sum", "descending"), ("node", "ascending")])


_ENDS = ("source", "target")


def _spread(
    name: str,
    title: str,
    values: "np.ndarray[tuple[int], np.dtype[np.float64]]",
    unit: str,
    kind: str,
) -> Card:
    heights, span = spread(values)
    low, high = (span.text(end) for end in span.ends)
    fullest = int(heights.argmax())
    label = (
        f"{title}: histogram from {low} to {high}; the fullest bin, {span.bin(fullest)}, holds "
        f"{heights[fullest]:.3g} %"
    )
    return Card(title, histogram(name, heights, span, label, unit=unit), kind)


def _heaviest(nodes: pa.Table, precision: Precision, edges: int) -> Card:
    top = nodes.slice(0, _MOST)
    names, totals = top.column("node").to_pylist(), np.asarray(top.column("weight_sum"), np.float64)
    found = precision.found
    between = []
    if found is not None and edges <= _MANY:
        between = [found.count("node", [name]).interval(CONFIDENCE) for name in names]
    told = "; ".join(
        f"{short(n, 80)} {spelt(float(f'{w:.4g}'))}" for n, w in zip(names, totals, strict=True)
    )
    label = f"The {len(names)} nodes whose edges weigh most in the release: {told}"
    picture = bars("heaviest", names, totals, label, intervals=between, unit="total weight")
    return Card("Heaviest nodes", picture, f"{len(names)} of {nodes.num_rows:,} nodes with an edge")
