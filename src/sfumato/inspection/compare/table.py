"""NOT PRIVATE: a comparison as tables of text, for a terminal and for the internal page."""

from collections.abc import Mapping
from dataclasses import dataclass

from sfumato.inspection.compare.comparison import Comparison
from sfumato.inspection.compare.picture import curves
from sfumato.inspection.compare.recommendation import (
    COST,
    Recommendation,
    leading_measure,
    recommended,
)
from sfumato.inspection.compare.trial import MEASURES
from sfumato.inspection.section import Picture

__all__ = ["Field", "Ranking", "Row", "Shown", "shown"]

_OWN = "its rows are not in the columns of the schema: no measure here speaks of them"


@dataclass(frozen=True, slots=True)
class Field:
    """A figure, and whether it is the best with a proof in its column."""

    text: str
    best: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """One method: its promise, its figure at each budget, and the seconds of a release."""

    method: str
    promise: str
    cells: tuple[Field, ...]
    seconds: str


@dataclass(frozen=True, slots=True)
class Ranking:
    """All methods by one measure, those with a proof first."""

    title: str
    unit: str
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Shown:
    """All that a page of a comparison needs."""

    found: Comparison
    advice: Recommendation | None
    rankings: tuple[Ranking, ...]
    left_out: Mapping[str, str]
    pictures: tuple[Picture, ...]
    cost: str = COST

    @property
    def by_budget(self) -> str:
        """The best at each budget, in a sentence."""
        if self.advice is None:
            return ""
        parts = [
            f"ε = {epsilon} {'guessing does as well' if name is None else name}"
            for epsilon, name in self.advice.by_budget.items()
        ]
        return f"Best at each budget: {', '.join(parts)}."


def shown(found: Comparison, *, pictures: bool) -> Shown:
    """NOT PRIVATE: a ranking by each measure, in the order of its largest budget."""
    scored = {trial.contender.method for trial in found.trials if trial.scores}
    own = {name: _OWN for name in found.methods if name not in scored}
    return Shown(
        found,
        recommended(found),
        tuple(_ranking(found, measure) for measure in found.measures),
        {**found.unmeasured, **found.stopped, **own, **found.refused},
        curves(found, leading_measure(found)) if pictures else (),
    )


def _ranking(found: Comparison, measure: str) -> Ranking:
    about, last = MEASURES[measure], found.epsilons[-1]
    sign = -1 if about.higher else 1
    cells = {
        (name, epsilon): cell
        for name in found.methods
        for epsilon in found.epsilons
        if (cell := found.cell(name, measure, epsilon)) is not None
    }
    proved = {name: found.contender(name).proved for name in found.methods}
    best = {
        epsilon: min(
            (name for name in found.methods if proved[name] and (name, epsilon) in cells),
            key=lambda name: sign * cells[name, epsilon].mean,
            default=None,
        )
        for epsilon in found.epsilons
    }
    ranked = sorted(
        {name for name, _ in cells},
        key=lambda name: (
            not proved[name],
            sign * cells[name, last].mean if (name, last) in cells else 9.0,
            name,
        ),
    )
    rows = tuple(
        Row(
            name,
            _promise(found, name),
            tuple(
                Field(f"{cells[name, e].mean:.3f}" if (name, e) in cells else "–", best[e] == name)
                for e in found.epsilons
            ),
            f"{found.seconds(name):.2f}",
        )
        for name in ranked
    )
    return Ranking(about.title, about.unit, rows)


def _promise(found: Comparison, name: str) -> str:
    contender = found.contender(name)
    if not contender.proved:
        return "NONE"
    return "(ε, δ)" if contender.delta is not None else "ε"
