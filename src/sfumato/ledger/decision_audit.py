"""The auditor's rules about people: grants that need two, periods, and the quotas of clients.

What the lines before a checkpoint decided is looked up where it is asked for.
"""

import json
from collections.abc import Callable

from sfumato.errors import LedgerError
from sfumato.ledger.amount import NOTHING, covers, plus
from sfumato.ledger.backend import Connection
from sfumato.ledger.chain import Balance, LedgerLine, client_of
from sfumato.ledger.client_sql import uses_of
from sfumato.ledger.period import ended, until_in
from sfumato.ledger.sql import (
    PERIOD_END,
    answered,
    last_arrival,
    last_grant,
    line_at,
    needs_two_people,
)
from sfumato.ledger.step import Step
from sfumato.privacy.budget import Charge

__all__ = ["DecisionAudit"]


class DecisionAudit:
    """What was decided so far; each check says what is wrong with the next line."""

    def __init__(
        self,
        past: Connection | None,
        since: int,
        *,
        balance: Callable[[str], Balance | None],
        step: Callable[[str], Step],
    ) -> None:
        self._past, self._since = past, since
        self._balance, self._step = balance, step
        self._two_people = past is not None and needs_two_people(past)
        self._answers: set[str] = set()  # requests that somebody has answered
        self._requests: dict[str, LedgerLine] = {}
        self._used = ("", NOTHING)  # the release that was charged last, and what clients used of it
        self._uses: dict[tuple[str, str], Charge] = {}  # by release and account; not given back
        self._days: dict[str, str | None] = {}  # the last one of each budget
        self._owed: tuple[LedgerLine, Charge] | None = None  # was given back, and must lapse again
        # The line at which the ledger came to where it is; -1: not looked up yet.
        self._arrived = 0 if past is None else -1

    def fault(self, line: LedgerLine) -> str | None:
        """What is wrong with this line, if anything is."""
        if line.kind == "grant" and self._two_people:
            return "a grant was made by one person where two are needed"
        if line.kind in ("grant", "request", "approve") and not _says_until_when(line):
            return "a budget is for the time until no day of the calendar"
        if line.kind in ("approve", "decline") and (fault := self._answer(line)):
            return fault
        if fault := self._lapse(line):
            return fault
        if line.kind == "reserve" and ended(self._until(line.dataset), line.clock):
            return "a charge was made after the time that its budget was for"
        return self._client(line)

    def accept(self, line: LedgerLine, given_back: Charge) -> None:
        """Remember what this line decides, and what it gave back of a period that is over."""
        self._owed = None if given_back == NOTHING else (line, given_back)
        if line.kind == "arrive":
            self._arrived = line.sequence
        if line.kind == "create":
            self._two_people = bool(json.loads(line.detail).get("two people", False))
        if line.kind == "use":
            self._uses[str(line.other), line.dataset] = plus(self._uses_of(line), line.amount)
            self._used = self._used[0], plus(self._used[1], line.amount)
        else:
            self._used = (str(line.release) if line.kind == "reserve" else "", NOTHING)
        if line.kind == "return":
            self._uses[str(line.other), line.dataset] = NOTHING
        if line.kind == "request":
            self._requests[str(line.sequence)] = line
        if line.kind in ("approve", "decline"):
            self._answers.add(str(line.other))
        if line.kind in ("grant", "approve"):
            self._days[line.dataset] = until_in(line)

    def _answer(self, line: LedgerLine) -> str | None:
        asked = self._request(str(line.other))
        if asked is None or asked.dataset != line.dataset or self._is_answered(str(line.other)):
            return "a request is answered that was never made, or twice"
        if line.kind == "decline":
            return None
        if self._arrived < 0 and self._past is not None:
            self._arrived = last_arrival(self._past, self._since)
        if asked.who == line.who or asked.sequence < self._arrived:
            return "a request was approved by the person who made it, or by a name of another place"
        days = {until_in(asked)}
        if days == {None}:  # then it adds to the period that is under way
            days.add(self._until(line.dataset))
        same = (asked.amount, asked.heuristic) == (line.amount, line.heuristic)
        if not (same and until_in(line) in days):
            return "something else was approved than was asked for"
        return None

    def _lapse(self, line: LedgerLine) -> str | None:
        """What is left lapses when its period is over, or is given back after that."""
        if self._owed is not None:
            before, owed = self._owed
            if (line.kind, line.dataset, line.amount) != ("lapse", before.dataset, owed):
                return "what was charged in a period that is over was given back for the next one"
            return None
        if line.kind != "lapse":
            return None
        left = (self._balance(line.dataset) or Balance()).left
        over = line.detail.startswith(PERIOD_END) and ended(self._until(line.dataset), line.clock)
        if not (over and line.amount == left):
            return "a budget was taken back before its time was over"
        return None

    def _client(self, line: LedgerLine) -> str | None:
        client = client_of(line.dataset)
        if (client is not None) != (line.kind in ("client", "use", "return")):
            return "a line is about the account of a client, and not of its kind"
        if client is not None and line.kind == "client" and self._balance(client[0]) is None:
            return "a client has a quota of a data set that is unknown"
        if client is not None and line.kind == "use":
            paid = self._step(str(line.other))
            if paid.kind != "reserve" or paid.dataset != client[0]:
                return "a client uses what was not charged to its data set"
            charged, used = self._used
            if charged != line.other or not covers(paid.amount, plus(used, line.amount)):
                return "clients use more of a release than it is charged, or use it later"
        if client is not None and line.kind == "return":
            paid = self._step(str(line.other))
            if paid.kind != "refund" or paid.dataset != client[0]:
                return "a client gets back what was not refunded to its data set"
            if line.amount == NOTHING or line.amount != self._uses_of(line):
                return "a client gets back something else than it used, or gets it twice"
        return None

    def _uses_of(self, line: LedgerLine) -> Charge:
        """What the client of this line has used of its release, and not got back."""
        release, account = str(line.other), line.dataset
        if (release, account) not in self._uses:
            past = {} if self._past is None else uses_of(self._past, release, self._since)
            self._uses[release, account] = past.get(account, NOTHING)
        return self._uses[release, account]

    def _request(self, number: str) -> LedgerLine | None:
        if number not in self._requests and self._past is not None and number.isdecimal():
            written_so = str(int(number)) == number and int(number) <= self._since
            found = line_at(self._past, int(number)) if written_so else None
            if found is not None and found.kind == "request":
                self._requests[number] = found
        return self._requests.get(number)

    def _is_answered(self, number: str) -> bool:
        if number in self._answers:
            return True
        return self._past is not None and answered(self._past, int(number), self._since) is not None

    def _until(self, dataset: str) -> str | None:
        if dataset not in self._days:
            past = self._past
            grant = None if past is None else last_grant(past, dataset, self._since)
            self._days[dataset] = until_in(grant)
        return self._days[dataset]


def _says_until_when(grant: LedgerLine) -> bool:
    try:
        until_in(grant)
    except LedgerError:
        return False
    return True
