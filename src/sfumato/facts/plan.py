"""What an estimate buys at which price, from kinds, budget and the number of records alone.

Where both ranges and categories are blank, categories get `share` of ε.  The columns whose
ranges are bought share the rest evenly, a group of one meaning like a single column; where a step
is bought as well it gets a tenth of its column's part.

>>> from sfumato.privacy.guarantee import PureDP
>>> asked = PartialSchema.of({"name": "t", "columns": {"age": {"kind": "integer"}}})
>>> plan = planned(asked, PureDP("0.1"), records=10_000)
>>> [(event.statistic, event.noise) for event in plan.events]
[('range of age', Fraction(20, 1))]
"""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, sqrt
from typing import Any

import pyarrow as pa

from sfumato.errors import ParameterError
from sfumato.facts.selection import Round, rounds
from sfumato.facts.step import CALENDAR, Steps
from sfumato.facts.window import FEWEST, UNIT, Kind, Windows
from sfumato.plan.recipe import Priced, Recipe
from sfumato.plan.terms import ReleaseTerms
from sfumato.privacy.budget import Budget
from sfumato.privacy.choice import Choice
from sfumato.privacy.guarantee import ApproxDP, Number, PureDP, exact
from sfumato.schema.clear_range import said_numbers
from sfumato.schema.date_format import told_by
from sfumato.schema.formats import written
from sfumato.schema.partial import PartialSchema
from sfumato.schema.person import check_one_row_each
from sfumato.schema.written_number import written_in

__all__ = ["COLUMNS", "METHOD", "FactsPlan", "RangePlan", "check_units", "facts_terms", "planned"]

_NAME = "ranges"
_STEP_SHARE = Fraction(1, 10)
_DEFAULT_SHARE = "2/3"
_LARGEST_EPSILON = 100  # nothing is found any better beyond
_MOST_RECORDS = 2**40  # as scores have room for
COLUMNS = pa.schema([pa.field(n, pa.string(), nullable=False) for n in ("column", "fact", "value")])
_LIMITS = (
    "Ranges are chosen, not measured: a few records in a thousand may lie outside, and a range may "
    "be several times wider than the values. Years, coordinates and times in seconds come out "
    "wide: declare what is known of them.",
    "Values of categories that few records have are not found: they become other. Of delta, "
    "one half is what the noise costs and one half the chance that a value of one record is found.",
    "The promise is about one record. People with several records, or facts shared by many "
    "records, are protected less: the promise weakens in proportion to the records they touch.",
    "How long the computation took, and other side channels of the machine, are not covered.",
)


@dataclass(frozen=True)
class RangePlan:
    """One range: the columns that share it, its windows, and the draws that are paid for."""

    columns: tuple[str, ...]
    kind: Kind
    low: Any  # declared, or None
    high: Any
    step: Any
    windows: Windows
    draw: Choice
    step_draw: Choice | None
    words: tuple[Fraction, ...] = ()  # numbers or days that mean missing: in no range
    finest: str = "second"  # step of a date that its format tells

    @property
    def steps(self) -> Steps:
        """The grids of which one is chosen."""
        return Steps.calendar(self.finest) if self.kind == "date" else Steps.decimal()


@dataclass(frozen=True, kw_only=True)
class FactsPlan(Priced):
    """Which ranges and values are bought."""

    asked: PartialSchema
    records: int
    ranges: tuple[RangePlan, ...]
    rounds: tuple[Round, ...]

    def declared(self, name: str) -> Any:
        """A column, with how its values are written."""
        return _written(self.asked, name)


def _written(asked: PartialSchema, name: str) -> Any:
    return written(asked.template.released[name], asked.template.file)


def check_units(asked: PartialSchema) -> None:
    """Refuse persons with several rows: one of them moves a range as far as all their rows do."""
    people = asked.template.people
    check_one_row_each(people, "an estimate measures", "declare ranges and values")


def planned(
    asked: PartialSchema,
    budget: Budget | None,
    *,
    records: int,
    share: Number = _DEFAULT_SHARE,
) -> FactsPlan:
    """A plan for about so many records; refused by a public rule where they are too few."""
    check_units(asked)
    if not asked.bought:
        raise ParameterError(
            "nothing is blank: every range and every list of values is declared already"
        )
    if not 0 <= records <= _MOST_RECORDS:
        raise ParameterError(f"an estimate is planned for at most {_MOST_RECORDS:,} records")
    if not isinstance(budget, PureDP | ApproxDP):
        raise ParameterError("an estimate takes epsilon, and delta for categories; no rho")
    if budget.epsilon > _LARGEST_EPSILON:
        raise ParameterError(f"epsilon must be at most {_LARGEST_EPSILON} for an estimate")
    part = exact("share", share, below=1)
    neighbours = asked.template.neighbours
    for_values = Fraction(0)
    if asked.categories:
        if not isinstance(budget, ApproxDP):
            raise ParameterError(
                f"values of {_named(asked.categories)} cannot be found without delta: add "
                "--delta 1e-9 (well below one over the number of records), or declare the values"
            )
        for_values = budget.epsilon * (part if asked.ranges else 1)
    else:
        budget = PureDP(budget.epsilon)
    each = (budget.epsilon - for_values) / max(len(asked.ranges), 1)
    ranges = tuple(_range(asked, group, each, records) for group in asked.ranges)
    found: tuple[Round, ...] = ()
    if asked.categories and isinstance(budget, ApproxDP):
        bought = ApproxDP(for_values, budget.delta)
        found = rounds(bought, budget.epsilon, len(asked.categories), neighbours)
        _check_values(asked, found[-1], records)
    draws = [draw for one in ranges for draw in (one.draw, one.step_draw) if draw is not None]
    events = (*(draw.event for draw in draws), *(one.noise.event for one in found))
    both = bool(asked.ranges and asked.categories)
    return FactsPlan(
        method=_NAME,
        options={"share": str(part)} if both else {},
        budget=budget,
        events=events,
        asked=asked,
        records=records,
        ranges=ranges,
        rounds=found,
    )


