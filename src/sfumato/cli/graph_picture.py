"""The picture of a comparison: degrees, and by how much weights and lengths have changed."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from sfumato.errors import ParameterError
from sfumato.graph.network import Topology, Weights
from sfumato.inspection.network import Comparison
from sfumato.inspection.page import check_place
from sfumato.release.file import appearing
from sfumato.report.style import COLOURS, INK, QUIET, style, subplots

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["canvas_for"]

_SHOWN = 0.99  # of all changes; how many lie further out is said
_LEAST = 1  # per cent that the axis shows on either side, however little has changed
_RATIO = 4.0  # times the old value gained: beyond, per cent are hard to read
_TAIL = 8  # times the usual degree: beyond, only logarithms show all nodes


def canvas_for(path: Path, release: Path | None = None) -> Callable[[Comparison], None]:
    """A function that draws into this file; what would stop it is refused beforehand."""
    if path.suffix.lower() not in (".svg", ".png"):
        raise ParameterError(f"picture must end in .svg or .png, got {path.name}")
    check_place(path, release)
    with style():
        pass  # matplotlib is there
    return lambda found: _draw(found, path)


def _draw(found: Comparison, path: Path) -> None:
    with style():
        figure = subplots(1, 3, width=11.5, height=3.9)
        degrees, weights, lengths = figure.axes
        _degrees(degrees, found.topology)
        _changes(weights, found.weight_change, COLOURS[0], "weights", "edges")
        _changes(lengths, found.length_change, COLOURS[1], "shortest lengths", "pairs")
        figure.suptitle("INTERNAL: drawn from the true weights. Do not publish it.", color=QUIET)
        form = path.suffix[1:].lower()
        plain = {"Software": None} if form == "png" else {"Date": None, "Creator": None}
        with appearing(path) as part:
            own = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(own, "wb") as file:
                figure.savefig(file, format=form, metadata=plain)


def _degrees(axes: "Axes", topology: Topology) -> None:
    """The share of nodes with at least so many edges: no bins, and a tail that can be read."""
    ends = {"edges out": topology.source, "edges in": topology.target}
    if not topology.directed:
        ends = {"": np.concatenate([topology.source, topology.target])}
    tail = False
    for k, (name, nodes) in enumerate(ends.items()):
        degree = np.bincount(nodes, minlength=topology.size)
        at, count = np.unique(degree[degree > 0], return_counts=True)
        share = 100 * np.cumsum(count[::-1])[::-1] / topology.size
        tail |= bool(at[-1] > _TAIL * np.median(degree))
        axes.plot(at, share, color=COLOURS[2 + k], marker="os"[k], markersize=3, label=name)
    if tail:
        axes.set(xscale="log", yscale="log")
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_formatter("{x:g}")
            axis.set_minor_formatter("")
    else:
        axes.set(xlim=(0, None), ylim=(0, 105))
    if topology.directed:
        axes.legend(loc="lower left")
    axes.set(title="Degrees, the same in both", xlabel="edges of a node")
    axes.set(ylabel="% of nodes with at least as many")


def _changes(axes: "Axes", change: Weights, colour: str, what: str, whose: str) -> None:
    """New against old: per cent of the old or, where some are many times the old, as a ratio."""
    low, high = np.quantile(change, [(1 - _SHOWN) / 2, (1 + _SHOWN) / 2])
    wide = high > _RATIO
    moved = np.log(1 + change) if wide else 100 * change
    low, high = (np.log(1 + low), np.log(1 + high)) if wide else (100 * low, 100 * high)
    low, high = min(float(low), -_LEAST), max(float(high), _LEAST)
    bins = np.clip(np.sqrt(len(change)), 10, 50)
    width = (high - low) / bins
    # One bin lies around zero, so that unchanged values stand by themselves.
    edges = width * (np.arange(np.floor(low / width), np.ceil(high / width) + 2) - 0.5)
    counts, _ = np.histogram(moved, edges)
    far = 1 - counts.sum() / len(change)
    axes.stairs(
        100 * counts / len(change), np.exp(edges) if wide else edges, fill=True, color=colour
    )
    axes.axvline(1 if wide else 0, color=INK, linewidth=1, linestyle=(0, (4, 3)))
    axes.set(title=f"Change of {what}", ylabel=f"% of {whose}")
    beyond = f"\n{100 * far:.1f} % of the {whose} lie further out" if far else ""
    axes.set_xlabel(("new over old" if wide else "new against old (%)") + beyond)
    if wide:
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter("{x:g}")
        axes.xaxis.set_minor_formatter("")
