"""The sheet of a data set: what an officer signs, and keeps elsewhere, in words and on one page.

It is the outside witness of the ledger: whoever has its head can tell a history that was changed
or rolled back.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from sfumato.errors import Refused
from sfumato.ledger import Ledger
from sfumato.privacy.budget import Charge
from sfumato.privacy.guarantee import ZCDP, ApproxDP, Guarantee, PureDP
from sfumato.report.promise import Gain, one_in, percent
from sfumato.schema.column import Estimated
from sfumato.schema.schema import Schema
from sfumato.studio.account import Account, account
from sfumato.studio.draft import Draft
from sfumato.studio.project import Project
from sfumato.studio.words import several

__all__ = ["Sheet", "as_promise", "promised", "sheet"]

_PRIOR = Fraction(1, 100)
_ROOM = 700  # characters of columns: what has more is counted
_LONGEST = 40  # of one name
_MOST_LISTED = 3  # other names


@dataclass(frozen=True)
class Sheet:
    """What stands on it, beside the account."""

    account: Account
    promise: tuple[str, ...]
    sources: tuple[tuple[str, str], ...]  # where it is known from, and the columns
    unlisted: int  # columns for which there was no room
    ledger: str
    head: str


def sheet(project: Project, ledger: Ledger, name: str) -> Sheet:
    """The sheet as things stand now."""
    found = account(ledger, name)
    sources, unlisted = _listed(_draft(project, name), project)
    return Sheet(
        account=found,
        promise=tuple(promised(found)),
        sources=sources,
        unlisted=unlisted,
        ledger=ledger.ledger_id,
        head=ledger.head,
    )


def promised(found: Account) -> Iterator[str]:
    """What the budget means for one person, in sentences."""
    unit, _, neighbours = (found.balance.protects or "").partition("; ")
    if found.balance.protects is None:
        yield "Nothing was charged so far: the first release fixes what is protected."
    else:
        yield f"Protected is {unit}, against whoever knows everything else ({neighbours})."
    steps = 2 if neighbours == "add-remove" else 1
    yield from _capped(found.balance.spent, steps, f"With what is spent so far ({found.spent})")
    yield from _capped(found.balance.granted, steps, f"With all that was granted ({found.granted})")
    if found.unproved:
        several_of_them = several(len(found.unproved), "release carries", "releases carry")
        yield f"{several_of_them} no promise: nothing here bounds what can be learnt from them."
    if found.others:
        names = ", ".join(short(name) for name in found.others[:_MOST_LISTED])
        yield f"The same data is also known as {names}: what was spent there adds to this."


def _capped(charge: Charge, steps: int, said: str) -> Iterator[str]:
    """What it means for a guess; nothing where no one figure says it."""
    promise = as_promise(charge)
    gain = None if promise is None else Gain.under(promise, steps=steps)
    if gain is not None and gain.capped:
        chance = f", except with a chance of {one_in(gain.failure)}" if gain.failure else ""
        yield (
            f"{said}, a guess about one that was 1 % likely beforehand is at most "
            f"{percent(gain.after(_PRIOR))} likely after everything was read{chance}."
        )


def as_promise(charge: Charge) -> Guarantee | None:
    """What was charged as one promise; None where two currencies do not add up to one."""
    epsilon, delta = Fraction(charge.micro_epsilon, 10**6), Fraction(charge.pico_delta, 10**12)
    if charge.micro_rho:
        return None if epsilon or delta else ZCDP(Fraction(charge.micro_rho, 10**6))
    if not epsilon:
        return None
    return ApproxDP(epsilon, delta) if delta else PureDP(epsilon)


def _draft(project: Project, name: str) -> Draft | None:
    return next((one for one in project.datasets if one.name == name and one.declared), None)


def _listed(draft: Draft | None, project: Project) -> tuple[tuple[tuple[str, str], ...], int]:
    """Columns by where their ranges and values are known from, as many as there is room for."""
    if draft is None:
        return (), 0
    try:
        schema = Schema.parse(project.schema_text(draft.slug))
    except (OSError, Refused, UnicodeDecodeError):
        return (), 0
    by_source: dict[str, list[str]] = defaultdict(list)
    for name, column in schema.released.items():
        if isinstance(column.provenance, Estimated):
            source = f"bought by release {column.provenance.release}"
        else:
            source = column.source or draft.source or "declared, without a source"
        by_source[source].append(short(name))
    room, found, left = _ROOM, [], 0
    for source, names in by_source.items():
        shown = []
        for one in names:
            room -= len(one) + 2
            if room > 0:
                shown.append(one)
        left += len(names) - len(shown)
        if shown:
            found.append((short(source, 2 * _LONGEST), ", ".join(shown)))
    return tuple(found), left


def short(text: str, most: int = _LONGEST) -> str:
    """A name that takes no more room than that.

    >>> short("a" * 50, 10)
    'aaaaaaaaa…'
    """
    return text if len(text) <= most else f"{text[: most - 1]}…"
