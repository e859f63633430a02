"""The figures, each with the text that says the same to whoever cannot see it."""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from papers.figures import Drawing, legend_above, level, look, subplots
from papers.outcome import Outcomes
from papers.xu2019 import accuracy, private, private_error, ratios
from papers.xu2019.accuracy import FREQUENT, accuracy_on
from papers.xu2019.directions import CERTIFIED, EXACT, LIP, RANDOM
from papers.xu2019.published import Shapes
from papers.xu2019.settings import RANK, RANKS, Settings, parts_of, ranks_upto
from papers.xu2019.shape import Shape

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["drawings"]

Curve = tuple[Sequence[float], list[tuple[float, float]]]

# A contender looks the same in every figure.
_LOOKS = {who: k for k, who in enumerate((*private.CONTENDERS, private_error.MEAN, CERTIFIED))}


def drawings(found: Outcomes, settings: Settings, shapes: Shapes) -> Iterator[Drawing]:
    """The figures that were asked for."""
    for figure, draw in (("1", _first), ("2", _second), ("3", _third), ("4", _fourth)):
        if figure in settings.figures:
            yield draw(found, settings, shapes)
    if "3" in settings.figures:
        yield _private_by_rank(found, settings, shapes)
    if "4" in settings.figures:
        yield _private_by_budget(found, settings, shapes)
    if "5" in settings.figures:
        yield _scores(found, settings)
        yield _private_scores(found, settings)


def _first(found: Outcomes, _: Settings, shapes: Shapes) -> Drawing:
    def curve(shape: Shape) -> Curve:
        ranks = ranks_upto(shape.width)
        cells = [found.summary("1", shape.name, None, ratios.theta_at_rank(k)) for k in ranks]
        return ranks, cells

    title = "Noise ratio θ against the number of components, as published"
    return _ratio("figure-1", title, "target dimension k", "noise ratio θ", shapes, curve)


def _second(found: Outcomes, _: Settings, shapes: Shapes) -> Drawing:
    def curve(shape: Shape) -> Curve:
        parts = parts_of(shape.rows)
        cells = [found.summary("2", shape.name, None, ratios.theta_at_rows(n)) for n in parts]
        return parts, cells

    title = "Noise ratio θ against the number of records, as published"
    return _ratio("figure-2", title, "number of records n", "noise ratio θ", shapes, curve)


def _third(found: Outcomes, settings: Settings, shapes: Shapes) -> Drawing:
    def curve(shape: Shape) -> Curve:
        ranks, epsilon = ranks_upto(shape.width), settings.shown
        cells = [found.summary("3", shape.name, epsilon, ratios.eta_at_rank(k)) for k in ranks]
        return ranks, cells

    title = (
        f"Error ratio η against the number of components at ε = {settings.shown:g}, as published"
    )
    return _ratio("figure-3", title, "target dimension k", "error ratio η", shapes, curve)


def _fourth(found: Outcomes, settings: Settings, shapes: Shapes) -> Drawing:
    def curve(shape: Shape) -> Curve:
        budgets = sorted(settings.epsilons)
        return budgets, [found.summary("4", shape.name, e, ratios.ERROR) for e in budgets]

    title = "Error ratio η against the budget, as published"
    return _ratio("figure-4", title, "privacy budget ε", "error ratio η", shapes, curve)


def _ratio(
    name: str, title: str, across: str, up: str, shapes: Shapes, curve: Callable[[Shape], Curve]
) -> Drawing:
    """All data sets in one plot; logarithmic scales do what the paper's factors were for."""
    figure = subplots(width=7.6, height=4.6)
    (axes,) = figure.axes
    told = []
    for k, shape in enumerate(shapes.values()):
        places, cells = curve(shape)
        _line(axes, places, cells, k, shape.name)
        told.append(
            f"{shape.name} from {cells[0][0]:.2g} at {places[0]:,g} to {cells[-1][0]:.2g} at "
            f"{places[-1]:,g}"
        )
    level(axes, 1, "1")
    axes.set(xscale="log", yscale="log", xlabel=across, ylabel=up)
    _plain_ticks(axes)
    legend_above(figure, axes)
    text = f"Curves of the {up} against the {across}, both logarithmic: {'; '.join(told)}."
    return Drawing(name, title, text, figure)


def _private_by_rank(found: Outcomes, settings: Settings, shapes: Shapes) -> Drawing:
    epsilon = max(settings.epsilons)

    def curve(name: str, who: str) -> Curve:
        cells = [
            found.summary("private", who, epsilon, private_error.error_at(name, k)) for k in RANKS
        ]
        kept = [(k, cell) for k, cell in zip(RANKS, cells, strict=True) if np.isfinite(cell[0])]
        return [k for k, _ in kept], [cell for _, cell in kept]

    title = f"Error of private records against the number of components, ε = {epsilon:g}"
    mean = {name: _mean(found, name, epsilon) for name in shapes}
    return _private("figure-3-private", title, "number of components k", shapes, curve, mean)


def _private_by_budget(found: Outcomes, settings: Settings, shapes: Shapes) -> Drawing:
    def curve(name: str, who: str) -> Curve:
        rank = None if who == private_error.MEAN else RANK
        measure = private_error.error_at(name, rank)
        return settings.budgets, [
            found.summary("private", who, e, measure) for e in settings.budgets
        ]

    title = f"Error of private records against the budget, {RANK} components"
    return _private("figure-4-private", title, "privacy budget ε", shapes, curve, None)


