"""Curves of utility against budget: a few in colour, the others in grey behind them."""

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, Any

from sfumato.inspection.compare.comparison import Cell, Comparison
from sfumato.inspection.compare.trial import MEASURES
from sfumato.inspection.figure import drawn
from sfumato.inspection.section import Picture
from sfumato.report.style import COLOURS, INK, MARKERS, QUIET

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["curves"]

_COLOURED = 5

Curve = dict[str, Cell]  # by budget


def curves(found: Comparison, leading: str | None) -> tuple[Picture, ...]:
    """One picture for each measure; a method has the same colour in all of them."""
    order = list(_ranked(found, leading)) if leading else []
    looks = {name: k for k, name in enumerate(_proved(found, order)[:_COLOURED])}
    return tuple(_picture(found, measure, looks) for measure in found.measures)


def _proved(found: Comparison, names: Iterable[str]) -> list[str]:
    return [name for name in names if found.contender(name).proved]


def _picture(found: Comparison, measure: str, looks: dict[str, int]) -> Picture:
    about = MEASURES[measure]
    lines = _ranked(found, measure)
    if not looks.keys() & lines.keys():  # components have a ranking of their own
        looks = {name: k for k, name in enumerate(_proved(found, lines)[:_COLOURED])}
    best = _proved(found, lines)[:3]
    ends = [f"{name} {list(lines[name].values())[-1].mean:.3f}" for name in best]
    text = (
        f"{about.title}: {about.unit}, against the budget, for {len(lines)} methods. "
        f"At epsilon {found.epsilons[-1]} the best with a proof are {', '.join(ends)}."
    )
    draw = partial(_draw, found=found, measure=measure, lines=lines, looks=looks)
    return drawn(about.title, text, draw, width=4.4, height=3.7, caption=about.unit)


def _ranked(found: Comparison, measure: str) -> dict[str, Curve]:
    """The curve of every method, the best at its largest budget first."""
    lines: dict[str, Curve] = {}
    for name in found.methods:
        cells = {e: found.cell(name, measure, e) for e in found.epsilons}
        known = {e: cell for e, cell in cells.items() if cell is not None}
        if known:
            lines[name] = known
    sign = -1 if MEASURES[measure].higher else 1
    order = sorted(lines, key=lambda name: sign * list(lines[name].values())[-1].mean)
    return {name: lines[name] for name in order}


def _draw(
    axes: "Axes",
    *,
    found: Comparison,
    measure: str,
    lines: dict[str, Curve],
    looks: dict[str, int],
) -> None:
    places = {epsilon: k for k, epsilon in enumerate(found.epsilons)}
    legend: dict[str, Any] = {}
    for name, line in lines.items():
        xs = [places[epsilon] for epsilon in line]
        ys = [cell.mean for cell in line.values()]
        if (k := looks.get(name)) is not None:
            errors = [cell.error or 0 for cell in line.values()]
            look: dict[str, Any] = {
                "color": COLOURS[k],
                "marker": MARKERS[k],
                "elinewidth": 1,
                "capsize": 2,
            }
            legend[name] = axes.errorbar(xs, ys, errors, **look, zorder=3)
            continue
        proved = found.contender(name).proved
        dash, alpha = ("-", 0.45) if proved else ((0, (1, 1.5)), 0.9)
        (drawn_line,) = axes.plot(xs, ys, color=QUIET, alpha=alpha, linewidth=1, linestyle=dash)
        legend.setdefault("others" if proved else "without a proof", drawn_line)
    _frame(axes, found, measure)
    axes.set_xlim(-0.15, len(places) - 0.85 if len(places) > 1 else 0.15)
    axes.set_xticks(list(places.values()), list(places))
    axes.set_xlabel("privacy budget ε")
    named = [name for name in looks if name in legend]
    named += [name for name in ("others", "without a proof") if name in legend]
    axes.figure.legend(
        [legend[name] for name in named], named, loc="outside lower center", ncols=2, fontsize=8
    )


def _frame(axes: "Axes", found: Comparison, measure: str) -> None:
    """What the records themselves reach, and what guessing does."""
    best, least = found.framed.get(measure, (None, None))
    apart = measure.endswith("way")
    for level, name in ((best, "another sample" if apart else "the records"), (least, "guessing")):
        if level is None:
            continue
        axes.axhline(level, color=INK, linewidth=1, linestyle=(0, (4, 3)), zorder=1)
        axes.annotate(
            name,
            (0.01, level),
            xycoords=("axes fraction", "data"),
            xytext=(0, 2),
            textcoords="offset points",
            fontsize=7.5,
        )
