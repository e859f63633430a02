"""Plans that release coordinates themselves, each record by itself, with an answer for its label.

Directions are public, so the coordinates of a record depend on that record alone: under noise of
the distance between any two records they are local.  A label has no place among coordinates that
are to tell its classes apart; it is answered beside them by randomized response, for a share
of the budget (`docs/proofs/lop.md`).
"""

from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from sfumato.errors import ParameterError, SchemaError
from sfumato.measure.local import paid_answers
from sfumato.measure.projection import Projection
from sfumato.methods.row_per_record import check_neighbours
from sfumato.numeric.arrays import Codes, Matrix, Whole
from sfumato.plan import Declared, Plan
from sfumato.privacy.answer import DirectResponse
from sfumato.privacy.budget import Budget
from sfumato.privacy.guarantee import LocalDP, PureDP, exact
from sfumato.privacy.mechanism import Purse
from sfumato.render.reduced import component_batch, component_columns
from sfumato.schema.domain import Domain, Levels
from sfumato.synopsis.bins import levels
from sfumato.synopsis.directions import UNIT, Directions
from sfumato.synopsis.questionnaire import Choice
from sfumato.table.mapped import EachPart, Mapped
from sfumato.table.records import Records

__all__ = ["DEFAULT_LABEL_SHARE", "LabelShare", "in_components", "local_components_plan"]

DEFAULT_LABEL_SHARE = "0.25"
_SINGLE = "Noise per record is large: learn from all rows (sfumato.accuracy.noisy_records)."


def in_components(space: Any) -> bool:
    """Whether coordinates are asked for, and not the columns that they stand for."""
    if space not in ("columns", "components"):
        raise ParameterError(f"space must be columns or components, got {space!r}")
    return bool(space == "components")


@dataclass(frozen=True)
class LabelShare:
    """How the ε of a record is divided between its coordinates and its label, if it has one."""

    label: Choice | None
    coordinates: LocalDP
    written: str | None  # as a certificate has it

    @classmethod
    def of(cls, domain: Domain, budget: Budget, share: Any) -> "LabelShare":
        """Refused where the budget or the share is wrong, or there is no label to pay for."""
        if not isinstance(budget, PureDP):
            raise ParameterError(
                "space=components promises pure epsilon-local differential privacy: leave out "
                "delta and rho"
            )
        axis = None if domain.label is None else domain.axes[domain.label]
        if axis is None or not isinstance(axis, Levels) or axis.codes < 2:
            if share is not None:
                raise ParameterError(
                    "label_share is for the answers of a label, and no column has role: label "
                    "and several values: leave it out"
                )
            return cls(None, LocalDP(budget.epsilon), None)
        share = DEFAULT_LABEL_SHARE if share is None else share
        part = exact("label_share", share, below=1)
        response = DirectResponse(f"answers of {axis.name}", axis.codes, budget.epsilon * part)
        label = Choice(domain.label or 0, axis.name, tuple(levels(axis)), response)
        return cls(label, LocalDP(budget.epsilon * (1 - part)), str(share))


@dataclass(frozen=True)
class Coordinates:
    """What left the private side: directions, and noisy coordinates and answers by part."""

    directions: Directions
    parts: Mapped[tuple[Matrix, Whole | None]]

    def to_json(self) -> dict[str, Any]:
        """All but the coordinates, which are the data."""
        return {
            "kind": "coordinates",
            "unit": self.directions.unit,
            "features": list(self.directions.features.names),
            "directions": self.directions.steps.tolist(),
        }


@dataclass(frozen=True, eq=False)
class _Paid:
    """Coordinates and the answer of the label, each paid for by itself."""

    project: EachPart[Matrix]
    ask: EachPart[Whole] | None

    def __call__(self, number: int, codes: Codes, /) -> tuple[Matrix, Whole | None]:
        coordinates = self.project(number, codes)
        return coordinates, None if self.ask is None else self.ask(number, codes)


@dataclass(frozen=True)
class _Written:
    """Both in the columns of the release."""

    columns: pa.Schema
    names: tuple[str, ...]  # of the answers

    def __call__(self, made: tuple[Matrix, Whole | None]) -> pa.RecordBatch:
        coordinates, answers = made
        names = pa.array(self.names, pa.string())
        told = [] if answers is None else [names.take(pa.array(answers))]
        return component_batch(self.columns, coordinates, *told)


def local_components_plan(
    method: str,
    domain: Domain,
    budget: Budget,
    directions: Directions,
    share: LabelShare,
    *,
    limits: tuple[str, ...],
    public: Declared | None,
    options: dict[str, Any],
) -> Plan:
    """A row for each record: noisy coordinates and, if there is a label, its answer."""
    check_neighbours(method, domain)
    label, projection = share.label, Projection(directions, share.coordinates)
    projection.noise.check(UNIT)
    beside = [] if label is None else [pa.field(label.name, pa.string(), nullable=False)]
    columns = component_columns(directions.rank, *beside)
    if len(set(columns.names)) < len(columns.names):
        raise SchemaError(f"column {columns.names[-1]}: components have this name: rename it")

    def measure(records: Records, purse: Purse) -> Coordinates:
        project = projection.paid(purse)
        ask = None if label is None else paid_answers(label, purse)
        return Coordinates(directions, records.map(_Paid(project, ask)))

    def render(released: Coordinates, *_: object) -> Mapped[pa.RecordBatch]:
        return released.parts.then(_Written(columns, () if label is None else label.answers))

    events = (projection.noise.event, *(() if label is None else (label.event,)))
    return Plan(
        method=method,
        domain=domain,
        budget=budget,
        local=True,
        events=events,
        measure=measure,
        render=render,
        options=options,
        row="record",
        columns=columns,
        public=public,
        invariants=("the number of records", "the order of the records"),
        limits=(_SINGLE, *limits),
    )
