"""Table 10.1 as curves, and what averaging noise does."""

from collections.abc import Iterator

import numpy as np

from papers.figures import COLOURS, INK, MARKERS, Drawing, level, subplots
from papers.liu2015.chapter10.measure import EPSILON, GROUPS, TERMS
from papers.liu2015.chapter10.published import ALIKE, PRINTED, of_groups
from papers.outcome import Outcomes
from sfumato.accuracy.small_values import laplace_share

__all__ = ["drawings"]


def drawings(found: Outcomes) -> Iterator[Drawing]:
    """The one figure of the chapter."""
    sheet = subplots(1, 2, width=10.5, height=4.2)
    left, right = sheet.axes
    budgets = np.geomspace(0.1, 1, 60)
    for k, c in enumerate((1, 5, 10)):
        rows = [laplace_share(c, float(epsilon)) for epsilon in budgets]
        for line, values in (("-", [r.inside for r in rows]), (":", [r.beyond for r in rows])):
            label = f"c = {c}" if line == "-" else None
            left.plot(budgets, 100 * np.array(values), line, color=COLOURS[k], label=label)
    for (_, epsilon), row in PRINTED.items():
        for text in row:
            if text[0] not in "<>":
                left.plot(epsilon, float(text), "*", color=INK, markersize=6)
    left.set(xscale="log", xlabel="privacy budget ε", ylabel="noise (%)", ylim=(0, 101))
    left.set_title("within ±c (solid), beyond ±5c (dotted)")
    left.minorticks_off()
    left.set_xticks([0.1, 0.2, 0.5, 1], ["0.1", "0.2", "0.5", "1"])
    left.legend(loc="upper left")
    apart, near, spread = (
        of_groups(found, what) for what in ("told apart", "within c/10", "deviation")
    )
    right.plot(GROUPS, apart, color=COLOURS[1], marker=MARKERS[1], label="neighbours told apart")
    right.plot(GROUPS, near, color=COLOURS[0], marker=MARKERS[0], label="noise within c/10")
    level(right, ALIKE, f"most that\nε = {EPSILON:g} allows")
    right.set(xscale="log", xlabel="groups of noise averaged", ylabel="probability", ylim=(0, 1.03))
    right.set_xticks(GROUPS, [f"{n:,}" for n in GROUPS])
    right.minorticks_off()
    right.set_title(f"1/p = {TERMS}, ε = {EPSILON:g}")
    right.legend(loc="upper left")
    yield Drawing(
        "table-10.1",
        "Noise on small values, and averaging it away",
        "Left: shares of Laplace noise within ±c and beyond ±5c against ε; stars are table 10.1. "
        "Right: with more groups the noise gets smaller, and neighbours are told apart: "
        + "; ".join(
            f"{n} groups: deviation {spread[k]:.3g}, told apart {apart[k]:.4g}"
            for k, n in enumerate(GROUPS)
        )
        + f". Under ε = {EPSILON:g} at most {ALIKE:.3f} is possible.",
        sheet,
    )
