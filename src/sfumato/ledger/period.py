"""Budgets for a period: what is left when it ends lapses, on the record, before the next begins.

Days are those of UTC.  A period bounds what is spent in it, and is a rule of the house: what was
spent in earlier periods has been spent on the same people, and their losses add up over all.
A clock that is set back never brings an ended period back, because no line is older than the last.

>>> until_day("2026-12-31"), ended("2026-12-31", 1_798_761_599), ended("2026-12-31", 1_798_761_600)
('2026-12-31', False, True)
"""

import json
import re
from datetime import date
from shlex import quote

from sfumato.errors import BudgetError, LedgerError, ParameterError
from sfumato.ledger.amount import NOTHING, minus
from sfumato.ledger.backend import Connection
from sfumato.ledger.chain import LedgerLine
from sfumato.ledger.sql import append, balance_of, last_grant, last_lapse, last_line

__all__ = [
    "charged_before",
    "end_period",
    "ended",
    "lapse_again",
    "period_of",
    "running",
    "time_in",
    "until_day",
    "until_in",
]

_DAY, _EPOCH = 86_400, date(1970, 1, 1).toordinal()


def until_day(until: str | date | None) -> str | None:
    """The last day of a period, as it is recorded; None for a budget without one."""
    if until is None:
        return None
    try:
        if isinstance(until, date):
            return date(until.year, until.month, until.day).isoformat()
        if re.fullmatch("[0-9]{4}-[0-9]{2}-[0-9]{2}", until):
            return date.fromisoformat(until).isoformat()
    except (TypeError, ValueError):
        pass
    raise ParameterError("until must be the last day of the period, as in 2026-12-31")


def period_of(connection: Connection, dataset: str) -> str | None:
    """The last day of the period that the newest grant is for, if it is for one."""
    return until_in(last_grant(connection, dataset))


def until_in(grant: LedgerLine | None) -> str | None:
    """The last day that a grant says it is for."""
    try:
        return until_day(None if grant is None else json.loads(grant.detail).get("until"))
    except (AttributeError, RecursionError, ValueError) as error:
        raise LedgerError("the ledger is damaged: a grant is until no day") from error


def ended(until: str | None, clock: int) -> bool:
    """Whether the period is over at this time, which may lie far beyond all calendars."""
    if until is None:
        return False
    return clock >= _DAY * (date.fromisoformat(until).toordinal() - _EPOCH + 1)


def running(connection: Connection, dataset: str) -> int:
    """Refuse a charge after the end of the period that the budget is for.

    Given back is the time that was looked at: the charge bears it, or it could be a second late.
    """
    until, now = period_of(connection, dataset), time_in(connection)
    if ended(until, now):
        raise BudgetError(
            f"the budget of data set {dataset!r} was for the time until {until}, which is over: "
            f"grant one for the next period with `sfumato ledger grant {quote(dataset)} --epsilon "
            "… --until … --reason …`"
        )
    return now


def end_period(connection: Connection, dataset: str) -> None:
    """Take back what is left of a period that is over, before something is granted for the next.

    Nothing may be left: what is refunded later belongs to this period all the same.
    """
    until, balance = period_of(connection, dataset), balance_of(connection, dataset)
    if balance is not None and ended(until, time_in(connection)):
        append(connection, "lapse", dataset, {"until": until}, amount=balance.left, over=True)


def lapse_again(connection: Connection, dataset: str, charged: int) -> None:
    """Take back what was just given back, if it was charged in a period that has ended since."""
    if not charged_before(connection, dataset, charged):
        return
    given_back, _ = last_line(connection)
    before = balance_of(connection, dataset, given_back.sequence - 1)
    if before is not None:
        amount = minus(given_back.balance.left, before.left)
        if amount != NOTHING:
            append(connection, "lapse", dataset, {"refund": given_back.sequence}, amount=amount)


def charged_before(connection: Connection, dataset: str, charged: int) -> bool:
    """Whether a period of the data set has ended since the line of a charge."""
    return charged < last_lapse(connection, dataset)


def time_in(connection: Connection) -> int:
    """The time of the next line."""
    return max(connection.clock, last_line(connection)[0].clock)
