"""fit under audit: the counts that a release begins with, whether it stops there, and all of it.

Tables that differ by one record of every kind: that fits, that does not in one column or in
several, with values that are missing or cannot be read.  What the counts hide must be within their
own price, for a release that stops keeps no more than that in the ledger; and counts and method
together must be within the budget.  Where a person is the unit, tables differ by all rows of one.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any, Literal

import pyarrow as pa

from sfumato.errors import MisfitError
from sfumato.inspection.audit.coupled import Checked, Family, checked, public, stated
from sfumato.inspection.audit.sampled import Effort, Measure, Sampled, sampled
from sfumato.measure.fit import FitCounts
from sfumato.measure.people_fit import PeopleFitCounts
from sfumato.plan.fit import Counts, PlannedFit
from sfumato.privacy.budget import Budget
from sfumato.privacy.guarantee import ZCDP, ApproxDP, PureDP
from sfumato.privacy.mechanism import Purse
from sfumato.privacy.randomness import SeededBits
from sfumato.publishing.doubt import unheard
from sfumato.publishing.fit import counted_fit
from sfumato.publishing.table import price, publish_plan
from sfumato.schema import Schema
from sfumato.schema.domain import Domain
from sfumato.table.people.layout import PeopleLayout
from sfumato.table.people.people import People
from sfumato.table.records import Records
from sfumato.table.source import open_source

__all__ = ["check_fit", "sample_fit"]

Neighbours = Literal["replace-one", "add-remove"]
Record = tuple[str | None, str | None]
_RELATIONS: tuple[Neighbours, ...] = ("replace-one", "add-remove")
_COLUMNS = {
    "age": {"kind": "integer", "low": 0, "high": 2},
    "ward": {"kind": "category", "values": ["a", "b"]},
}
_RECORDS: tuple[Record, ...] = (
    ("1", "a"),
    ("9", "b"),
    ("-1", "c"),
    ("old", None),
    (None, "b"),
    ("2", "c"),
    ("0", ""),
)
_PERSONS: tuple[tuple[Record, ...], ...] = (
    _RECORDS[:1],
    _RECORDS[2:3],
    _RECORDS[5:6],
    (_RECORDS[0], _RECORDS[2]),
    _RECORDS[1:4],
    (_RECORDS[3],) * 5,
)
_MOST = 3  # rows of a person
_HALF = Fraction(1, 2)


def _domain(neighbours: Neighbours) -> Domain:
    facts = {"name": "audit", "neighbours": neighbours, "columns": _COLUMNS}
    return Domain.of(Schema.of(facts))


def check_fit(budget: Budget) -> Iterator[Checked]:
    """Frozen checks of the counts, of stops, and of a release with its counts."""
    for neighbours in _RELATIONS:
        yield _counts(budget, neighbours)
        yield _persons(budget, neighbours)
        yield _release(budget, neighbours)


def _counts(budget: Budget, neighbours: Neighbours) -> Checked:
    """The counts alone, which are all that a stopped release has bought."""
    planned = _planned(budget, neighbours)

    def publish(table: pa.Table) -> Any:
        records = Records(open_source(table), planned.counts.domain)
        try:
            return counted_fit(planned, records, Purse(planned.counts.budget, SeededBits(0)))
        except MisfitError as stopped:
            return str(stopped)

    return checked(
        f"counts, {neighbours}", planned.counts.budget, publish, _families(neighbours, 12)
    )


def _persons(budget: Budget, neighbours: Neighbours) -> Checked:
    """The same of persons, each with all of their rows."""
    facts = {"person": "id", "rows_per_person": _MOST, "neighbours": neighbours}
    columns = {"id": {"kind": "id"}, **_COLUMNS}
    domain = Domain.of(Schema.of({"name": "audit", "columns": columns, **facts}))
    planned = _first(PeopleFitCounts(domain, _price(budget)), budget)
    layout = PeopleLayout(ids=("id",), constants=(), rows=tuple(_COLUMNS), most=_MOST)

    def publish(table: pa.Table) -> Any:
        people = People(open_source(table), domain, layout, key=b"audit", complaints=True)
        try:
            return counted_fit(planned, people, Purse(planned.counts.budget, SeededBits(0)))
        except MisfitError as stopped:
            return str(stopped)

    families = _families_of_persons(neighbours)
    return checked(f"counts of persons, {neighbours}", planned.counts.budget, publish, families)


def _families_of_persons(neighbours: Neighbours) -> Iterator[Family]:
    for text, persons in (
        ("persons who fit", [_PERSONS[0]] * 4),
        ("some of each kind", [*_PERSONS]),
        ("a person who does not fit", [_PERSONS[4]]),
    ):
        kept = persons if neighbours == "add-remove" else persons[1:]
        others = [(f"person with {new}", _table_of_persons([*kept, new])) for new in _PERSONS]
        yield Family(text, _table_of_persons(persons), others)


def _table_of_persons(persons: Sequence[Sequence[Record]]) -> pa.Table:
    ids = [str(who) for who, rows in enumerate(persons) for _ in rows]
    table = _table([row for rows in persons for row in rows])
    return table.append_column("id", pa.array(ids, pa.string()))


def _planned(budget: Budget, neighbours: Neighbours) -> PlannedFit:
    return _first(FitCounts(_domain(neighbours), _price(budget)), budget)


def _first(counts: Counts, budget: Budget) -> PlannedFit:
    return PlannedFit(counts, budget, _HALF, _HALF)


def _price(budget: Budget) -> PureDP | ZCDP:
    return PureDP(budget.epsilon) if isinstance(budget, ApproxDP) else budget


def _release(budget: Budget, neighbours: Neighbours) -> Checked:
    plan = price(_domain(neighbours).schema, method="modips", misfit=1, **stated(budget))

    def publish(table: pa.Table) -> Any:
        return public(publish_plan(plan, table, seed=0, release="audit", on_doubt=unheard))

    return checked(f"release, {neighbours}", budget, publish, _families(neighbours, 1))


def _families(neighbours: Neighbours, times: int) -> Iterator[Family]:
    """Around tables that fit, that hold some of each kind, and that do not fit at all."""
    for text, records in (
        ("fitting records", [_RECORDS[0]] * times),
        ("some of each kind", [*_RECORDS]),
        ("records that do not fit", [_RECORDS[2]] * times),
    ):
        if neighbours == "add-remove":
            others = [(f"with {new}", _table([*records, new])) for new in _RECORDS]
        else:
            others = [(f"{new} for one", _table([new, *records[1:]])) for new in _RECORDS]
        yield Family(text, _table(records), others)


def _table(records: Sequence[Record]) -> pa.Table:
    age, ward = ([record[k] for record in records] for k in (0, 1))
    return pa.table({"age": pa.array(age, pa.string()), "ward": pa.array(ward, pa.string())})


def sample_fit(budget: PureDP | ZCDP, effort: Effort) -> Sampled:
    """Real noise on the counts of two tables, one of which has a record that does not fit."""

    def measure(planned: Budget) -> Measure:
        counts = _planned(planned, "replace-one").counts

        def run(table: pa.Table, purse: Purse) -> None:
            counts.perturb(Records(open_source(table), counts.domain), purse)

        return run

    right, wrong = (_table([_RECORDS[0], last]) for last in (_RECORDS[0], _RECORDS[2]))
    return sampled("a record that does not fit", budget, measure, (right, wrong), effort)