def _range(
    asked: PartialSchema, group: tuple[str, ...], epsilon: Fraction, records: int
) -> RangePlan:
    kind: Any = asked.template.columns[group[0]].kind
    low, high, step = (asked.declared(group[0], fact) for fact in ("low", "high", "step"))
    windows = Windows(kind, anchored=low is not None or high is not None)
    stepped = kind != "integer" and step is None
    main = epsilon * (1 - _STEP_SHARE) if stepped else epsilon
    apart = Fraction(windows.apart(asked.template.neighbours))
    if main / apart * records < FEWEST:
        _refuse(group, FEWEST * apart / (main * max(records, 1)), records, asked)
    name = _named(group)
    draw = Choice(f"range of {name}", apart / 2, PureDP(main), UNIT)
    step_draw = None
    if stepped:
        step_draw = Choice(f"step of {name}", Fraction(1, 2), PureDP(epsilon - main), UNIT)
    columns = [_written(asked, name) for name in group]
    words = tuple(word for c in columns for word in _said(kind, c))
    forms = [c.format for c in columns if kind == "date" and c.format is not None]
    told = [told_by(form) or CALENDAR[0] for form in forms]
    finest = min((CALENDAR.index(one) for one in told), default=len(CALENDAR) - 1)
    return RangePlan(
        group, kind, low, high, step, windows, draw, step_draw, words, CALENDAR[finest]
    )


def _said(kind: str, column: Any) -> tuple[Fraction, ...]:
    """The words for missing that are numbers or moments, as the column writes those."""
    words = column.missing_words or ()
    if kind == "date":
        return said_numbers(kind, words, column.format)
    return said_numbers(kind, words, None, written_in(column))


def _refuse(group: tuple[str, ...], times: Fraction, records: int, asked: PartialSchema) -> None:
    """By a rule that is public: the number of records and what each column can spend."""
    several = len(asked.ranges)
    shared = f", shared by {several} ranges," if several > 1 else ""
    raise ParameterError(
        f"the range of {_named(group)} would be left to chance: {records:,} records at this "
        f"budget{shared} are too few. Take {_rounded(times)} times "
        "the epsilon, let columns of one meaning share a range (same_range_as), or declare ranges"
    )


def _rounded(times: Fraction) -> str:
    """One digit after the point, rounded up."""
    tenths = ceil(10 * times)
    if tenths > 10**7:
        return "more than a million"
    return f"{tenths // 10:,}" + (f".{tenths % 10}" if tenths % 10 else "")


def _check_values(asked: PartialSchema, last: Round, records: int) -> None:
    needed = float(last.records) * sqrt(len(asked.categories))
    if needed > records / 2:
        raise ParameterError(
            f"values of {_named(asked.categories)} would hardly be found: at this budget a value "
            f"needs about {ceil(needed):,} of {records:,} records. Raise epsilon, or declare values"
        )


def _named(columns: tuple[str, ...]) -> str:
    more = len(columns) - 1
    return columns[0] + (f" and {more} more" if more else "")


def facts_terms(plan: FactsPlan) -> ReleaseTerms:
    """The plan as ledger and certificate see it."""
    schema = plan.asked.template
    known = ("the number of records",) if schema.neighbours == "replace-one" else ()
    return plan.terms_for(
        {
            "dataset": schema.name,
            "unit": schema.unit,
            "neighbours": schema.neighbours,
            "estimate": {"asked": plan.asked.to_json(), "records": plan.records},
        },
        columns=COLUMNS,
        invariants=known,
        caveats=_LIMITS,
    )


@dataclass(frozen=True)
class FactsMethod(Recipe[PartialSchema, FactsPlan]):
    """A method that buys what a schema needs."""

    kind = "schemas"


METHOD = FactsMethod(
    name=_NAME,
    summary="Buys the ranges, steps and categories that nobody declared.",
    promise="epsilon, or (epsilon, delta) with categories; one record, all columns together",
    source="McSherry and Talwar 2007; Swanberg et al. 2023",
    proof="proofs/ranges.md",
    plan=planned,
    options={"share": "the part of epsilon for categories, beside ranges; 2/3 by default"},
    use="a table of which only the kinds of the columns are public",
    example="sfumato schema estimate clinic.csv --schema kinds.yaml --epsilon 1 -o clinic.yaml "
    "--folder release/",
)
