"""How much a single value tells, under two noises; and printed losses beside the exact ones."""

from collections.abc import Iterator

import numpy as np

from papers.figures import COLOURS, INK, QUIET, Drawing, subplots
from papers.liu2015.chapter6.measure import (
    BARE,
    EPSILONS,
    EXPONENTIAL,
    GONE,
    LAPLACE,
    LOSS,
    MEAN,
    MOVED,
    OUTPUT,
)
from papers.liu2015.chapter6.published import row
from papers.outcome import Outcomes

__all__ = ["drawings"]

EPSILON = 1.0
END = 4.0  # of the axis; a bar that has no end goes there
RULES = {  # text: figure, who, and how many ε the thesis says
    "Laplace noise (6.2.1)": ("6.2.1", LAPLACE, 1),
    "exponential noise (6.2.2)": (None, None, 1),
    "rounded counts (6.2.3)": ("6.2.3", OUTPUT, 2),
    "rounded noise (6.2.10)": (None, None, 2),
    "mean of two answers": ("sequential", MEAN, 2),
    "groups, one comes or goes": ("parallel", GONE, 2),
    "groups, one changes": ("parallel", MOVED, 2),
}


def drawings(found: Outcomes) -> Iterator[Drawing]:
    """The one figure of the chapter."""
    sheet = subplots(1, 2, width=11, height=4.2)
    left, right = sheet.axes
    at = np.linspace(-2, 4, 601)
    left.plot(at, np.abs(at - 1) - np.abs(at), color=COLOURS[0], label="Laplace noise")
    left.plot([1, 4], [-1, -1], color=COLOURS[1], linestyle="--", label="exponential noise")
    left.axvspan(0, 1, color=COLOURS[1], alpha=0.15, linewidth=0)
    bare = found.summary("6.2.2", EXPONENTIAL, EPSILON, BARE)[0]
    left.annotate(
        f"∞: only\na 0 falls\nhere, and\n{100 * bare:.0f} % do",
        (0.5, 1.2), ha="center", va="bottom", fontsize=8.5, color=INK,
    )  # fmt: skip
    left.set(
        title="what a value tells about a bit, ε = 1",
        xlabel="value",
        ylabel="ln P(value | 0) / P(value | 1)",
        ylim=(-1.6, 2.6),
    )
    left.legend(loc="upper right")
    which, told = EPSILONS.index(EPSILON), []
    for k, (text, (figure, who, printed)) in enumerate(RULES.items()):
        exact = END if figure is None else row(found, figure, str(who), LOSS)[which]
        wrong = abs(exact - printed) > 1e-3
        right.barh(k, exact, height=0.6, color=COLOURS[1 if wrong else 0], alpha=0.85)
        right.plot(printed, k, "*", color=INK, markersize=11, label="printed" if not k else None)
        mark = "∞" if figure is None else f"{exact:.3g}"
        right.annotate(
            mark, (exact, k), xytext=(9, 0), textcoords="offset points", va="center", color=QUIET,
        )  # fmt: skip
        told.append(f"{text}: {printed} ε printed, {mark} ε exact")
    right.set_yticks(range(len(RULES)), list(RULES))
    right.invert_yaxis()
    right.set(title="loss, in ε", xlabel="printed (stars) and exact (bars), ε = 1", xlim=(0, 4.4))
    right.set_xticks([0, 1, 2, 3])
    right.grid(visible=False, axis="y")
    yield Drawing(
        "section-6.2",
        "What one record changes, as printed and exactly",
        "Left: the log ratio of a value under Laplace noise stays between -1 and 1; under "
        f"exponential noise it has no bound below 1, where {100 * bare:.1f} % of the zeros fall. "
        f"Right: {'; '.join(told)}.",
        sheet,
    )
