"""What the ledger agrees to, and the words it refuses with: the rule, then the remedy."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from shlex import quote
from typing import Literal

from sfumato.errors import BudgetError, LedgerError, ParameterError
from sfumato.ledger.amount import NOTHING, covers, minus, missing
from sfumato.ledger.chain import LIMIT, Balance, LedgerLine, veiled
from sfumato.ledger.names import almost
from sfumato.ledger.table_part import DIVISIBLE, MOST_CELLS, TablePart
from sfumato.privacy.budget import Charge, charge
from sfumato.privacy.guarantee import (
    Guarantee,
    Seeded,
    from_json,
    to_json,
)

__all__ = [
    "Entry",
    "State",
    "affordable",
    "digest_text",
    "divisible",
    "entry_of",
    "goes_on",
    "inspectable",
    "line_text",
    "one_promise",
    "one_table",
    "part_id",
    "priced",
    "renamed",
    "require_state",
    "same_data",
    "same_request",
    "staged",
    "unknown",
]

State = Literal["reserved", "drawn", "released", "stopped", "refunded"]

_STATES: dict[str, State] = {
    "reserve": "reserved",
    "part": "reserved",
    "draw": "drawn",
    "settle": "released",
    "stop": "stopped",
    "refund": "refunded",
}
_NO_CONVERSION = (
    ". What was charged for one unit says nothing of another: a promise about rows is none about "
    "persons, unless the rows of each person were bounded when those releases were made. An "
    "account for the other unit, under another name, is for a privacy officer to decide: what was "
    "published before is not counted there (sfumato ledger show lists it)"
)
TOO_MUCH = "epsilon, delta and rho must stay below 2^62 ledger units (epsilon about 4.6e12)"


@dataclass(frozen=True, slots=True)
class Entry:
    """One release in the ledger: what it was charged and how far it came."""

    release: str
    dataset: str
    state: State
    guarantee: Guarantee
    charge: Charge  # of one that stopped: what was left of it
    plan: str
    digest: str | None
    sequence: int
    part: int | None = None  # which part of a series it is, if it is one
    table_part: TablePart | None = None  # the records it reads, if not all of the table
    first: Guarantee | None = None  # what it buys before it decides whether to go on, if it does
    rest: Charge | None = None  # what it gives back if it stops there


def entry_of(steps: list[LedgerLine]) -> Entry:
    """The entry that the steps of one release amount to."""
    first, last = steps[0], steps[-1]
    try:
        asked, ended = json.loads(first.detail), json.loads(last.detail)
        stage = from_json(asked["first"]) if "first" in asked else None
        rest = None if stage is None else _rest(first.amount, charge(stage))
        stopped = last.kind == "stop" and rest is not None
        return Entry(
            release=str(first.release),
            dataset=first.dataset,
            state=_STATES[last.kind],
            guarantee=from_json(asked["guarantee"]),
            charge=minus(first.amount, rest) if rest and stopped else first.amount,
            plan=asked["plan"],
            digest=ended["digest"] if last.kind == "settle" else None,
            sequence=first.sequence,
            part=asked["part"] if first.kind == "part" else None,
            table_part=TablePart.of(asked["table part"]) if "table part" in asked else None,
            first=stage,
            rest=rest,
        )
    except (KeyError, TypeError, ValueError) as error:
        raise LedgerError("the ledger is damaged: an entry cannot be read") from error


def _rest(whole: Charge, first: Charge) -> Charge:
    if not covers(whole, first):
        raise ValueError("a first step that costs more than all of it")
    return minus(whole, first)


def line_text(**texts: str) -> None:
    """Names and reasons are one printable line: they are shown in tables and in commands."""
    for name, text in texts.items():
        fits = isinstance(text, str) and 0 < len(text) <= 500 and text.isprintable()
        if not fits or text != text.strip():
            rule = "one printable line of 1 to 500 characters without blanks at its ends"
            raise ParameterError(f"{name} must be {rule}")
        if name == "reason" and not any(map(str.isalnum, text)):  # an example, left as it was
            raise ParameterError("reason must say in words who decided and when: the ledger keeps "
                                 "it, and an officer reads it")  # fmt: skip


def digest_text(**texts: str) -> None:
    """Plans and results are known by their digest, so that no content enters the ledger."""
    for name, text in texts.items():
        if not (isinstance(text, str) and re.fullmatch("[0-9a-f]{8,128}", text)):
            raise ParameterError(f"{name} must be a digest of 8 to 128 lower-case hex digits")


def priced(guarantee: Guarantee) -> Charge:
    """The units of a charge, rounded up."""
    if isinstance(guarantee, Seeded):
        raise BudgetError(
            "a seeded test run is not a release: drop the seed to publish, or leave the ledger out"
        )
    amount = charge(guarantee)
    if not covers(Charge(LIMIT - 1, LIMIT - 1, LIMIT - 1), amount):
        raise ParameterError(TOO_MUCH)
    try:
        to_json(guarantee)
    except ValueError:  # Python refuses to print integers of more than 4300 digits
        raise ParameterError("epsilon, delta and rho must have fewer than 4300 digits") from None
    return amount


def staged(first: Guarantee, asked: Charge) -> None:
    """Refuse a first step that would cost more than the whole release."""
    if not covers(asked, priced(first)):
        raise ParameterError("the first step of a release must cost no more than all of it")


def part_id(series: str, number: int) -> str:
    """The release id of a later part of a series, which was charged when the series began.

    >>> part_id("visits-1", 2)
    'visits-1+2'
    """
    return f"{series}+{number}"


def same_data(dataset: str, near: Callable[[str], set[str]]) -> set[str]:
    """The data set and all that decisions joined to it, also by way of others.

    >>> sorted(same_data("a", lambda name: {"a": {"b"}, "b": {"a", "c"}}.get(name, set())))
    ['a', 'b', 'c']
    """
    found, left = {dataset}, [dataset]
    while left:
        fresh = near(left.pop()) - found
        found |= fresh
        left += sorted(fresh)
    return found


def one_promise(dataset: str, balances: Mapping[str, Balance], protects: str) -> None:
    """Refuse a charge about another unit or other neighbours than those before it.

    `balances` are those of this data set and of all that are the same data.
    """
    for name, balance in balances.items():
        if balance.protects is None and balance.releases > balance.unproved:
            remedy = f"sfumato ledger protects {quote(name)} {quote(protects)} --reason …"
            raise BudgetError(
                f"data set {name!r} was charged by an older Sfumato, which did not record what "
                f"its releases protect: if all of them protect {protects!r}, record that with "
                f"`{remedy}`"
            )
        if balance.protects not in (None, protects):
            units = {promise.rpartition("; ")[0] for promise in (balance.protects, protects)}
            whose = "" if name == dataset else f" of {name!r}, which is the same data,"
            raise BudgetError(
                f"data set {dataset!r}: the budget{whose} protects {balance.protects!r}, this "
                f"release protects {protects!r}, and one budget cannot cover both: publish with "
                f"the same unit and neighbours{_NO_CONVERSION if len(units) > 1 else ''}"
            )


def divisible(part: TablePart, promised: str | None, balance: Balance, asked: Charge) -> None:
    """Refuse a part where records outside of it could bear something as well."""
    line_text(part=part.name)
    digest_text(frame=part.frame)
    if not part.sound:
        raise ParameterError("the codes of a part must be ascending runs with gaps between them")
    if promised is None:
        raise ParameterError(
            f"part {part.name}: a release that promises nothing costs nothing, so none of its "
            "parts is charged: choose a method with a proof, or release the whole table"
        )
    if promised != DIVISIBLE:
        raise ParameterError(
            f"part {part.name}: parts of a table are charged apart only where a release protects "
            f"{DIVISIBLE!r}: declare neighbours: add-remove, or release the whole table"
        )
    if balance.parts.charged(part, asked).size > MOST_CELLS:
        raise BudgetError(
            f"part {part.name}: an account keeps at most {MOST_CELLS:,} parts apart: choose parts "
            "that were released before, or release the whole table"
        )


def one_table(entry: Entry, balance: Balance, fingerprint: str | None, veil: str | None) -> None:
    """Refuse to draw parts of two tables as if they were of one."""
    part = entry.table_part
    if part is None:
        return
    if fingerprint is None:
        raise ParameterError("the draw of a part of a table needs the fingerprint of the table")
    mark = fingerprint if veil is None else veiled(veil, fingerprint)
    if balance.parts.table(part) not in (None, mark, fingerprint):
        raise BudgetError(
            f"part {part.name}: other parts of {entry.dataset!r} were drawn from a table with "
            "other records, and only parts of one table cost their maximum: publish from that "
            "table, or this one under a name of its own"
        )


def affordable(
    release: str,
    dataset: str,
    balance: Balance,
    asked: Charge,
    part: TablePart | None = None,
) -> None:
    """Refuse a charge that the balance does not cover.  Only a heuristic costs nothing."""
    left, where = balance.left_for(part), "" if part is None else f" for {part.name}"
    remedy = f"sfumato ledger grant {quote(dataset)}"
    if asked == NOTHING and not balance.heuristic:
        raise BudgetError(
            f"release {release!r} carries no guarantee, and data set {dataset!r} does not allow"
            f" such releases: choose a method with a guarantee",
            "record the decision",
            f"{remedy} --heuristic --reason …",
        )
    if not covers(left, asked):
        enough = covers(Charge(left.micro_epsilon, asked.pico_delta, left.micro_rho), asked)
        ask = "leave out delta, for noise that needs none" if enough else "ask for less"
        raise BudgetError(
            f"data set {dataset!r} has {left.spelled(like=asked)} left{where}, release"
            f" {release!r} asks for {asked}: {ask}",
            "grant more",
            f"{remedy} {_options(left, asked)} --reason …",
        )


def _options(left: Charge, asked: Charge) -> str:
    """The smallest grant that makes up the difference, as the command takes it."""
    return " ".join(f"--{part}" for part in str(missing(left, asked)).split(", "))


def same_request(
    found: Entry,
    dataset: str,
    guarantee: Guarantee,
    plan: str,
    table_part: TablePart | None = None,
) -> Entry:
    """The entry, if it answers exactly this request."""
    asked = (dataset, guarantee, plan, table_part)
    if (found.dataset, found.guarantee, found.plan, found.table_part) != asked:
        raise LedgerError(
            f"release {found.release!r} is already in the ledger with another data set, guarantee,"
            " plan or part: choose another release id"
        )
    return found


def require_state(entry: Entry | None, release: str, step: str) -> Entry:
    """The entry, if this step may follow."""
    if entry is None:
        raise LedgerError(f"release {release!r} is not in the ledger: reserve it first")
    if step == "refund" and entry.part is not None:
        raise LedgerError(f"cannot refund {release!r}: as a part of a series it cost nothing")
    if step == "stop" and entry.first is None:
        raise LedgerError(f"cannot stop release {release!r}: it was not reserved in two steps")
    needed = "drawn" if step in ("settle", "stop", "go on with") else "reserved"
    if entry.state == needed:
        return entry
    reason = {
        "reserved": "has not drawn any noise yet",
        "drawn": "has drawn its noise, which is spent for good: publish under a new release id",
        "released": "is published and settled: it keeps its charge and its digest",
        "stopped": "stopped because the records do not fit its schema: publish under a new id",
        "refunded": "was refunded: publish under a new release id",
    }[entry.state]
    raise LedgerError(f"cannot {step} release {release!r}: it {reason}")


def goes_on(begun: Entry | None, series: str, part: int, parts: int) -> Entry:
    """The entry of a series, if this part of it comes next."""
    if begun is None or begun.state not in ("drawn", "released"):
        raise LedgerError(
            f"release {series!r} was not started in this ledger: resume it with the ledger "
            "it was charged to"
        )
    if isinstance(part, bool) or not isinstance(part, int) or part < 1:
        raise ParameterError("part must be a whole number from 1")
    if part > parts + 1:
        raise LedgerError(
            f"part {part} of {series!r} cannot follow: part {parts + 1} is missing in this ledger"
        )
    return begun


def inspectable(entry: Entry | None, release: str, dataset: str) -> None:
    """Refuse to count an inspection under a release that the ledger does not hold as published."""
    if entry is None or entry.dataset != dataset:
        raise LedgerError(f"release {release!r} of data set {dataset!r} is not in this ledger")
    if entry.state != "released":
        remedy = f"publish again with --release {quote(release)} to settle it"
        raise LedgerError(
            f"release {release!r} is {entry.state}, not published: if its folder is there, {remedy}"
        )


def unknown(dataset: str, known: Sequence[str]) -> BudgetError:
    """The data set has no account; another has, whose name it may be with a slip."""
    meant = almost(dataset, known)
    other = "" if meant is None else f"; did you mean {meant!r}, which has one? If not"
    remedy = f"sfumato ledger grant {quote(dataset)} --epsilon … --reason …"
    return BudgetError(
        f"data set {dataset!r} has no budget in this ledger{other}: grant it with `{remedy}`"
    )


def renamed(name: str, dataset: str) -> BudgetError:
    """The data was drawn from before, under another name."""
    remedy = f"sfumato ledger same-data {quote(name)} {quote(dataset)} --reason …"
    return BudgetError(
        f"this data is already known as {name!r}: publish it under that name, or record that"
        f" {dataset!r} is the same data, whose budgets then add up, with `{remedy}`"
    )
