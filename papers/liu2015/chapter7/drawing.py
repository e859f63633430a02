"""Figures 7.2 to 7.5: shares of sums and means beyond a bound, drawn and exact."""

from collections.abc import Iterator

import numpy as np

from papers.figures import COLOURS, INK, MARKERS, Drawing, level, subplots
from papers.liu2015.chapter7.measure import (
    BOUNDS,
    CLAIMED,
    DRAWN,
    ERRORS,
    EXACT,
    MEANS,
    NUMBERS,
    ONE_SIDED,
    TWO_SIDED,
    beyond,
)
from papers.liu2015.chapter7.published import exact, share
from papers.outcome import Outcomes

__all__ = ["drawings"]

TICKS = (1, 10, 100, 1000)


def drawings(found: Outcomes) -> Iterator[Drawing]:
    """All figures of the chapter."""
    yield _means(found)
    yield _sums(found)


def _means(found: Outcomes) -> Drawing:
    sheet = subplots(1, len(MEANS), width=10, height=4)
    words = []
    for axes, (figure, epsilon) in zip(sheet.axes, MEANS.items(), strict=True):
        for k, error in enumerate(ERRORS):
            drawn, law = (
                [100 * found.summary(figure, who, epsilon, beyond(error, n))[0] for n in NUMBERS]
                for who in (DRAWN, EXACT)
            )
            axes.plot(NUMBERS, law, color=COLOURS[k], label=f"beyond ±{error:g}, exact")
            axes.plot(
                NUMBERS,
                drawn,
                color=COLOURS[k],
                marker=MARKERS[k],
                linestyle="",
                label=f"beyond ±{error:g}, drawn",
            )
            words.append(f"ε = {epsilon:g}, ±{error:g}: {drawn[3]:.1f} % to {drawn[-1]:.1f} %")
        axes.set_xscale("log")
        axes.minorticks_off()
        axes.set_xticks(TICKS, [f"{tick:,}" for tick in TICKS])
        axes.set(title=f"{figure}: ε = {epsilon:g}", xlabel="number of noises N", ylim=(0, 102))
    sheet.axes[0].set_ylabel("means beyond the error (%)")
    handles, labels = sheet.axes[0].get_legend_handles_labels()
    sheet.legend(handles, labels, loc="outside upper center", ncols=len(ERRORS))
    return Drawing(
        "figures-7.2-7.3",
        "Means of Laplace noise come near 0",
        "Falling curves: the share of means of N noises that are farther from 0 than an error. "
        f"Marks are drawn, lines exact. From N = {NUMBERS[3]} to N = {NUMBERS[-1]}: "
        f"{'; '.join(words)}.",
        sheet,
    )


def _sums(found: Outcomes) -> Drawing:
    sheet = subplots(1, len(BOUNDS) + 1, width=12, height=4)
    words = []
    for axes, (figure, chance) in zip(sheet.axes, BOUNDS.items(), strict=False):
        axes.plot(
            NUMBERS,
            [100 * exact(found, figure, number) for number in NUMBERS],
            color=COLOURS[0],
            label="exact",
        )
        axes.plot(
            NUMBERS,
            [100 * share(found, figure, number) for number in NUMBERS],
            color=COLOURS[0],
            marker=MARKERS[0],
            linestyle="",
            label="drawn",
        )
        level(axes, 100 * chance, "λ")
        axes.set_yticks(np.linspace(0, 100 * chance, 5))
        axes.set(title=f"{figure}: bound (7.2), λ = {chance:g}", ylim=(0, 110 * chance))
        most = max(exact(found, figure, number) for number in NUMBERS)
        words.append(f"(7.2) at λ = {chance:g}: at most {100 * most:.2f} %")
    last = sheet.axes[-1]
    for k, who in enumerate((ONE_SIDED, TWO_SIDED), 1):
        shares = [100 * exact(found, who, number) for number in NUMBERS]
        last.plot(NUMBERS, shares, color=COLOURS[k], marker=MARKERS[k], label=who.split(", ")[1])
        words.append(f"{who}: {shares[-1]:.1f} % at N = {NUMBERS[-1]}")
    level(last, 100 * CLAIMED, "λ")
    last.set(title=f"theorem 7.2.2, λ = {CLAIMED:g}: exact", ylim=(0, 70))
    last.legend(loc="upper left")
    for axes in sheet.axes:
        axes.set_xscale("log")
        axes.minorticks_off()
        axes.set_xticks(TICKS, [f"{tick:,}" for tick in TICKS])
        axes.set_xlabel("number of noises N")
    sheet.axes[0].set_ylabel("sums beyond the bound (%)")
    sheet.axes[0].legend(loc="center right", labelcolor=INK)
    return Drawing(
        "figures-7.4-7.5",
        "Sums of Laplace noise beyond the printed bounds",
        "Shares of sums of N noises beyond a bound, with the promised λ as a dashed line. "
        f"Beyond {'; beyond '.join(words)}. Theorem 7.2.2 fails where its curves pass λ.",
        sheet,
    )
