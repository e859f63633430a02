"""What the page of the promise shows: from the fields, the schema and the ledger, and no record.

Sentences are there at once; tables of errors come when they are made (`forecasts`).
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache

from sfumato.errors import Refused
from sfumato.ledger.amount import covers
from sfumato.ledger.rules import priced
from sfumato.plan import Plan
from sfumato.privacy.guarantee import exact
from sfumato.publishing.forecast import Forecast
from sfumato.publishing.table import price
from sfumato.report.promise import one_in
from sfumato.report.promised import Promised
from sfumato.schema import Schema
from sfumato.studio.forecasts import Forecasts, Question
from sfumato.studio.grade import NOISE, Graded, graded
from sfumato.studio.misfit import UNCHECKED, hidden, options
from sfumato.studio.project import Project
from sfumato.studio.promising import Judged, Typed, judged
from sfumato.studio.said_promise import SaidPromise

__all__ = ["Funds", "Stated", "View", "funds", "stated", "view"]

_PERSONS = (
    "No forecast is made where a person is the unit, because how many rows each of them has is not "
    "looked up. How far off each figure may be stands in the report of the release."
)
_FEW_COLUMNS = 40  # for which errors under a failure chance are forecast unasked
_COMPARED = 3  # columns that are named in one sentence
_NAMED = re.compile(r"^want (['\"])(.*?)\1: ", re.S)
_MOST_DELTA = Fraction(1, 10**9)


@dataclass(frozen=True, slots=True)
class Funds:
    """What the ledger says of this data set: all of it is known to whoever opens the project."""

    granted: bool = False
    left: str = ""
    enough: bool | None = None  # None where nothing is to be charged yet
    fixed: str = ""  # the neighbours that releases before this one protect


@dataclass(frozen=True, slots=True)
class Stated:
    """A schema, and its text."""

    schema: Schema
    text: str


@dataclass(frozen=True, slots=True)
class View:
    """All that depends on what was typed."""

    typed: Typed
    judged: Judged
    said: str = ""  # the promise in odds
    promise: Promised | None = None
    funds: Funds = field(default_factory=Funds)
    lines: Sequence[Graded] = ()
    notes: Sequence[str] = ()
    refusal: str = ""  # of a forecast
    pending: bool = False
    doubt: str = ""
    hidden: str = ""  # what noise does to the check of what fits
    delta: str = ""  # that could be allowed, or is
    chance: str = ""  # the same in words
    compared: str = ""  # errors under it
    comparing: bool = False
    wish: str = ""  # which epsilon fulfils it
    wish_epsilon: str = ""
    wish_refusal: str = ""
    wish_pending: bool = False
    wish_tried: int = 0  # epsilons, while it is pending

    @property
    def noise_alone(self) -> bool:
        """Whether every column is mostly noise, and no doubt of the plan says so already."""
        words = {line.word for line in self.lines}
        return words == {NOISE} and not self.doubt


# Every move of a slider asks for it, and one of 200 columns takes a while to read.
@lru_cache(maxsize=8)
def stated(text: str, secret: bool | None = None) -> Stated:
    """The schema in a file; for a secret number of records, or a public one, where that is said."""
    schema = Schema.parse(text)
    wanted = {None: schema.neighbours, True: "add-remove", False: "replace-one"}[secret]
    if schema.neighbours != wanted:
        schema = Schema.of({**schema.to_json(), "neighbours": wanted})
    return Stated(schema, schema.to_yaml())


def funds(project: Project, name: str) -> Funds:
    """What is left, and what releases before this one protect."""
    with project.ledger() as ledger:
        if ledger is None or name not in ledger.datasets():
            return Funds()
        balance = ledger.balance(name)
        about = (balance.protects or "").rpartition("; ")[2]
        fixed = about if about in ("add-remove", "replace-one") else ""
        return Funds(True, balance.left.spelled(like=balance.granted), None, fixed)


def view(
    project: Project,
    name: str,
    declared: str,
    typed: Typed,
    forecasts: Forecasts,
    wait: float,
) -> View:
    """What comes of the fields, for a schema by its text, with a table in so many seconds."""
    found = funds(project, name)
    if found.fixed:
        typed = replace(typed, secret=found.fixed == "add-remove")
    names = list(stated(declared).schema.released)
    meant = judged(typed, names)
    person = stated(declared).schema.people is not None
    shown = View(typed, meant, funds=found, refusal=_PERSONS if person else "")
    if meant.epsilon is None or "delta" in meant.faults:
        return shown
    try:
        facts = stated(declared, typed.secret)
        plan = price(
            facts.schema,
            method=typed.method,
            epsilon=meant.epsilon,
            delta=meant.delta,
            **options(typed.misfit),
        )
    except Refused as refusal:
        return replace(shown, judged=meant.wrong(_field_of(refusal, meant), str(refusal)))
    shown = _promised(replace(shown, funds=_enough(project, name, plan, found)), plan)
    if meant.records is None or person:
        return shown
    shown = replace(shown, hidden=hidden(plan, meant.records))
    base = Question(
        facts.text,
        meant.records,
        typed.method,
        epsilon=meant.epsilon,
        delta=meant.delta,
        counted=typed.misfit != UNCHECKED,
    )
    shown = _wished(shown, base, forecasts)
    shown = _foreseen(shown, base, forecasts, wait)
    return _compared(shown, base, len(names), forecasts)  # once there is something to compare with


def _field_of(refusal: Refused, meant: Judged) -> str:
    """Beside which field it is said that no plan can be made."""
    said = str(refusal)
    if said.startswith(("epsilon", "the budget")):
        return "epsilon"
    return "delta" if meant.delta and said.startswith("delta") else "method"


def _enough(project: Project, name: str, plan: Plan, found: Funds) -> Funds:
    if not found.granted:
        return found
    with project.ledger() as ledger:
        if ledger is None:
            return found
        return replace(found, enough=covers(ledger.balance(name).left, priced(plan.guarantee)))


def _promised(shown: View, plan: Plan) -> View:
    found = SaidPromise.of(plan)
    return replace(shown, said=found.sentence, promise=found.figures)


def _foreseen(shown: View, base: Question, forecasts: Forecasts, wait: float) -> View:
    found = forecasts.answer(base, wait)
    if found is None:
        return replace(shown, pending=True)
    if isinstance(found, Refused):
        return replace(shown, refusal=str(found))
    said = {found.promise, found.doubt}
    notes = [note for note in found.notes if note not in said]
    return replace(shown, lines=graded(found), notes=notes, doubt=found.doubt or "")


def _compared(shown: View, base: Question, columns: int, forecasts: Forecasts) -> View:
    """What a failure chance would change; an allowed one stands in the table already."""
    delta = base.delta or _usual_delta(base.records)
    shown = replace(shown, delta=delta, chance=one_in(exact("delta", delta)))
    if base.delta is not None or columns > _FEW_COLUMNS:
        return shown
    pure = forecasts.answer(base)
    if not isinstance(pure, Forecast):  # a slider that is moved on leaves nothing else behind
        return shown
    other = forecasts.answer(replace(base, delta=delta))
    if isinstance(other, Forecast):
        return replace(shown, compared="; ".join(_pairs(pure, other)))
    return replace(shown, comparing=other is None)


def _usual_delta(records: int) -> str:
    """Far below one over the number of records."""
    delta = _MOST_DELTA
    while delta * records * 100 > 1:
        delta /= 10
    return f"{float(delta):.0e}".replace("e-0", "e-")


def _pairs(pure: Forecast, other: Forecast) -> list[str]:
    """The worst columns under both."""
    cells: Mapping[str, Graded] = {line.column: line for line in graded(other)}
    found = []
    for line in graded(pure)[:_COMPARED]:
        place = 2 if line.cells[2] else 0
        before, after = line.cells[place], cells[line.column].cells[place]
        what = "mean" if place else "counts"
        found.append(f"{line.column}, {what}: {after} in place of {before}")
    return found


def _wished(shown: View, base: Question, forecasts: Forecasts) -> View:
    if not shown.judged.want:
        return shown
    asked = replace(base, epsilon=None, want=shown.judged.want)
    found = forecasts.answer(asked)
    if isinstance(found, Refused):
        said = _NAMED.sub(r"What you want (\2): ", str(found))  # a command has it as an option
        return replace(shown, wish_refusal=said)
    if found is None:
        return replace(shown, wish_pending=True, wish_tried=forecasts.tried(asked))
    return replace(shown, wish=found.found, wish_epsilon=f"{float(found.epsilon):g}")
