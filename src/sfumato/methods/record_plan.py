"""Plans that release every record, in its place, as noisy coordinates along directions."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from sfumato.errors import ReleaseError
from sfumato.measure.projection import Projection
from sfumato.methods.row_per_record import check_neighbours
from sfumato.numeric.arrays import Matrix
from sfumato.plan import Declared, Plan
from sfumato.privacy.budget import Budget
from sfumato.privacy.guarantee import Heuristic
from sfumato.privacy.mechanism import Event, Noise, Purse
from sfumato.privacy.sensitivity import Sensitivity, record, root
from sfumato.render.decode import NearestRecords
from sfumato.render.reduced import component_batch
from sfumato.schema.domain import Domain
from sfumato.synopsis.centred import Centred
from sfumato.synopsis.directions import UNIT, Directions
from sfumato.synopsis.features import Features
from sfumato.table.mapped import Mapped
from sfumato.table.records import Records

__all__ = [
    "DEFAULT_SPLIT",
    "LARGE",
    "Projected",
    "check_worst",
    "later",
    "record_plan",
    "recounted",
]

DEFAULT_SPLIT = "0.2"  # of the budget, for directions: their error falls with the records

LARGE = "Noise per record is large: use statistics of many rows, never single ones."


@dataclass(frozen=True)
class Projected:
    """What left the private side: directions, and coordinates part by part."""

    directions: Directions
    coordinates: Mapped[Matrix]
    mean: Matrix  # of the space; what the directions miss stands there
    findings: Mapping[str, Any] = field(default_factory=dict)  # what else the reader may use

    def to_json(self) -> dict[str, Any]:
        """All but the coordinates, which are the data."""
        return {
            "kind": "components",
            "unit": self.directions.unit,
            "directions": self.directions.steps.tolist(),
            **self.findings,
        }

    def records(self) -> Mapped[Matrix]:
        """Features from 0 to 1 of each record, by the pseudo-inverse of the directions."""
        V = self.directions.matrix
        back: Matrix = np.asarray(np.linalg.pinv(V), np.float64)
        rest = self.mean - back @ (V @ self.mean)
        return self.coordinates.then(_Restored(self.directions.space, back.T, rest))


@dataclass(frozen=True, eq=False)
class _Restored:
    space: Features | Centred
    back: Matrix
    rest: Matrix  # what the directions miss

    def __call__(self, coordinates: Matrix) -> Matrix:
        Z = coordinates @ self.back + self.rest
        return self.space.restored(Z) if isinstance(self.space, Centred) else Z


def record_plan(
    method: str,
    domain: Domain,
    budget: Budget,
    *,
    events: tuple[Event, ...],
    measure: Callable[[Records, Purse], Projected],
    options: dict[str, Any],
    recount: Callable[[Mapping[str, Any]], tuple[Event, ...]] | None = None,
    columns: pa.Schema | None = None,
    unproved: Heuristic | None = None,
    limits: tuple[str, ...] = (LARGE,),
    public: Declared | None = None,
) -> Plan:
    """A plan whose `measure` gives `Projected`; with `columns`, coordinates are the table."""
    check_neighbours(method, domain)

    def render(released: Projected, *_: object) -> Mapped[pa.RecordBatch]:
        if columns is not None:
            return released.coordinates.then(partial(component_batch, columns))
        return released.records().then(NearestRecords(released.directions.features))

    return Plan(
        method=method,
        domain=domain,
        budget=budget,
        events=events,
        measure=measure,
        render=render,
        recount=recount,
        options=options,
        row="record",
        columns=columns,
        public=public,
        unproved=unproved,
        invariants=("the number of records", "the order of the records"),
        limits=limits,
    )


def later(budget: Budget) -> Event:
    """The price of coordinates along directions that are yet to be released."""
    event = Noise("projected records", record(continuous=1), budget).event
    return Event(event.statistic, event.mechanism, None, None, event.cost)


def recounted(space: Features | Centred, budget: Budget, synopsis: Mapping[str, Any]) -> Event:
    """The same event once the directions are public."""
    steps = np.array(synopsis["directions"], object)
    fits = steps.ndim == 2 and steps.shape[1] == len(space) and synopsis["unit"] == UNIT
    if not fits or np.abs(steps * space.units).max() > 2 * UNIT:
        raise ReleaseError("the directions do not fit the schema")
    return Projection(Directions(space, steps.astype(np.int64)), budget).noise.event


def check_worst(features: Features, rank: int, budget: Budget) -> None:
    """Refuse noise that no directions could bring into reach, before they are known."""
    # No orthonormal directions move a record further than this.
    widest = record(features.continuous, features.binary, features.blocks).l1 + 1
    worst = Sensitivity(root(rank * widest), widest)
    Noise("projected records", worst, budget).check(UNIT)
