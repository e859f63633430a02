"""One table and one picture of all results."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from catalogue import PEERS, REFERENCES

__all__ = ["picture", "table"]

TITLES = {"real": "the real records", "bootstrap": "real records, drawn with replacement"}
TITLES |= {name: peer.title for name, peer in PEERS.items()}
COSTS = ["cpu_seconds", "peak_megabytes"]
# Colours of Okabe and Ito, which colour-blind readers can tell apart; markers say it once more.
STYLES = {
    "mosaic": ("#0072B2", "o", "-"),
    "mosaic-forest": ("#56B4E9", "s", "-"),
    "mosaic-alike": ("#0072B2", "*", "--"),
    "mosaic-pure": ("#0072B2", "o", ":"),
    "mosaic-pure-forest": ("#56B4E9", "s", ":"),
    "mosaic-pure-alike": ("#0072B2", "*", ":"),
    "mst": ("#E69F00", "^", "-"),
    "aim": ("#D55E00", "v", "-"),
    "opendp-mst": ("#009E73", "<", "-"),
    "privbayes": ("#CC79A7", "D", ":"),
    "privbayes-two": ("#CC79A7", "d", "none"),
    "patectgan": ("#999999", "P", "-"),
    "mst-installed": ("#E69F00", "^", "none"),
    "aim-installed": ("#D55E00", "v", "none"),
    "opendp-mst-installed": ("#009E73", "<", "none"),
}


def table(results: pd.DataFrame) -> str:
    """Means over the trials: area under the curve and two-way distance, then the cost of one."""
    budgets = sorted(results["epsilon"].dropna().unique())
    head = ["synthesizer", "δ", *(f"ε = {b:g}" for b in budgets), "CPU s", "peak MB", "trials"]
    lines = [head, ["---", "---", *["--:"] * (len(head) - 2)]]
    for name, rows in _listed(results):
        real = name in REFERENCES
        cells = [_cell(rows if real else rows[rows["epsilon"] == budget]) for budget in budgets]
        costs = ["–" if real else f"{cost:.0f}" for cost in rows[COSTS].mean()]
        sizes = rows.groupby("epsilon", dropna=False).size()
        trials = "–".join(str(size) for size in sorted({sizes.min(), sizes.max()}))
        delta = "–" if real else f"{PEERS[name].delta or 0:g}".replace("e-0", "e-")
        lines.append([TITLES[name], delta, *cells, *costs, trials])
    note = (
        f"Releases of {results['date'].min()} to {results['date'].max()}, on 2 cores. "
        "In each cell: best area under the curve / mean two-way distance, over the trials."
    )
    return "\n".join([note, "", *("| " + " | ".join(line) + " |" for line in lines), ""])


def picture(results: pd.DataFrame, file: Path) -> None:
    """Both scores and the processor time against ε."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot, ticker

    figure, panels = pyplot.subplots(1, 3, figsize=(13, 6.2), layout="constrained")
    words = ("best area under the curve", "mean two-way distance", "processor seconds")
    for panel, score, label in zip(panels, ("auc", "two_way", "cpu_seconds"), words, strict=True):
        for name, rows in _listed(results):
            if name in STYLES:
                colour, marker, dash = STYLES[name]
                means = rows.groupby("epsilon")[score].mean()
                inside = "white" if dash == "none" else colour
                look = {"color": colour, "marker": marker, "linestyle": dash, "markersize": 7}
                panel.plot(means.index, means, markerfacecolor=inside, label=TITLES[name], **look)
            elif score != "cpu_seconds" and rows[score].mean() > 0:
                dash = "--" if name == "real" else "-."
                look = {"color": "#666666", "linestyle": dash, "linewidth": 1}
                panel.axhline(rows[score].mean(), label=TITLES[name], **look)
        panel.set(xlabel="ε", title=label, xscale="log")
        budgets = sorted(results["epsilon"].dropna().unique())
        panel.set_xticks(budgets, [f"{budget:g}" for budget in budgets], minor=False)
        panel.minorticks_off()
        panel.grid(alpha=0.3)
        if score == "auc":
            panel.set_yscale("function", functions=(_stretched, lambda y: -np.expm1(-y)))
            panel.set_yticks([0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.88, 0.9, 0.92])
        else:
            panel.set_yscale("log")
            panel.yaxis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5)))
            panel.yaxis.set_major_formatter("{x:g}")
            panel.yaxis.set_minor_formatter(ticker.NullFormatter())
    handles, titles = panels[0].get_legend_handles_labels()
    figure.legend(handles, titles, loc="outside lower center", ncols=3, frameon=False)
    figure.savefig(file, dpi=130)


def _stretched(area: np.ndarray) -> np.ndarray:
    """Areas by the logarithm of what is missing to 1: most of them lie close together."""
    return -np.log1p(-np.minimum(area, 0.999))


def _listed(results: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """The results of each synthesizer, in the order of the catalogue."""
    for name in TITLES:
        rows = results[results["peer"] == name]
        if len(rows):
            yield name, rows


def _cell(rows: pd.DataFrame) -> str:
    if rows.empty:
        return ""
    return f"{rows['auc'].mean():.3f} / {rows['two_way'].mean():.3f}"
