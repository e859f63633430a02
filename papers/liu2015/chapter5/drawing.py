"""Figures 5.3 to 5.8: one panel for each network and engine, stars for what the thesis prints."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from papers.figures import COLOURS, INK, MARKERS, QUIET, Drawing, subplots
from papers.liu2015.chapter5.cases import EIES, ORIGINAL, PRINTED, Case, K
from papers.liu2015.chapter5.measure import (
    ANONYMOUS,
    ENGINES,
    FIGURES,
    KEPT,
    KS,
    LENGTH,
    ORDERS,
    SHARES,
    cell,
    plain,
)
from papers.liu2015.chapter5.published import AT, SORTED, THREE
from papers.outcome import Outcomes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["drawings"]

CRITERIA = (ANONYMOUS, KEPT, LENGTH)
BEFORE = f"{ANONYMOUS}, {ORIGINAL}"
Value = Callable[..., float]  # of a cell and a measure, in per cent
Panel = Callable[["Axes", Case, str], str]  # draws, and says the same in words


def drawings(found: Outcomes, cases: Sequence[Case]) -> Iterator[Drawing]:
    """All figures of the chapter."""

    def value(who: str, measure: str = ANONYMOUS) -> float:
        return 100 * found.summary(FIGURES, who, None, measure)[0]

    yield _orders(value, cases)
    yield _sizes(value, cases)
    yield _ks(value, cases)


def _orders(value: Value, cases: Sequence[Case]) -> Drawing:
    def panel(axes: "Axes", case: Case, engine: str) -> str:
        curves = {
            order: [value(cell(case.name, engine, k, order=order)) for k in KS] for order in ORDERS
        }
        for n, (order, values) in enumerate(curves.items()):
            _line(axes, KS, values, n, f"{order} order")
        if case.name == EIES:
            _star(axes, K, 100 * SORTED, COLOURS[0], "thesis, frequency order")
        _original(axes, case, value)
        axes.set_xticks(KS)
        ends = ", ".join(f"{order} {values[-1]:.1f}" for order, values in curves.items())
        return f"{case.called}, {engine}: {ends}"

    sheet, words = _sheet(panel, cases, "k")
    low = min(
        value(cell(c.name, e, k, order=o))
        for c in cases
        for e in ENGINES
        for k in KS
        for o in ORDERS
    )
    for axes in sheet.axes:
        axes.set_ylim(5 * (low // 5) - 1, 101)
    return Drawing(
        "figures-5.3-5.4",
        "Anonymous edges by the order in which they change (H = 10 %)",
        "Curves of the share of anonymous edges against k, for edges changed by how many wanted "
        "paths take them (most first, fewest first, at random), and for the original weights as "
        "far as these reach into the frame; above the engine slack, below path probabilities. "
        f"At k = {KS[-1]}, in per cent: {words}.",
        sheet,
    )


def _sizes(value: Value, cases: Sequence[Case]) -> Drawing:
    def panel(axes: "Axes", case: Case, engine: str) -> str:
        k, places = case.ks[-1], [100 * wanted for wanted in SHARES]
        curves = {
            what: [value(cell(case.name, engine, k, wanted=w), what) for w in SHARES]
            for what in CRITERIA
        }
        told = _three(axes, places, curves)
        axes.axhline(value(plain(case.name, k)), color=QUIET, linestyle=":", label=BEFORE)
        if case.name == EIES:
            for n, what in enumerate(CRITERIA):
                _star(axes, 100 * AT, 100 * THREE[what], COLOURS[n], f"thesis, {what}")
        axes.set_xticks(places)
        return f"{case.called}, k = {k}, {engine}: {told}"

    sheet, words = _sheet(panel, cases, "pairs in H (%)", lambda case: f", k = {case.ks[-1]}")
    return Drawing(
        "figures-5.5-5.6",
        "Anonymous edges, kept paths and length differences as more pairs are wanted",
        "Curves against the share of pairs in H, dotted the share of edges that are anonymous "
        "originally; above the engine slack, below path probabilities. From H = 5 to 25 %, in "
        f"per cent: {words}.",
        sheet,
    )


def _ks(value: Value, cases: Sequence[Case]) -> Drawing:
    def panel(axes: "Axes", case: Case, engine: str) -> str:
        curves = {what: [value(cell(case.name, engine, k), what) for k in KS] for what in CRITERIA}
        told = _three(axes, KS, curves)
        _original(axes, case, value)
        _star(axes, K, 100 * PRINTED[case.name], QUIET, f"thesis, {BEFORE}")
        axes.set_xticks(KS)
        return f"{case.called}, {engine}: {told}"

    sheet, words = _sheet(panel, cases, "k")
    return Drawing(
        "figures-5.7-5.8",
        "Anonymous edges, kept paths and length differences by k (H = 10 %)",
        "Curves against k, and the share of edges that are anonymous originally; above the engine "
        f"slack, below path probabilities. From k = {KS[0]} to {KS[-1]}, in per cent: {words}.",
        sheet,
    )


def _sheet(
    panel: Panel, cases: Sequence[Case], label: str, more: Callable[[Case], str] = lambda _: ""
) -> "tuple[Figure, str]":
    """A panel for each engine and network, and what they say."""
    sheet = subplots(len(ENGINES), len(cases), width=11, height=7.4)
    words, panels = [], iter(sheet.axes)
    for engine in ENGINES:
        for case in cases:
            axes = next(panels)
            words.append(panel(axes, case, engine))
            axes.set(ylim=(-4, 106), xlabel=label)
            axes.set_title(f"{case.title}{more(case)}", fontsize=10)
            if case is cases[0]:
                axes.set_ylabel(f"engine {engine} (%)")
    handles, labels = sheet.axes[0].get_legend_handles_labels()
    columns = len(labels) if len(labels) <= 5 else -(-len(labels) // 2)
    sheet.legend(handles, labels, loc="outside upper center", ncols=columns)
    return sheet, "; ".join(words)


def _three(axes: "Axes", x: Sequence[float], curves: Mapping[str, Sequence[float]]) -> str:
    """The three criteria; kept paths behind the others, which they would hide at 100 %."""
    for n, (what, values) in enumerate(curves.items()):
        behind = {"markerfacecolor": "white", "markersize": 8, "zorder": 1.5} if n == 1 else {}
        _line(axes, x, values, n, what, **behind)
    return ", ".join(f"{what} {y[0]:.1f} to {y[-1]:.1f}" for what, y in curves.items())


def _line(
    axes: "Axes", x: Sequence[float], y: Sequence[float], n: int, label: str, **look: Any
) -> None:
    axes.plot(x, y, color=COLOURS[n], marker=MARKERS[n], label=label, **look)


def _original(axes: "Axes", case: Case, value: Value) -> None:
    shares = [value(plain(case.name, k)) for k in KS]
    axes.plot(KS, shares, color=QUIET, linestyle=":", marker="x", label=BEFORE)


def _star(axes: "Axes", x: float, y: float, colour: str, label: str) -> None:
    axes.plot(
        [x],
        [y],
        color=INK,
        marker="*",
        markersize=11,
        linestyle="",
        markerfacecolor=colour,
        label=label,
        zorder=4,
    )
