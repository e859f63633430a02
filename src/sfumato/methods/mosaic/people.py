"""mosaic where a person is the unit: persons drawn with rows that follow each other."""

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from sfumato.errors import ParameterError, ReleaseError, SchemaError
from sfumato.methods.mosaic.division import MOST_CELLS
from sfumato.methods.mosaic.people_steps import PeopleSteps
from sfumato.methods.mosaic.people_worth import people_doubt
from sfumato.methods.mosaic.tabulated import is_wide
from sfumato.plan import Plan
from sfumato.plan.options import whole
from sfumato.privacy.budget import Budget
from sfumato.privacy.mechanism import Event
from sfumato.render.constrained import CONDITIONED
from sfumato.render.latent import Settings
from sfumato.render.panel.measured import MOST_TIMES
from sfumato.render.panel.people_rules import PEOPLE_STATEMENT, PeopleRules
from sfumato.render.panel.persons import sample_people
from sfumato.render.panel_drawing import PanelDrawing
from sfumato.schema.domain import Domain
from sfumato.synopsis.panel import NEXT, STAYING, STEPS, PanelSynopsis
from sfumato.synopsis.tables import TWO_WAY, pairs_of

__all__ = ["people_plan"]

_CLEAR = 2**10  # as for records
_KEPT = (
    "Tables of one and two columns are kept, persons, the number of their rows and rows together, "
    "each person weighing the same; dependence among three and more columns only as far as these "
    "imply it."
)
_SOME = (
    "Tables of each column are kept, each person weighing the same, and tables of some pairs of "
    "columns that were chosen; dependence among others only as far as these imply it."
)
_ALONE = (
    "Tables of each column are kept, each person weighing the same. No table of two columns was "
    "measured: at this budget and number of persons it would be noise, and columns of a row are "
    "drawn as if they knew nothing of each other."
)
_FOLLOW = (
    "How the rows of a person follow each other is kept by tables of each column in a row and the "
    "next one, and in a row and one half of the person's rows away."
)
_TOGETHER = (
    "Whether two columns change together from a row to the next is kept only as far as their "
    "tables within rows imply it."
)
_LEFT_OUT = (
    "Rows without an id{} are left out and counted nowhere; where what a person has once varies, "
    "the first value by the order counts."
)
_ORPHANS = ", rows of persons in no row of the table of persons, and further rows of a key there"
_APART = (
    "How the rows of a person follow each other was not measured column by column: at this budget "
    "and number of persons such tables would be noise. How many columns stay the same from a row "
    "to the next was, and all columns are drawn as if they stayed equally often."
)


def people_plan(
    domain: Domain, budget: Budget, records: int | str | None, refused: Mapping[str, Any]
) -> Plan:
    """Fine tables and steps, then tables in bins; `refused`: options that are about rows."""
    for name, value in refused.items():
        if value is not None:
            raise ParameterError(
                f"{name} is about rows by themselves, and here a person is the unit: leave it out"
            )
    known = None if records is None else whole("records", records, 2**40, "about how many persons")
    what = PeopleSteps(domain, budget, known)
    if what.layout.cells > MOST_CELLS:
        raise SchemaError(
            f"the columns have more than {MOST_CELLS:,} bins together, too many where a person is "
            "the unit: release fewer columns"
        )
    for tables in what.bought.values():
        if tables is not None:
            tables.noise.check(_CLEAR * what.whole)
    public = what.neighbours == "replace-one"
    PeopleRules.of(what.flat)  # refuses constraints that no row keeps
    noise = what.division.noise
    settings = Settings(pull=10 * 4**noise, steps=round(600 - 300 * noise), lean=(1 - noise) / 2)

    def render(
        synopsis: PanelSynopsis, persons: int | None, rng: np.random.Generator
    ) -> PanelDrawing:
        return sample_people(synopsis, what.flat, what.deviations, settings, persons, rng)

    def again(persons: int) -> Plan:
        return people_plan(domain, budget, persons, refused)

    followed = what.bought[NEXT] is not None
    return Plan(
        method="mosaic",
        domain=domain,
        budget=budget,
        events=what.events,
        measure=what.measure,
        render=render,
        recount=lambda synopsis: _recount(what, synopsis),
        options={"records": known},
        sized=again if public else None,
        summed=len(what.columns),
        invariants=("the number of persons",) if public else (),
        doubt=people_doubt(what),
        limits=(
            _kept(what),
            _FOLLOW if followed else _APART,
            _TOGETHER,
            _LEFT_OUT.format(_ORPHANS if what.flat.people.linked else ""),
            *((PEOPLE_STATEMENT, CONDITIONED) if domain.schema.constraints else ()),
        ),
        people=True,
    )


def _kept(what: PeopleSteps) -> str:
    """Which tables there are."""
    if what.bought[TWO_WAY] is None:
        return _ALONE
    return _SOME if what.division.chosen else _KEPT


def _recount(what: PeopleSteps, synopsis: Mapping[str, Any]) -> tuple[Event, ...]:
    """The events, which no outcome changes; refused if the tables cannot be theirs."""
    found = PanelSynopsis.from_json(synopsis, what.flat)
    tables = found.tables
    chosen, every = tables.chosen, pairs_of(len(what.columns))
    pairs = (*what.fixed, *chosen) if chosen else every if what.bought[TWO_WAY] else ()
    two = what.varying if what.bought[NEXT] else ()
    stepped = what.flat.numbers if what.bought[STEPS] else ()
    runs = {j: what.columns[j].runs(what.run) for j in what.in_runs}
    choice = what.pair_choice(tables.partition)
    left = None if choice is None else choice.candidates()
    most = dict.fromkeys(range(len(what.columns)), what.division.bins)
    if what.flat.order is not None:
        most[what.flat.order] = MOST_TIMES
    if (
        found.whole != what.whole
        or any(
            not np.array_equal(column.fine.start, planned.start)
            for column, planned in zip(tables.partition.columns, what.columns, strict=True)
        )
        or any(
            column.bins > max(most[j] + what.flat.domain.axes[j].missing, 1)
            if is_wide(what.flat.domain.axes[j])
            else column.bins != column.fine.bins
            for j, column in enumerate(tables.partition.columns)
        )
        or list(tables.fine) != list(range(len(what.columns)))
        or {j: len(table) for j, table in tables.runs.items()} != runs
        or tables.one is not None
        or tuple(tables.pairs) != tuple(pairs)
        or len(chosen) != what.division.chosen
        or (left is not None and not all(left.take(pair) for pair in chosen))
        or tuple(found.next) != tuple(two)
        or tuple(found.other) != tuple(two)
        or tuple(found.steps) != tuple(stepped)
        or (found.staying is None) != (what.bought[STAYING] is None)
        or tables.rows != (what.persons if what.neighbours == "replace-one" else None)
        or type(tables.rows) not in (int, type(None))
        or json.dumps(found.to_json(), sort_keys=True) != json.dumps(synopsis, sort_keys=True)
    ):
        raise ReleaseError("the synopsis does not hold the tables that its plan calls for")
    return what.events
