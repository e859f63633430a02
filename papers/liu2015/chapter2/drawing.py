"""Figures 2.1 and 2.2, table 2.1 as bars, and recovered values against the true ones."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from papers.figures import (
    COLOURS,
    INK,
    MARKERS,
    QUIET,
    Drawing,
    legend_above,
    level,
    subplots,
)
from papers.liu2015.chapter2.attack import KINDS, Guess
from papers.liu2015.chapter2.measure import ANGLES, FIGURES, kept, norms
from papers.liu2015.chapter2.published import TABLE
from papers.outcome import Outcomes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["drawings"]

REACHED = 4.0  # deviations shown; the few values beyond stand on the frame


def drawings(
    found: Outcomes, shapes: Mapping[str, tuple[int, int]], told: Mapping[str, Mapping[str, Guess]]
) -> Iterator[Drawing]:
    """All figures of the chapter."""
    for name in FIGURES:
        yield _spectrum(name, *shapes[name], found)
    yield _angles(found)
    yield _recovered(told)


def _spectrum(name: str, n: int, m: int, found: Outcomes) -> Drawing:
    sheet = subplots(width=8, height=4.4)
    (axes,) = sheet.axes
    places, figure, words = range(1, m + 1), FIGURES[name], []
    for k, who in enumerate(("original", "perturbed", "noise")):
        values = [found.summary(figure, who, None, f"singular value {i}")[0] for i in places]
        axes.plot(places, values, color=COLOURS[k], marker=MARKERS[k], label=who)
        words.append(f"{who} from {values[0]:.1f} to {values[-1]:.1f}")
    axes.set(yscale="log", xlabel="place i", ylabel="singular value σᵢ", xticks=list(places))
    printed, bound = norms(n, m, 1.0)
    level(axes, printed, "\n√(m+n)")
    level(axes, bound, "√n+√m\n")
    legend_above(sheet, axes)
    return Drawing(
        f"figure-{figure.split()[1]}",
        f"Singular values of {name} ({n} × {m}), before and after noise of deviation 1",
        "Falling curves on a logarithmic axis, means over trials: "
        + "; ".join(words)
        + f". Dashed: the thesis' norm of the noise √(m+n) = {printed:.1f}, and √n+√m = "
        f"{bound:.1f}, which bounds its mean.",
        sheet,
    )


def _angles(found: Outcomes) -> Drawing:
    sheet = subplots(1, 2, width=9.5, height=4.2)
    words = []
    for axes, (name, printed) in zip(sheet.axes, TABLE.items(), strict=True):
        bars = {"thesis": [printed[word] for word in ANGLES]}
        for who in ("printed k", "corrected k"):
            bars[f"here, {who}"] = _shares(found, f"{name}, {who}", shuffled=False)
        bars["here, rows shuffled"] = _shares(found, f"{name}, corrected k", shuffled=True)
        for k, (who, values) in enumerate(bars.items()):
            places = np.arange(len(ANGLES)) + 0.2 * (k - 1.5)
            axes.bar(places, values, 0.18, color=(QUIET, *COLOURS)[k], label=who)
            words.append(f"{name}, {who} " + ", ".join(f"{value:.1f}" for value in values))
        axes.set_xticks(range(len(ANGLES)), list(ANGLES))
        axes.set(title=name.capitalize(), xlabel="largest move of an angle ε", ylim=(0, 105))
    sheet.axes[0].set_ylabel("pairs of records (%)")
    legend_above(sheet, sheet.axes[0])
    return Drawing(
        "table-2.1",
        "How many angles between two records survive",
        "Bars of the share of pairs whose angle moved by at most π/90, π/180 and π/360, in per "
        f"cent: {'; '.join(words)}.",
        sheet,
    )


def _shares(found: Outcomes, who: str, *, shuffled: bool) -> list[float]:
    return [
        100 * found.summary("table 2.1", who, None, kept(word, shuffled=shuffled))[0]
        for word in ANGLES
    ]


def _recovered(told: Mapping[str, Mapping[str, Guess]]) -> Drawing:
    sheet = subplots(len(told), len(KINDS), width=10, height=3.5 * len(told))
    words = []
    panels = iter(sheet.axes)
    for name, guesses in told.items():
        for k, kind in enumerate(KINDS):
            truth, guess = guesses[kind]
            error = float(np.sqrt(np.mean((truth - guess) ** 2)))
            _scatter(axes := next(panels), truth, guess, k)
            axes.set_title(f"{name}, {kind}:\noff by {error:.2f} deviations", fontsize=10)
            words.append(f"{name}, {kind} {error:.2f}")
    for axes in sheet.axes[-len(KINDS) :]:
        axes.set_xlabel("true value (deviations)")
    for axes in sheet.axes[:: len(KINDS)]:
        axes.set_ylabel("guessed value (deviations)")
    return Drawing(
        "figure-2-attack",
        "Values guessed from one known record, against the truth",
        "Clouds of guessed against true values of all columns, in deviations about the mean, "
        "first trial; perfect guesses would lie on the diagonal, and saying the mean (dashed) is "
        f"off by 1. Left the attack on unperturbed records, in the middle on the perturbed "
        f"ones, right by attackers told a wrong row. Off by, in deviations: {'; '.join(words)}.",
        sheet,
    )


def _scatter(axes: "Axes", truth: "np.ndarray", guess: "np.ndarray", k: int) -> None:
    shown = (np.clip(values.ravel(), -REACHED, REACHED) for values in (truth, guess))
    axes.plot(*shown, linestyle="", marker=".", markersize=3, alpha=0.25, color=COLOURS[k])
    axes.axline((0, 0), slope=1, color=INK, linewidth=1)
    axes.axhline(0, color=QUIET, linewidth=1.2, linestyle=(0, (4, 3)))
    axes.set(xlim=(-REACHED - 0.2, REACHED + 0.2), ylim=(-REACHED - 0.2, REACHED + 0.2))
    axes.set_aspect("equal")
