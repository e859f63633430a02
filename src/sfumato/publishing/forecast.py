"""How far off the figures of a release will be: from public facts alone, before a record is read.

A forecast carries the plan out on made-up records (`sfumato.publishing.rehearsal`) and asks of
them what `sfumato.accuracy` will say of the release.  Nothing is read, charged or published.
Where the noise of a figure is the same whatever the records are, so is the forecast; where bins
will be found from noisy counts, or values or the number of records are not known, it says "about".

>>> schema = {"name": "t", "columns": {
...     "age": {"kind": "integer", "low": 0, "high": 110}, "smoker": {"kind": "boolean"}}}
>>> found = forecast(schema, records=45_000, epsilon=1)
>>> print(found.line("smoker").told(found.records))
smoker: each of 2 counts within about ± 35 of 45,000 records (0.078 %)
>>> found.line("age").mean.told
'mean within ± 0.14 (0.13 % of its range)'
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from sfumato.accuracy.expected import Expected, expected
from sfumato.accuracy.published import published
from sfumato.errors import ParameterError, Refused, ReleaseError
from sfumato.methods import method as recipe
from sfumato.plan import Plan
from sfumato.privacy.guarantee import ApproxDP, Guarantee, Number, PureDP, to_json
from sfumato.publishing.forecast_line import ForecastLine, line_of
from sfumato.publishing.rehearsal import ABSENT, rehearsed
from sfumato.publishing.smallest import MOST_EPSILON, smallest
from sfumato.publishing.table import DEFAULT_METHOD, price
from sfumato.publishing.wish import parsed
from sfumato.release.certificate import BoughtFacts
from sfumato.report.precision import CONFIDENCE
from sfumato.report.promised import in_odds
from sfumato.schema import Schema
from sfumato.schema.domain import Domain
from sfumato.table.header import fewest_records
from sfumato.untrusted.fact_table import fact_table

__all__ = ["HEADINGS", "Forecast", "forecast", "foreseen", "wished"]

_ABOUT = (
    "About: depends a little on the records, by bins that are found from noisy counts, by how many "
    "values are missing, or by the noise on the number of records. Where values may be missing, "
    "5 % are taken to be: with half of them missing a mean is off by about twice as much."
)
HEADINGS = "column", "each count within", "of all", "mean within", "of its range"
_UNBINNED = "modips"
_MOST_RECORDS = 10**12  # sums of them stay within 64 bits


@dataclass(frozen=True)
class Forecast:
    """How far off each column will be, with 95 % confidence; worst first."""

    dataset: str
    method: str
    records: int
    neighbours: str
    guarantee: Guarantee
    lines: tuple[ForecastLine, ...]
    promise: str  # in odds
    doubt: str | None  # why the release is expected to be hardly better than guessing
    wishes: tuple[str, ...] = ()  # that epsilon was found for
    less: Fraction | None = None  # the next smaller epsilon, with which they are not fulfilled

    def line(self, column: str) -> ForecastLine:
        """What is said of one column."""
        found = next((line for line in self.lines if line.column == column), None)
        if found is None:
            known = ", ".join(line.column for line in self.lines)
            raise ParameterError(f"there is no released column {column!r}; there are: {known}")
        return found

    def only(self, columns: Sequence[str]) -> "Forecast":
        """The same of these columns alone."""
        kept = [self.line(column) for column in dict.fromkeys(columns)]
        return replace(self, lines=tuple(sorted(kept, key=lambda line: -line.off)))

    @property
    def title(self) -> str:
        """Of what it is."""
        return f"{self.dataset} by {self.method}: {self.records:,} records, {self.guarantee}"

    @property
    def notes(self) -> tuple[str, ...]:
        """What holds for all columns."""
        about = any(
            figure is not None and figure.about
            for line in self.lines
            for figure in (line.counts, line.mean)
        )
        told = [self.found, _ABOUT if about else "", self.promise, self.doubt or ""]
        return tuple(text for text in told if text)

    @property
    def found(self) -> str:
        """For which wishes which epsilon was found."""
        if not self.wishes:
            return ""
        least = ", the smallest that is tried," if self.less is None else ""
        below = "" if self.less is None else f"; ε = {float(self.less):g} is not"
        return (
            f"ε = {float(self.epsilon):g}{least} is enough for {' and '.join(self.wishes)}{below}."
        )

    @property
    def epsilon(self) -> Fraction:
        """Of the promise; refused where it has none of its own."""
        if not isinstance(self.guarantee, PureDP | ApproxDP):
            raise ParameterError(f"the promise is {self.guarantee}, which has no epsilon")
        return self.guarantee.epsilon

    def to_json(self) -> dict[str, Any]:
        """For programs."""
        return {
            "dataset": self.dataset,
            "method": self.method,
            "records": self.records,
            "neighbours": self.neighbours,
            "guarantee": to_json(self.guarantee),
            "confidence": float(CONFIDENCE),
            "columns": [line.to_json() for line in self.lines],
            "promise": self.promise,
            "doubt": self.doubt,
            "wishes": list(self.wishes),
            "not with epsilon": None if self.less is None else float(self.less),
        }

    def __str__(self) -> str:
        return "\n".join(
            [f"Forecast of {self.title}", *(line.told(self.records) for line in self.lines)]
        )

    def _repr_html_(self) -> str:
        rows = [(line.column, *line.cells) for line in self.lines]
        title = f"Forecast of {self.title}"
        return fact_table(title, rows, headings=HEADINGS, note=" ".join(self.notes))


def forecast(
    schema: Schema | Mapping[str, Any] | str | Path,
    *,
    records: int,
    method: str = DEFAULT_METHOD,
    epsilon: Number | None = None,
    delta: Number | None = None,
    rho: Number | None = None,
    want: str | Sequence[str] = (),
    most: Number | None = None,
    fit: bool = True,
    **options: Any,
) -> Forecast:
    """How far off each figure of a release will be: nothing is read, charged or published.

    `records` is how many there will be, or about how many; options are those of `publish`.  With
    `want`, such as "mean age within 1" or "counts within 1%", epsilon is found in place of being
    given, in three digits and up to `most` (100): it fulfils all wishes, the one below it does not.

    >>> schema = {"name": "t", "columns": {"smoker": {"kind": "boolean"}}}
    >>> found = forecast(schema, records=5_000, want="counts within 1%")
    >>> found.found
    'ε = 0.0836 is enough for counts within 1%; ε = 0.0835 is not.'
    """
    schema = Schema.read(schema) if isinstance(schema, str | Path) else Schema.of(schema)
    _check_records(records)
    if not want:
        if most is not None:
            raise ParameterError(
                "most says how far to look for epsilon: leave it out, or give want"
            )
        plan = price(
            schema, method=method, epsilon=epsilon, delta=delta, rho=rho, fit=fit, **options
        )
        return foreseen(plan, records)
    if epsilon is not None or rho is not None:
        given = "epsilon" if epsilon is not None else "rho"
        raise ParameterError(
            f"with wishes epsilon is found: leave out {given}, or the wishes (delta may stay)"
        )
    texts = [want] if isinstance(want, str) else want

    def at(tried: Fraction, columns: frozenset[str] | None) -> Forecast:
        plan = price(schema, method=method, epsilon=tried, delta=delta, fit=fit, **options)
        return foreseen(plan, records, columns)

    return wished(at, schema, records, texts, MOST_EPSILON if most is None else most)


def wished(
    at: Callable[[Fraction, frozenset[str] | None], Forecast],
    schema: Schema,
    records: int,
    want: Sequence[str],
    most: Number = MOST_EPSILON,
) -> Forecast:
    """The forecast at the smallest epsilon that fulfils these wishes, of those that `at` makes."""
    domain = Domain.of(schema)
    wishes = parsed(want, domain, records)
    found, less = smallest(at, wishes, most, unbinned=_unbinned(domain))
    return replace(found, wishes=tuple(wish.text for wish in wishes), less=less)


def _unbinned(domain: Domain) -> str | None:
    """A method that adds numbers up without bins, if it takes this schema."""
    try:
        recipe(_UNBINNED).check_facts(domain)
    except Refused:
        return None
    return _UNBINNED


def _check_records(records: Any) -> None:
    if isinstance(records, bool) or not isinstance(records, int):
        raise ParameterError(f"records must be a whole number, got {records!r}")
    if not 1 <= records <= _MOST_RECORDS:
        raise ParameterError(
            f"records must be from 1 to {_MOST_RECORDS:,}: say about how many there will be"
        )


def foreseen(plan: Plan, records: int, columns: frozenset[str] | None = None) -> Forecast:
    """The forecast of a plan; with `columns`, of these alone, which is quick."""
    schema, unsized = plan.domain.schema, plan
    if schema.people is not None:
        raise ParameterError(
            "no forecast is made where a person is the unit (person: in the schema), because how "
            "many rows persons have is known of none before they are read: leave out person: and "
            "rows_per_person: for one of rows"
        )
    if records < (least := fewest_records(schema, alone=plan.local)):  # as publish does
        raise ParameterError(
            f"records must be at least {least} where the number of records is public "
            f"({plan.method} publishes no fewer), got {records}: say how many there will be"
        )
    if plan.sized is not None and schema.neighbours == "replace-one":
        plan = plan.sized(records)
    found = [_expected(plan, records, columns, heaped=False)]
    if any(one.count is not None and not one.count.settled for one in found[0].values()):
        unsettled = frozenset(name for name, one in found[0].items() if not one.settled)
        found.append(_expected(plan, records, unsettled, heaped=True))
    axes = {axis.name: axis for axis in plan.domain.axes}
    lines = [
        line_of(axes[name], [one[name] for one in found if name in one], records)
        for name in found[0]
    ]
    lines.sort(key=lambda line: -line.off)
    terms = unsized.terms
    bought = (
        BoughtFacts.model_validate(terms.subject["bought"]) if "bought" in terms.subject else None
    )
    steps = 2 if schema.neighbours == "add-remove" else 1
    return Forecast(
        dataset=schema.name,
        method=plan.method,
        records=records,
        neighbours=schema.neighbours,
        guarantee=plan.guarantee,
        lines=tuple(lines),
        promise=in_odds(plan.guarantee, bought, steps),
        doubt=plan.doubt,
    )


def _expected(
    plan: Plan, records: int, columns: frozenset[str] | None, *, heaped: bool
) -> dict[str, Expected]:
    try:
        held = published(rehearsed(plan, records, heaped=heaped), columns)
    except ReleaseError as nothing:  # which names methods that have no forecast either
        raise ParameterError(
            f"{plan.method} publishes no counts or means, of which a forecast could be "
            "made: choose mosaic or modips for both"
        ) from nothing
    if not held.counts and not held.numbers:
        raise ParameterError(
            f"{plan.method} publishes second moments, of which no forecast is made: choose mosaic "
            "or modips for counts and means"
        )
    there = {a.name: records * (1 - ABSENT) for a in plan.domain.axes if a.missing}
    every = expected(held, there, records, CONFIDENCE, columns)
    return {one.column: one for one in every}
