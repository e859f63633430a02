"""NOT PRIVATE: what can be asked of a release in which a person is the unit, as sections."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from sfumato.inspection.attack.person import PersonTables
from sfumato.inspection.attack.suite import person_attacks
from sfumato.inspection.figure import drawn
from sfumato.inspection.fit import fit_section
from sfumato.inspection.lines import LIMITED, attack_line, distance_line
from sfumato.inspection.marginal import MOST_COLUMNS, Marginal, draw_marginal
from sfumato.inspection.panel.distances import PanelSides
from sfumato.inspection.panel.lags import LagCorrelation, always, correlated
from sfumato.inspection.panel.reading import (
    Frame,
    Released,
    held_tables,
    people_frame,
    recorded,
    released,
    sources_of,
)
from sfumato.inspection.section import Line, Picture, Section
from sfumato.release import Release
from sfumato.release.certificate import stated
from sfumato.report.style import COLOURS, QUIET
from sfumato.schema.domain import Domain
from sfumato.table.people.panel import Panel

__all__ = ["PanelSections"]

_LEFT_OUT = (
    "Attribute, linkage, singling out and reconstruction take each row as a unit of its own, and "
    "the unit here is a person with all of their rows: they are left out."
)
_OTHER_ROWS = (
    "Of a person with more rows than the schema's rows_per_person, the records show others than "
    "the release was made from, by chance."
)


def _tables(release: Release) -> Mapping[str, pa.Table]:
    """By name: data, or persons and events."""
    found: Mapping[str, pa.Table] = release.tables
    return found


@dataclass(frozen=True)
class PanelSections:
    """NOT PRIVATE: a release by person beside its records."""

    release: Release
    original: Mapping[str, Any]
    control: Mapping[str, Any] | None
    frame: Frame
    confidence: float
    seed: int
    pictures: bool
    units: str = "persons"

    @classmethod
    def of(
        cls,
        release: Release,
        original: Any,
        control: Any,
        *,
        confidence: float,
        seed: int,
        pictures: bool,
    ) -> "PanelSections":
        """Opened; refused, before the look is counted, where something cannot be read."""
        frame = people_frame(stated(release.certificate.public_schema))
        schema = frame.domain.schema
        own = held_tables(original, schema)
        others = None if control is None else held_tables(control, schema)
        for side in (own, *(() if others is None else (others,))):
            sources_of(side, frame)
        return cls(release, own, others, frame, confidence, seed, pictures)

    @property
    def sections(self) -> tuple[Callable[[], Section | None], ...]:
        """What is asked, in this order."""
        if self.release.certificate.columns is not None:
            return self.fit, self.utility
        return self.fit, self.persons, self.distributions, self.from_row_to_row, self.attacks

    @property
    def records(self) -> int:
        """How many persons there are."""
        return self._theirs.persons

    @cached_property
    def _theirs(self) -> Panel:
        return recorded(self.original, self.frame)

    @cached_property
    def _ours(self) -> Released:
        return released(_tables(self.release), self.frame)

    @cached_property
    def _sides(self) -> PanelSides:
        return PanelSides.of(self._ours.panel, self._theirs, self.frame)

    def fit(self) -> Section:
        """How many values were cut or replaced before anything was measured."""
        schema = self.frame.domain.schema
        found = [
            (name, fit_section(table, Domain(schema, axes)))
            for (name, table), (_, axes) in zip(self.original.items(), self.frame.axes, strict=True)
            if axes
        ]
        if len(found) == 1:
            return found[0][1]
        lines = [
            Line(f"{name}: {line.what}", line.value, line.meaning)
            for name, section in found
            for line in section.lines
        ]
        return Section("Fit", tuple(lines), next((s.remark for _, s in found if s.remark), ""))

    def utility(self) -> Section:
        """Of a release that has no persons in it."""
        remark = (
            "The release has columns of the method's own: no figure here sets them beside persons."
        )
        return Section("Utility", (), remark)

    def persons(self) -> Section:
        """How many rows each has, what each has once, and what must always hold."""
        sides, distances = self._sides, self._sides.distances
        means = [float(side.panel.counts.mean()) for side in (sides.ours, sides.theirs)]
        none = [float((side.panel.counts == 0).mean()) for side in (sides.ours, sides.theirs)]
        beside = f"on average {means[0]:.2f}, the records {means[1]:.2f}"
        if self.frame.people.linked:
            beside += f"; without a row {none[0]:.1%}, the records {none[1]:.1%}"
        lines = [
            Line("total variation, rows per person", f"{distances.rows_per_person:.3f}", beside)
        ]
        if distances.persons is not None:
            lines.append(distance_line("columns of persons", distances.persons))
        lines += [
            Line(what, f"{share:.1%}", "of the released persons")
            for what, share in always(self._ours, self.frame).items()
        ]
        drawings = (self._rows_drawn(),) if self.pictures else ()
        cut = int(self._theirs.counts.max(initial=0)) >= self.frame.people.rows
        return Section("Persons", tuple(lines), _OTHER_ROWS if cut else "", pictures=drawings)

    def distributions(self) -> Section:
        """Every column of the rows, every pair, and persons with their rows."""
        found = self._sides.distances
        tables = {
            "columns": found.columns,
            "pairs of columns": found.pairs,
            "persons × rows": found.crossed,
        }
        lines = [distance_line(what, far) for what, far in tables.items() if far is not None]
        remark = "Every row counts once, with what its person has."
        if not self.pictures:
            return Section("Distributions", tuple(lines), remark)
        ours, theirs = self._sides.ours.rows, self._sides.theirs.rows
        marginals = sorted(
            (
                Marginal(axis, theirs.shares((j,)), ours.shares((j,)))
                for j, axis in enumerate(self.frame.both.axes)
            ),
            key=lambda marginal: -marginal.distance,
        )
        drawings = tuple(draw_marginal(marginal) for marginal in marginals[:MOST_COLUMNS])
        legend = "Area: records. Line: release. Beside each name its total variation."
        return Section("Distributions", tuple(lines), remark, pictures=drawings, legend=legend)

    def from_row_to_row(self) -> Section:
        """A value and the next of the same person."""
        ordered, found = self.frame.order is not None, self._sides.distances
        if not self._sides.compared:
            remark = "Nobody, in the records or in the release, has two rows."
            return Section("From row to row", (), remark)
        lines = []
        if found.lags is not None:
            what = "a row and the next" if ordered else "two rows of a person"
            lines.append(distance_line(what, found.lags))
        if found.order is not None:
            name = str(self.frame.people.order)
            lines.append(Line(f"total variation, {name}", f"{found.order:.3f}", "with the next"))
        lines += _correlations(correlated(self._ours.panel, self._theirs, self.frame))
        remark = "" if ordered else "No column orders the rows of a person: any two are compared."
        return Section("From row to row", tuple(lines), remark)

    def attacks(self) -> Section:
        """What an attacker who knows whole persons finds, beside guessing and a control."""
        control = None if self.control is None else recorded(self.control, self.frame)
        sides = PersonTables(self.frame, self._ours.panel, self._theirs, control).checked()
        found = person_attacks(sides, confidence=self.confidence, seed=self.seed)
        remark = LIMITED + _LEFT_OUT
        if control is None:
            remark += " Membership needs control persons."
        return Section("Attacks", tuple(map(attack_line, found)), remark)

    def _rows_drawn(self) -> Picture:
        ours, theirs = (100 * shares for shares in self._sides.rows_per_person)
        places = np.arange(len(ours) + 1) - 0.5

        def draw(axes: Any) -> None:
            axes.stairs(theirs, places, fill=True, color=QUIET, alpha=0.35, linewidth=0)
            axes.stairs(ours, places, color=COLOURS[1], linewidth=1.6)
            axes.set(xlabel="rows", ylabel="% of persons", ylim=(0, None))
            axes.tick_params(length=0)

        far = self._sides.distances.rows_per_person
        text = (
            "Histogram of rows per person: the records as an area, the release as a line. "
            f"Total variation distance {far:.3f}."
        )
        return drawn(f"rows per person · {far:.3f}", text, draw, height=2.0)


def _correlations(found: tuple[LagCorrelation, ...]) -> Iterator[Line]:
    """A line for each column, the lags beside each other."""
    for name in dict.fromkeys(one.column for one in found):
        lags = [one for one in found if one.column == name]
        ours, theirs = (
            ", ".join("none" if np.isnan(x) else f"{x:.2f}" for x in side)
            for side in ([one.release for one in lags], [one.records for one in lags])
        )
        at = "lag " + ", ".join(str(one.lag) for one in lags)
        if len(lags) == 1:
            at = "two rows"
        yield Line(f"correlation, {name}", ours, f"{at}; the records have {theirs}")
