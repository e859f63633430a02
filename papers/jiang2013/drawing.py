"""The figures, each with the text that says the same to whoever cannot see it."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from papers.figures import (
    COLOURS,
    INK,
    MARKERS,
    QUIET,
    Drawing,
    epsilon_axis,
    legend_above,
    level,
    look,
    subplots,
)
from papers.jiang2013 import classes, people, record_error
from papers.jiang2013.settings import Settings
from papers.outcome import Outcomes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["drawings"]

MODEL_NAMES = {"lda": "LDA", "tree": "entropy tree", "logistic": "logistic", "boosting": "boosting"}
_DASHES = ((4, 2), (1, 1.5), (6, 2, 1, 2), (2, 2))


def drawings(found: Outcomes, settings: Settings) -> Iterator[Drawing]:
    """The figures that were asked for."""
    if "1" in settings.figures:
        yield _people(found, settings)
    if "2" in settings.figures:
        yield _energy(found)
        yield _by_rank(found, settings)
        yield _boxes(found, settings)
    if "3" in settings.figures:
        yield _scores(found, settings)
    if "4" in settings.figures:
        yield _information(found, settings)


def _people(found: Outcomes, settings: Settings) -> Drawing:
    shown = min(settings.epsilons, key=lambda e: abs(e - 1))
    points = people.people(settings.seed)
    figure = subplots(1, 2, width=9.5, height=4.6)
    left, right = figure.axes
    ways = (people.COMPONENT, people.ATTRIBUTES)
    span = 2.0 * (people.HIGH - people.LOW)
    low, high = people.LOW - span, people.HIGH + span
    beyond = []
    for k, way in enumerate(ways):
        moved = people.noisy(points, way, shown, settings.seed_of("1", way, shown, 0))
        beyond.append(int(((moved < low) | (moved > high)).any(axis=1).sum()))
        left.plot(
            moved[:, 0],
            moved[:, 1],
            linestyle="",
            marker=MARKERS[k],
            markerfacecolor="none",
            color=COLOURS[k],
            label=way,
        )
    left.plot(points[:, 0], points[:, 1], "+", color=INK, label="the people")
    left.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]))
    left.set(xlabel="height (cm)", ylabel="weight (kg)", title=f"One release at ε = {shown:g}")
    _curves(right, found, "1", ways, people.ERROR, settings)
    right.set(yscale="log", ylabel="squared error per person (cm² + kg²)")
    right.set_title(f"Mean of {settings.trials} trials")
    legend_above(figure, left)
    means = [[found.summary("1", w, e, people.ERROR)[0] for w in ways] for e in settings.epsilons]
    along, each = means[settings.epsilons.index(shown)]
    return Drawing(
        "figure-1",
        "Noise on one component, or on each attribute",
        f"Left: a scatter of height against weight at ε = {shown:g}. The hundred people lie close "
        "to a rising line. Under noise on the component they stay on that line, spread along it; "
        "under noise on each attribute they leave it in all directions. Beyond the edges lie "
        f"{beyond[0]} and {beyond[1]} points. Right: the squared error against ε on a logarithmic "
        f"scale, smaller for the component at {sum(a < b for a, b in means)} of {len(means)} "
        f"budgets: {along:,.0f} against {each:,.0f} at ε = {shown:g}.",
        figure,
    )


def _energy(found: Outcomes) -> Drawing:
    figure = subplots(width=6.4, height=3.9)
    (axes,) = figure.axes
    shares = []
    for k, centre in enumerate((record_error.CENTRED, record_error.ORIGIN)):
        energy = 100 * found.values("2", centre, None, record_error.ENERGY)
        shares.append(energy[9])
        ranks = np.arange(1, len(energy) + 1)
        axes.plot(ranks, energy, color=COLOURS[k], marker=MARKERS[k], markersize=4, label=centre)
    level(axes, 90, "90 %")
    axes.axvline(10, color=QUIET, linewidth=0.8, linestyle=":")
    axes.set(xlabel="number of eigenvectors", ylabel="cumulative energy (%)", ylim=(0, 103))
    axes.set_xticks([1, *range(5, len(ranks) + 1, 5)])
    axes.legend(loc="lower right")
    return Drawing(
        "figure-2a",
        "Energy of the eigenvectors of Adult",
        "Two rising curves of cumulative energy against the number of eigenvectors. With 10 of "
        f"them the second moment about the mean reaches {shares[0]:.1f} % and the one about the "
        f"origin {shares[1]:.1f} %; a dashed line marks the 90 % that the paper reports.",
        figure,
    )


def _by_rank(found: Outcomes, settings: Settings) -> Drawing:
    ranks = [c for c in settings.records if c.method == "dp-pca"]
    levels = [c.name for c in settings.records if c.method != "dp-pca"] + [record_error.CONSTANT]
    columns = min(3, len(settings.epsilons))
    rows = -(-len(settings.epsilons) // columns)
    figure = subplots(rows, columns, width=3.3 * columns, height=2.8 * rows + 0.5)
    sentences, highest = [], 0.0
    for axes, epsilon in zip(figure.axes, settings.epsilons, strict=False):
        curve = np.array(
            [found.summary("2", c.name, epsilon, record_error.ERROR) for c in ranks]
        ).reshape(-1, 2)
        means = [found.summary("2", name, epsilon, record_error.ERROR)[0] for name in levels]
        for k, (name, mean) in enumerate(zip(levels, means, strict=True)):
            dash = (0, _DASHES[k % len(_DASHES)])
            axes.axhline(mean, color=COLOURS[(k + 1) % 6], linestyle=dash, label=name)
        parts = [f"{name} {mean:.2f}" for name, mean in zip(levels, means, strict=True)]
        if ranks:
            places = [c.options["rank"] for c in ranks]
            bars = np.nan_to_num(curve[:, 1])
            axes.errorbar(places, curve[:, 0], bars, capsize=2, **look(0), label="dp-pca")
            axes.set_xticks(places)
            parts.insert(0, f"dp-pca from {curve[0, 0]:.2f} to {curve[-1, 0]:.2f}")
        axes.set(title=f"ε = {epsilon:g}", xlabel="components k")
        highest = max([highest, *means, *curve[:, 0]])
        sentences.append(f"at ε = {epsilon:g}, " + ", ".join(parts))
    for axes in figure.axes:
        axes.set_ylim(0, 1.1 * highest)
    for axes in figure.axes[::columns]:
        axes.set_ylabel("squared error per record")
    for axes in figure.axes[len(settings.epsilons) :]:
        axes.set_visible(False)
    legend_above(figure, figure.axes[0], first="dp-pca")
    return Drawing(
        "figure-2b",
        "Squared error by number of components",
        f"{len(settings.epsilons)} panels, one per ε: the error of dp-pca against its number of "
        "components, with the other methods as level lines. From fewest to most components: "
        + "; ".join(sentences)
        + ".",
        figure,
    )


def _boxes(found: Outcomes, settings: Settings) -> Drawing:
    groups: dict[str, list[str]] = {}
    for contender in settings.records:
        groups.setdefault(contender.method, []).append(contender.name)
    groups[record_error.CONSTANT] = [record_error.CONSTANT]
    figure = subplots(width=9.5, height=4.2)
    (axes,) = figure.axes
    width, told = 0.8 / len(groups), []
    for k, (group, names) in enumerate(groups.items()):
        samples = [
            np.concatenate([found.values("2", n, e, record_error.ERROR) for n in names])
            for e in settings.epsilons
        ]
        colour = COLOURS[k % 6]
        axes.boxplot(
            samples,
            positions=np.arange(len(samples)) + (k - (len(groups) - 1) / 2) * width,
            widths=0.8 * width,
            manage_ticks=False,
            patch_artist=True,
            boxprops={"facecolor": f"{colour}55", "edgecolor": colour},
            medianprops={"color": colour, "linewidth": 1.8},
            whiskerprops={"color": colour},
            capprops={"color": colour},
            flierprops={"marker": ".", "markersize": 3, "markeredgecolor": colour},
        )
        axes.plot([], [], color=colour, linewidth=7, alpha=0.6, label=group)
        first, last = np.median(samples[0]), np.median(samples[-1])
        told.append(f"{group} {first:.2f} at the first and {last:.2f} at the last ε")
    axes.set_xticks(range(len(settings.epsilons)), [f"{e:g}" for e in settings.epsilons])
    axes.set(xlabel="privacy budget ε (not to scale)", ylabel="squared error per record")
    axes.set_ylim(bottom=0)
    legend_above(figure, axes)
    return Drawing(
        "figure-2c",
        "Spread of the squared errors",
        "Box plots per ε and method, left to right in the order of the legend (dp-pca over all its "
        "numbers of components). Medians: " + "; ".join(told) + ".",
        figure,
    )


def _scores(found: Outcomes, settings: Settings) -> Drawing:
    figure = subplots(2, len(settings.models), width=5 * len(settings.models), height=7)
    names = [contender.name for contender in settings.classes]
    grid = np.array(figure.axes, dtype=object).reshape(2, -1)
    top, sentences = max(settings.epsilons), []
    for j, model in enumerate(settings.models):
        for axes, measure, word in (
            (grid[0, j], classes.accuracy(model), "Accuracy"),
            (grid[1, j], classes.auc(model), "AUC"),
        ):
            _curves(axes, found, "3", names, measure, settings)
            best, lowest = (
                found.summary("3", frame, None, measure)[0]
                for frame in (classes.BEST, classes.LOWEST)
            )
            level(axes, best, "best")
            level(axes, lowest, "lowest")
            axes.set(title=f"{word}, {MODEL_NAMES[model]}", ylabel=f"{word} on held-out records")
            ends = [f"{n} {found.summary('3', n, top, measure)[0]:.3f}" for n in names]
            sentences.append(f"{measure}: {', '.join(ends)}, in {lowest:.3f} to {best:.3f}")
    legend_above(figure, grid[0, 0])
    return Drawing(
        "figure-3",
        "Accuracy and AUC on held-out records",
        "Curves against ε with error bars of one standard deviation; dashed lines mark the lowest "
        f"and the best achievable score. At ε = {top:g}, {'; '.join(sentences)}.",
        figure,
    )


def _information(found: Outcomes, settings: Settings) -> Drawing:
    figure = subplots(1, 2, width=9.5, height=4.6)
    left, right = figure.axes
    names, top = [contender.name for contender in settings.classes], max(settings.epsilons)
    original = found.summary("4", classes.ORIGINAL, None, classes.ENTROPY)[0]
    level(left, original, "original")
    # Last, so that the others keep their colours on both sides.
    texts = [classes.generalised(c.name) for c in settings.classes if c.method == "diffgen"]
    _curves(left, found, "4", [*names, *texts], classes.ENTROPY, settings)
    _curves(right, found, "4", names, classes.KL, settings)
    for axes in (left, right):
        axes.margins(y=0.1)
        axes.set_ylim(bottom=0)
    left.set(title="Entropy of the release", ylabel="bits per record, summed over columns")
    right.set(title="KL divergence from the original", ylabel="bits, summed over columns")
    legend_above(figure, left, most=3)
    told = [
        f"{n} {found.summary('4', n, top, classes.ENTROPY)[0]:.2f} and "
        f"{found.summary('4', n, top, classes.KL)[0]:.3f}"
        for n in names
    ] + [f"{n} {found.summary('4', n, top, classes.ENTROPY)[0]:.2f}" for n in texts]
    return Drawing(
        "figure-4",
        "Entropy and divergence",
        f"Left: entropy against ε, the original's {original:.2f} bits as a dashed line. Right: KL "
        f"divergence from the original. At ε = {top:g}, in bits: {'; '.join(told)}.",
        figure,
    )


def _curves(
    axes: "Axes",
    found: Outcomes,
    figure: str,
    names: Sequence[str],
    measure: str,
    settings: Settings,
) -> None:
    """Mean and standard deviation against ε; curves are a hair apart so that bars show."""
    epsilons = np.array(settings.epsilons)
    hair = 0.012 * np.ptp(epsilons)
    for k, name in enumerate(names):
        cells = np.array([found.summary(figure, name, e, measure) for e in settings.epsilons])
        places = epsilons + hair * (k - (len(names) - 1) / 2)
        bars = np.nan_to_num(cells[:, 1])
        axes.errorbar(places, cells[:, 0], bars, capsize=2.5, **look(k), label=name)
    epsilon_axis(axes, settings.epsilons)
