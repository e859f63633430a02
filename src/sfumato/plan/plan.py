"""A plan: what will be measured, at which price, and how the release is made from it.

A plan is built from the schema and the budget alone, so it can be priced, shown and
reserved before a record is read.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np
import pyarrow as pa

from sfumato.errors import ParameterError
from sfumato.plan.bought import bought_before
from sfumato.plan.case import AuditCase
from sfumato.plan.recipe import Priced, Recipe
from sfumato.plan.registry import registered
from sfumato.plan.terms import FitTerms, ReleaseTerms
from sfumato.privacy.budget import Budget
from sfumato.privacy.guarantee import Guarantee
from sfumato.privacy.mechanism import Event, Purse
from sfumato.schema.arrow import arrow_schema, arrow_tables
from sfumato.schema.domain import Domain
from sfumato.schema.person import PERSON, RECORD, check_one_row_each
from sfumato.table.records import Records
from sfumato.table.statistic import Statistic

if TYPE_CHECKING:
    from sfumato.plan.fit import PlannedFit
    from sfumato.plan.part import DeclaredPart

__all__ = ["GIVEN", "PARTITION", "PERSON", "RECORD", "Declared", "Method", "Plan", "Synopsis"]

_OF_RECORDS = (
    "The promise is about one record. People with several records, or facts shared by many "
    "records, are protected less: the promise weakens in proportion to the records they touch.",
)
_OF_PERSONS = (
    "The promise covers all rows of one person together. At most {0.rows} rows of a person are "
    "used.",
    "A person is whoever has one value of {0.person}: somebody with several of them, or facts that "
    "several persons share, as in a household, are protected less: the promise weakens in "
    "proportion to the persons they touch.",
)
_LIMITS = (
    "What can be learnt about a person from the population at large is not hidden.",
    "How long the computation took, and other side channels of the machine, are not covered.",
)
_ONLY = (
    "Only records with {} were used: the release is about them. The promise covers every record "
    "of the table; those outside of this part had no influence on the release."
)
GIVEN = "given"  # stands in a certificate for what the owner gave and does not publish


class Synopsis(Protocol):
    """Noisy values that may be published as they are."""

    def to_json(self) -> dict[str, Any]:
        """What `synopsis.json` holds."""


class Declared(Protocol):
    """Data that the owner declares public, which must not be the records themselves."""

    @property
    def release(self) -> str | None:
        """The release by which it was bought, if it was: then some ledger has it."""

    @property
    def digest(self) -> str | None:
        """What that ledger knows it by."""

    def differ_from(self, data: Any) -> None:
        """Refuse what is the same by its name; no record is read."""

    def are_not(self, records: Records) -> None:
        """Refuse what was taken from these records; asked before any noise is drawn."""


_ORDER = "the order of the records"  # as methods say that have a row for each
PARTITION = "the partition of each record"


@dataclass(frozen=True, kw_only=True)
class Plan(Priced):
    """A priced recipe; `measure` sees records, `render` never does."""

    domain: Domain
    # From `Records`; from `sfumato.table.people.people.People` where a person is the unit.
    measure: Callable[[Any, Purse], Any] = field(repr=False)
    # In `table_schema`, or with texts as dictionaries; what is drawn is a `render.drawing.Drawing`,
    # of persons a `render.panel_drawing.PanelDrawing`: of so many rows, or persons, or of as many
    # as there are.
    render: Callable[[Any, int | None, np.random.Generator], Iterable[Any]] = field(repr=False)
    # NOT PRIVATE: what `measure` folds before it has bought anything; the very statistics, so that
    # they are counted in the same pass as what comes before it.
    first: tuple[Statistic[Any], ...] = field(default=(), repr=False)
    # The events again, from the published synopsis, where they depend on what was released.
    recount: Callable[[Mapping[str, Any]], tuple[Event, ...]] | None = field(
        default=None, repr=False
    )
    # The plan again for a number of records, where that is public and the shares depend on it.
    sized: Callable[[int], "Plan"] | None = field(default=None, repr=False)
    # What a row of the release is; only drawn records can be asked for in another number.
    row: Literal["drawn record", "record", "component"] = "drawn record"
    # How many noisy counts add up to the number of rows, where it is private: at most so many.
    summed: int = 1
    # How many statistics, all of them sums over the records, are bought without looking at an
    # answer: in each of several rounds.  Empty where what is bought is no such sum.
    rounds: tuple[int, ...] = ()
    # How many entries each of these statistics has at most, where an earlier round decides that.
    longest: tuple[int, ...] = ()
    # Columns of the released table where they are not those of the schema.
    columns: pa.Schema | None = None
    public: Declared | None = field(default=None, repr=False)
    # What is said among the limits of a public basis, by the costs and the budget of the release.
    told: Callable[[Iterable[Guarantee], Budget], str] | None = field(default=None, repr=False)
    invariants: tuple[str, ...] = ()
    part: "DeclaredPart | None" = None  # the records that are used, where not all of them are
    # The counts that the release begins with; `measure` buys what comes after them.
    fit: "PlannedFit | None" = field(default=None, repr=False)
    # Whether what is measured moves with one person no more than is paid for, all rows together.
    people: bool = False

    def __post_init__(self) -> None:
        # Ledger and certificate take the unit from the schema: it must be the one that is paid for.
        if not self.people:
            check_one_row_each(self.domain.schema.people, f"{self.method} measures")

    @property
    def table_schema(self) -> pa.Schema:
        """Names and types of what is released of each row, a public fact; keys are in `tables`."""
        return self.columns or arrow_schema(self.domain)

    @property
    def tables(self) -> dict[str, pa.Schema]:
        """Names and types of each released table, by its name: persons may have their own."""
        return arrow_tables(self.domain) if self.columns is None else {"data": self.columns}

    @property
    def in_order(self) -> bool:
        """Whether the order of the records shows."""
        return _ORDER in self.invariants

    def on_cluster(self) -> "Plan":
        """The plan of records that lie in partitions: where their order shows, so do these."""
        shown = (*self.invariants, PARTITION)
        return replace(self, invariants=shown) if self.in_order else self

    def table_of(self, batches: Iterable[pa.RecordBatch]) -> pa.Table:
        """What was rendered, as one table in the types of the release."""
        schema = self.table_schema
        return pa.Table.from_batches([batch.cast(schema) for batch in batches], schema)

    @property
    def measured(self) -> tuple[Event, ...]:
        """What the method itself buys."""
        return self.events if self.fit is None else self.events[1:]

    @property
    def terms(self) -> ReleaseTerms:
        """The plan as ledger and certificate see it."""
        schema = self.domain.schema
        subject: dict[str, Any] = {
            "dataset": schema.name,
            "unit": schema.unit,
            "neighbours": schema.neighbours,
            "schema": schema.to_json(),
        }
        part, paid = self.part, bought_before(schema, self.guarantee)
        subject |= paid.fields
        of_unit = _OF_RECORDS if schema.people is None else _OF_PERSONS
        caveats = [*paid.lines, *(line.format(schema.people) for line in of_unit), *_LIMITS]
        if part is not None:
            subject["part"] = part.facts
            caveats.insert(0, _ONLY.format(part))
        terms = self.terms_for(
            subject, columns=self.columns, invariants=self.invariants, caveats=tuple(caveats)
        )
        fit = None if self.fit is None else FitTerms(self.fit.event.cost, self.fit.facts)
        return replace(terms, part=None if part is None else part.charged, fit=fit)


@dataclass(frozen=True)
class Method(Recipe[Domain, Plan]):
    """A method for tables."""

    kind = "tables"

    files: tuple[str, ...] = ()  # options that may name a file, which a certificate never does
    keeps_constraints: bool = False  # whether what is declared between columns holds in a release
    people: bool = False  # whether it protects a person with all of their rows, where a schema asks
    audit: AuditCase | None = field(default=None, repr=False)  # wherever a budget has a meaning

    def check_facts(self, public: Domain) -> None:
        """Refuse persons and constraints that a release would not do justice to."""
        if not self.people:
            able = [name for name, one in registered("tables").items() if one.people]
            instead = f"choose {' or '.join(able)}" if able else ""
            check_one_row_each(public.schema.people, f"{self.name} measures", instead)
        if public.schema.constraints and not self.keeps_constraints:
            raise ParameterError(
                f"{self.name} does not keep the constraints of the schema: "
                "choose the method mosaic, which does, or take them out of the schema"
            )