def _private(
    file: str,
    title: str,
    across: str,
    shapes: Shapes,
    curve: Callable[[str, str], Curve],
    means: dict[str, float] | None,
) -> Drawing:
    """A panel per data set; the mean for everyone is a line where it does not depend on x."""
    columns = min(3, len(shapes))
    rows = -(-len(shapes) // columns)
    figure = subplots(rows, columns, width=3.4 * columns, height=2.9 * rows + 0.5)
    names = private.CONTENDERS if means else (*private.CONTENDERS, private_error.MEAN)
    told = []
    for axes, name in zip(figure.axes, shapes, strict=False):
        level(axes, 1, "centre")
        if means:
            level(axes, means[name], "mean")
        for who in names:
            _line(axes, *curve(name, who), _LOOKS[who], who)
        axes.set(title=name, xscale="log", yscale="log", xlabel=across)
        _plain_ticks(axes, RANKS if means else ())
        places, cells = curve(name, LIP)
        told.append(
            f"{name}: lip {cells[0][0]:.3g} at {places[0]:g} and {cells[-1][0]:.3g} at "
            f"{places[-1]:g}" + (f", the mean {means[name]:.3g}" if means else "")
        )
    for axes in figure.axes[::columns]:
        axes.set_ylabel("squared error / squared norm")
    for axes in figure.axes[len(shapes) :]:
        axes.set_visible(False)
    legend_above(figure, figure.axes[0])
    text = (
        f"{len(shapes)} panels, one per data set: squared error per record as a share of the "
        f"squared norm, against the {across}, both logarithmic, for {', '.join(names)}; a "
        "dashed line at 1 marks the public centre in every row, which costs nothing"
        + (" and a second one the noisy mean in every row" if means else "")
        + f". {'; '.join(told)}."
    )
    return Drawing(file, title, text, figure)


def _scores(found: Outcomes, settings: Settings) -> Drawing:
    budgets = sorted(settings.epsilons)
    title = "Accuracy of a linear SVM on records projected without noise, as published"
    frames = ((EXACT, "exact"), (RANDOM, "random"))
    return _accuracies(
        "figure-5", title, found, "5", accuracy.CONTENDERS, settings.classified, budgets, frames
    )


def _private_scores(found: Outcomes, settings: Settings) -> Drawing:
    title = "Accuracy of a linear SVM where directions, records and labels are private"
    frames = ((EXACT, "exact"), (FREQUENT, "guess"))
    return _accuracies(
        "figure-5-private",
        title,
        found,
        "5 private",
        private.CONTENDERS,
        settings.classified,
        settings.budgets,
        frames,
    )


def _accuracies(
    file: str,
    title: str,
    found: Outcomes,
    figure_id: str,
    names: Sequence[str],
    sets: Sequence[str],
    budgets: Sequence[float],
    frames: Sequence[tuple[str, str]],
) -> Drawing:
    figure = subplots(1, max(len(sets), 1), width=9.5, height=4.2)
    told = []
    for axes, name in zip(figure.axes, sets, strict=False):
        measure = accuracy_on(name)
        for who, word in frames:
            level(axes, found.summary("5", who, None, measure)[0], word)
        for who in names:
            cells = [found.summary(figure_id, who, e, measure) for e in budgets]
            _line(axes, budgets, cells, _LOOKS[who], who)
            told.append(
                f"{who} on {name} {cells[0][0]:.3f} at ε = {budgets[0]:g} and {cells[-1][0]:.3f} "
                f"at ε = {budgets[-1]:g}"
            )
        axes.set(title=name, xscale="log", xlabel="privacy budget ε")
        _plain_ticks(axes, budgets)
        axes.set_ylabel("accuracy on held-out records")
    if sets:
        legend_above(figure, figure.axes[0])
    lines = " and ".join(f"{who} ({word})" for who, word in frames)
    text = (
        "Accuracy against ε on a logarithmic axis, with error bars of one standard deviation; "
        f"dashed lines mark {lines}. {'; '.join(told)}."
    )
    return Drawing(file, title, text, figure)


def _line(
    axes: "Axes",
    places: Sequence[float],
    cells: Sequence[tuple[float, float]],
    k: int,
    label: str,
) -> None:
    means, bars = np.array(cells).reshape(-1, 2).T
    bars = np.nan_to_num(bars)
    # Curves often coincide: later markers are smaller, so that those below still show.
    size = max(8 - k, 4.5)
    axes.errorbar(places, means, bars, capsize=2, **look(k), markersize=size, label=label)


def _plain_ticks(axes: "Axes", places: Sequence[float] = ()) -> None:
    """Numbers as they are spoken on a logarithmic axis, and no small ticks between them."""
    if places:
        axes.set_xticks(list(places), [f"{place:g}" for place in places])
    else:
        axes.xaxis.set_major_formatter("{x:,g}")
    axes.minorticks_off()


def _mean(found: Outcomes, name: str, epsilon: float) -> float:
    measure = private_error.error_at(name)
    return found.summary("private", private_error.MEAN, epsilon, measure)[0]
