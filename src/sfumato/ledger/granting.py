"""Who opens accounts and grants budgets: one person, or one who asks and another who approves."""

import json
from dataclasses import dataclass
from datetime import date

from sfumato.errors import LedgerError, ParameterError
from sfumato.ledger.backend import Connection
from sfumato.ledger.chain import Balance, LedgerLine
from sfumato.ledger.grant import below_limit, grantable, granted_budget
from sfumato.ledger.names import no_mistake
from sfumato.ledger.period import end_period, ended, period_of, time_in, until_day
from sfumato.ledger.rules import line_text
from sfumato.ledger.sql import (
    EVER,
    answered,
    append,
    balance_of,
    granted_datasets,
    last_arrival,
    line_at,
    needs_two_people,
    open_requests,
)
from sfumato.ledger.two_steps import TwoSteps
from sfumato.privacy.budget import Charge
from sfumato.privacy.guarantee import Guarantee, Number

__all__ = ["Granting", "Period", "Request"]


@dataclass(frozen=True, slots=True)
class Request:
    """A budget that somebody asked for and nobody has answered."""

    number: int  # of its line, which `approve` and `decline` name
    dataset: str
    amount: Charge
    heuristic: bool
    until: str | None
    reason: str
    who: str
    clock: int


@dataclass(frozen=True, slots=True)
class Period:
    """The last day of the time that a budget is for, and whether it is over."""

    until: str
    over: bool


class Granting(TwoSteps):
    """An open ledger in which budgets are granted."""

    def create_dataset(self, dataset: str, *, reason: str) -> None:
        """Open an account without a budget: so that a name much like another is no mistake."""
        line_text(dataset=dataset, reason=reason)
        with self._writing() as connection:
            if balance_of(connection, dataset) is not None:
                raise LedgerError(f"data set {dataset!r} has an account already")
            append(connection, "dataset", dataset, {"reason": reason})

    def grant(
        self,
        dataset: str,
        budget: Guarantee | None = None,
        *,
        epsilon: Number | None = None,
        delta: Number | None = None,
        rho: Number | None = None,
        reason: str,
        heuristic: bool = False,
        until: str | date | None = None,
    ) -> None:
        """Add to a data set's budget, on the record; amounts round down to whole units.

        It is said as `publish` takes it, `epsilon=2`, or given as a guarantee; `delta` by itself
        is for releases with epsilon that was granted before.  `heuristic` also allows releases
        that carry no guarantee; by itself it allows them and nothing else.  `until` is the last
        day of a period: what is left then lapses.  A name much like one that has an account is
        refused, unless `create_dataset` said that it is meant.
        """
        said = granted_budget(budget, heuristic, epsilon=epsilon, delta=delta, rho=rho)
        self._granted("grant", dataset, said, heuristic, reason, until)

    def request(
        self,
        dataset: str,
        budget: Guarantee | None = None,
        *,
        epsilon: Number | None = None,
        delta: Number | None = None,
        rho: Number | None = None,
        reason: str,
        heuristic: bool = False,
        until: str | date | None = None,
    ) -> int:
        """Ask for a budget, as `grant` takes it; the number is what another person approves."""
        said = granted_budget(budget, heuristic, epsilon=epsilon, delta=delta, rho=rho)
        return self._granted("request", dataset, said, heuristic, reason, until)

    def approve(self, number: int, *, reason: str) -> None:
        """Grant what was asked for; refused to the person who asked."""
        line_text(reason=reason)
        with self._writing() as connection:
            asked = _asked(connection, number)
            if asked.sequence < last_arrival(connection):
                raise LedgerError(
                    f"request {number} was made where this ledger was before, and whose name that "
                    "was is not known here: decline it and ask again"
                )
            if asked.who == connection.who:
                raise LedgerError(
                    f"request {number} was made by {asked.who}, who cannot approve it: another "
                    "person does"
                )
            day = json.loads(asked.detail).get("until")
            if ended(day, time_in(connection)):
                raise LedgerError(
                    f"request {number} was for the time until {day}, which is over: decline it"
                )
            why = _why(connection, asked.dataset, reason, day)
            end_period(connection, asked.dataset)
            below_limit(asked.amount, balance_of(connection, asked.dataset) or Balance())
            append(
                connection,
                "approve",
                asked.dataset,
                why,
                amount=asked.amount,
                heuristic=bool(asked.heuristic),
                other=str(number),
            )

    def decline(self, number: int, *, reason: str) -> None:
        """Answer a request with no; whoever made it may take it back so."""
        line_text(reason=reason)
        with self._writing() as connection:
            asked = _asked(connection, number)
            append(connection, "decline", asked.dataset, {"reason": reason}, other=str(number))

    def requests(self) -> list[Request]:
        """What was asked for and has no answer, oldest first."""
        with self._session() as connection:
            return [_request(line) for line in open_requests(connection)]

    @property
    def two_people(self) -> bool:
        """Whether a grant must be asked for by one person and approved by another."""
        with self._session() as connection:
            return needs_two_people(connection)

    def period(self, dataset: str) -> Period | None:
        """The time that the budget of a data set is for, if it is for one."""
        with self._session() as connection:
            until = period_of(connection, dataset)
            return None if until is None else Period(until, ended(until, time_in(connection)))

    def _granted(
        self,
        kind: str,
        dataset: str,
        said: Guarantee | Charge,
        heuristic: bool,
        reason: str,
        until: str | date | None,
    ) -> int:
        line_text(dataset=dataset, reason=reason)
        day = until_day(until)
        with self._writing() as connection:
            if kind == "grant" and needs_two_people(connection):
                raise LedgerError(
                    "in this ledger one person asks for a budget and another approves it: "
                    "sfumato ledger request …, then sfumato ledger approve"
                )
            if ended(day, time_in(connection)):
                raise ParameterError(f"until must not be over, got {day}")
            balance = balance_of(connection, dataset)
            if balance is None:
                no_mistake(dataset, granted_datasets(connection))
            why = _why(connection, dataset, reason, day)
            if kind == "grant":
                end_period(connection, dataset)
                balance = balance_of(connection, dataset)
            amount = grantable(said, heuristic=heuristic, balance=balance or Balance())
            line = append(connection, kind, dataset, why, amount=amount, heuristic=heuristic)
        return line.sequence


def _why(connection: Connection, dataset: str, reason: str, day: str | None) -> dict[str, str]:
    """What a grant says of itself; one without a period adds to that which is under way."""
    if day is None and not ended(current := period_of(connection, dataset), time_in(connection)):
        day = current
    return {"reason": reason} | ({} if day is None else {"until": day})


def _asked(connection: Connection, number: int) -> LedgerLine:
    """The request of this number, if it is one that waits for an answer."""
    # Larger ones are numbers to nobody but Python.
    line = line_at(connection, number) if 0 < number < EVER else None
    if line is None or line.kind != "request":
        raise LedgerError(f"there is no request {number}: sfumato ledger requests lists them")
    if (answer := answered(connection, number)) is not None:
        raise LedgerError(f"request {number} was answered before: {answer}")
    return line


def _request(line: LedgerLine) -> Request:
    said = json.loads(line.detail)
    return Request(
        line.sequence,
        line.dataset,
        line.amount,
        bool(line.heuristic),
        said.get("until"),
        said["reason"],
        str(line.who),
        line.clock,
    )
