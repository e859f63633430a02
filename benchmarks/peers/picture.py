"""One picture of the results: a row of panels for each table, scores and cost against ε."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from figures import TITLES, listed

__all__ = ["picture"]

# Colours of Okabe and Ito, which colour-blind readers can tell apart; markers say it once more.
STYLES = {
    "mosaic": ("#0072B2", "o", "-"),
    "mosaic-unlabelled": ("#56B4E9", "s", "-"),
    "mosaic-alike": ("#0072B2", "*", "--"),
    "mosaic-alike-unlabelled": ("#56B4E9", "X", "--"),
    "mosaic-pure": ("#0072B2", "o", ":"),
    "mosaic-pure-alike": ("#0072B2", "*", ":"),
    "aim": ("#D55E00", "v", "-"),
    "aim-scaled": ("#D55E00", "p", "--"),
    "mst": ("#E69F00", "^", "-"),
    "mst-scaled": ("#E69F00", ">", "--"),
    "opendp-mst": ("#009E73", "<", "-"),
    "privbayes": ("#CC79A7", "D", ":"),
    "privbayes-two": ("#CC79A7", "d", "none"),
    "patectgan": ("#999999", "P", "-"),
    "mst-installed": ("#E69F00", "^", "none"),
    "aim-installed": ("#D55E00", "v", "none"),
    "opendp-mst-installed": ("#009E73", "<", "none"),
}
PANELS = {
    "auc": "best area under the curve",
    "r2": "best R²",
    "two_way": "mean two-way distance",
    "three_way": "mean three-way distance",
    "deciles": "two-way distance in deciles",
    "cpu_seconds": "processor seconds",
}


def picture(results: pd.DataFrame, tables: list[str], file: Path) -> None:
    """Draw all tables that have results."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    parts = {name: results[results["table"] == name] for name in tables}
    parts = {name: rows for name, rows in parts.items() if rows["epsilon"].notna().any()}
    if not parts:
        return
    scores = {name: [s for s in PANELS if rows[s].notna().any()] for name, rows in parts.items()}
    wide, high = max(map(len, scores.values())), len(parts)
    size = {"figsize": (3.6 * wide, 3.1 * high + 1.2), "squeeze": False, "layout": "constrained"}
    figure, panels = pyplot.subplots(high, wide, **size)
    lines: dict[str, Any] = {}
    for row, (name, rows) in zip(panels, parts.items(), strict=True):
        for panel in row[len(scores[name]) :]:
            panel.set_axis_off()
        for panel, score in zip(row, scores[name], strict=False):
            lines |= _drawn(panel, rows, score)
            panel.set_title(f"{name}: {PANELS[score]}", fontsize=9)
    shown = [title for title in TITLES.values() if title in lines]
    handles = [lines[title] for title in shown]
    figure.legend(handles, shown, loc="outside lower center", ncols=3, frameon=False)
    figure.savefig(file, dpi=84)


def _drawn(panel: Any, results: pd.DataFrame, score: str) -> dict[str, Any]:
    lines = {}
    for name, rows in listed(results[results[score].notna()]):
        if name in STYLES:
            colour, marker, dash = STYLES[name]
            means = rows.groupby("epsilon")[score].mean()
            inside = "white" if dash == "none" else colour
            look = {"color": colour, "marker": marker, "linestyle": dash, "markersize": 6}
            drawn = panel.plot(means.index, means, markerfacecolor=inside, **look)[0]
        elif rows[score].mean() > 0:
            dash = "--" if name == "real" else "-."
            look = {"color": "#666666", "linestyle": dash, "linewidth": 1}
            drawn = panel.axhline(rows[score].mean(), **look)
        else:
            continue
        lines[TITLES[name]] = drawn
    budgets = sorted(results["epsilon"].dropna().unique())
    panel.set(xlabel="ε", xscale="log")
    panel.set_xticks(budgets, [f"{budget:g}" for budget in budgets])
    panel.minorticks_off()
    panel.grid(alpha=0.3)
    _scaled(panel, score)
    return lines


def _scaled(panel: Any, score: str) -> None:
    from matplotlib import ticker

    if score == "r2":
        panel.set_ylim(bottom=max(panel.get_ylim()[0], -0.2))
    elif score == "auc":
        low, high = panel.get_ylim()
        panel.set_yscale("function", functions=(_stretched, lambda y: -np.expm1(-y)))
        panel.set_ylim(low, high)
        panel.yaxis.set_major_locator(ticker.MaxNLocator(6))
    else:
        panel.set_yscale("log")
        panel.yaxis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5)))
        panel.yaxis.set_major_formatter("{x:g}")
        panel.yaxis.set_minor_formatter(ticker.NullFormatter())


def _stretched(area: np.ndarray) -> np.ndarray:
    """Areas by the logarithm of what is missing to 1: most of them lie close together."""
    return -np.log1p(-np.minimum(area, 0.999))
