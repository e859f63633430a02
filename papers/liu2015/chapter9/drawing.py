"""The errors of both answers, and figure 9.1."""

from collections.abc import Iterator

import numpy as np

from papers.figures import COLOURS, INK, MARKERS, QUIET, Drawing, subplots
from papers.liu2015.chapter9.measure import (
    AREAS,
    ASKED,
    BOTH,
    EPSILONS,
    ERROR,
    ONCE,
    exact_coefficients,
)
from papers.liu2015.chapter9.published import PRINTED
from papers.outcome import Outcomes

__all__ = ["drawings"]


def drawings(found: Outcomes) -> Iterator[Drawing]:
    """The two figures of the chapter."""
    yield _errors(found)
    yield _haar()


def _errors(found: Outcomes) -> Drawing:
    sheet = subplots(width=6.4, height=4.2)
    axes, words = sheet.axes[0], []
    several = [float(epsilon) for epsilon in EPSILONS]
    for k, who in enumerate((BOTH, ONCE)):
        errors = [found.summary("9.1", who, epsilon, ERROR)[0] for epsilon in several]
        axes.plot(several, errors, color=COLOURS[1 - k], marker=MARKERS[k], label=who)
        words.append(f"{who} {errors[0]:.4g} to {errors[-1]:.3g}")
    truth = int(AREAS @ ASKED)
    axes.axhline(truth, color=QUIET, linestyle=(0, (4, 3)), linewidth=1.2)
    axes.annotate(
        f"the answer itself, {truth}",
        (several[0], truth),
        xytext=(0, -13),
        textcoords="offset points",
        color=QUIET,
    )
    axes.set(xscale="log", yscale="log", xlabel="privacy budget ε", ylabel="mean absolute error")
    axes.minorticks_off()
    axes.set_xticks(several, EPSILONS)
    axes.set_yticks([1, 10, 100, 1000, 10000], ["1", "10", "100", "1,000", "10,000"])
    axes.legend(loc="lower left")
    return Drawing(
        "section-9.1",
        "Smokers around the campus: both sides under noise, or counts published once",
        "Mean absolute error of the answer against ε, both axes logarithmic. From ε = 0.1 to 2: "
        f"{'; '.join(words)}; the answer is {truth}.",
        sheet,
    )


def _haar() -> Drawing:
    sheet = subplots(width=7, height=3.6)
    axes, exact = sheet.axes[0], exact_coefficients()
    places = np.arange(len(exact))
    axes.bar(places - 0.2, PRINTED, 0.38, color=QUIET, label="thesis")
    axes.bar(places + 0.2, exact, 0.38, color=COLOURS[0], label="exact")
    axes.axhline(0, color=INK, linewidth=0.8)
    axes.set_xticks(places, [f"w{k + 1}" for k in places])
    axes.set(xlabel="Haar coefficient", ylabel="size")
    axes.legend(loc="upper right")
    return Drawing(
        "figure-9.1",
        "Haar coefficients of the example",
        "Bars of the eight coefficients, as printed and exact: "
        + "; ".join(f"{w} and {true:.2f}" for w, true in zip(PRINTED, exact, strict=True))
        + ".",
        sheet,
    )
