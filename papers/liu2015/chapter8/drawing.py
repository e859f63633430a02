"""Table 8.1 as curves, and the errors of the two means."""

from collections.abc import Iterator

from papers.figures import COLOURS, MARKERS, QUIET, Drawing, subplots
from papers.liu2015.chapter8.measure import (
    EPSILONS,
    ERROR,
    EXPONENTIAL,
    RANGES,
    RESPONSE,
    allowed,
)
from papers.liu2015.chapter8.published import PRINTED
from papers.outcome import Outcomes

__all__ = ["drawings"]


def drawings(found: Outcomes) -> Iterator[Drawing]:
    """The one figure of the chapter."""
    sheet = subplots(1, 2, width=10, height=4.2)
    left, right = sheet.axes
    true = [found.summary("table 8.1", EXPONENTIAL, e, "99.9 % point")[0] for e in RANGES]
    left.plot(RANGES, true, color=COLOURS[0], marker=MARKERS[0], label="ln(1000) / ε, exact")
    left.plot(
        RANGES,
        [PRINTED[epsilon] for epsilon in RANGES],
        color=QUIET,
        marker="*",
        linestyle=":",
        label="ln(1000 ε), thesis",
    )
    left.set(title="99.9 % of exponential noise lie below", ylabel="noise")
    means = {}
    for k, who in enumerate((EXPONENTIAL, RESPONSE)):
        means[who] = [found.summary("8.4.4", who, epsilon, ERROR)[0] for epsilon in EPSILONS]
        right.plot(EPSILONS, means[who], color=COLOURS[1 - k], marker=MARKERS[k], label=who)
    right.plot(
        EPSILONS,
        [allowed(epsilon) for epsilon in EPSILONS],
        color=QUIET,
        linestyle=(0, (4, 3)),
        label="promised by 8.4.4",
    )
    right.set(title="error of the mean of a stream", ylabel="mean absolute error")
    for axes, ticks in ((left, RANGES), (right, EPSILONS)):
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
        axes.minorticks_off()
        axes.set_xlabel("privacy budget ε")
        axes.legend(loc="upper right")
    left.set_yticks([1, 10, 100], ["1", "10", "100"])
    right.set_yticks([0.01, 0.1, 1, 10], ["0.01", "0.1", "1", "10"])
    right.set_ylim(0.003, 20)
    text = "; ".join(
        f"ε = {epsilon:g}: {means[EXPONENTIAL][k]:.3g} and {means[RESPONSE][k]:.3g}"
        for k, epsilon in enumerate(EPSILONS)
    )
    yield Drawing(
        "table-8.1",
        "Exponential noise, and means under it",
        "Left: 99.9 % of exponential noise lie below a point that falls with ε, "
        f"{true[0]:.0f} at 0.01, where the thesis prints {PRINTED[0.01]:g}. Right: the mean error "
        f"of means under exponential noise and by randomized response, {text}.",
        sheet,
    )
