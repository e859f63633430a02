"""The auditor: every rule the ledger keeps while writing, checked again line by line.

It recomputes each hash, charge, balance and step from the lines before, and shares with
the writer only the sums (`chain.after`) and the price of a guarantee.  It can begin after a
checkpoint: what the lines before it amount to is then looked up where it is needed.  Of lines that
were exported, fingerprints cannot be compared, and of older ones some hashes are taken as stated.
"""

from collections.abc import Iterable

from sfumato.errors import LedgerError
from sfumato.ledger.amount import NOTHING, covers, minus
from sfumato.ledger.backend import Connection
from sfumato.ledger.chain import (
    LEFT_OUT,
    Balance,
    LedgerLine,
    after,
    genesis,
    hash_of,
    left_out,
    summary,
)
from sfumato.ledger.decision_audit import DecisionAudit
from sfumato.ledger.line_form import begins, well_formed
from sfumato.ledger.rules import entry_of, part_id, same_data
from sfumato.ledger.sql import (
    PERIOD_END,
    balance_of,
    joined_to,
    last_hashes,
    last_lapse,
    line_at,
    lines_of,
    names_of,
    parts_of,
)
from sfumato.ledger.step import BEFORE, Step
from sfumato.ledger.table_part import DIVISIBLE, TablePart
from sfumato.privacy.budget import Charge, charge

__all__ = ["Audit", "replay"]

_NEW = Balance()


def replay(lines: Iterable[tuple[LedgerLine, str]], ledger_id: str) -> str:
    """Walk the whole history and return its last hash; refuse the first line that is wrong."""
    audit = Audit(genesis(ledger_id))
    audit.walk(lines)
    if audit.count == 0:
        raise LedgerError("the ledger is damaged: its first event is missing")
    return audit.head


class Audit:
    """Everything the lines so far imply; each check says what is wrong with the next one."""

    def __init__(
        self,
        head: str,
        *,
        since: int = 0,
        past: Connection | None = None,
        exported: bool = False,
    ) -> None:
        self.head, self.count = head, since
        self.taken_as_stated: list[int] = []  # lines whose hash covers what was left out
        self._genesis, self._exported = head, exported
        self.book: dict[str, Balance] = {}
        self.hashes: dict[str, str] = {}  # of the last line of each data set
        self.steps: dict[str, Step] = {}
        self._since, self._past = since, past
        self._parts: dict[str, int] = {}
        self._names: dict[str, set[str]] = {}
        self._same: dict[str, set[str]] = {}
        self._ends: dict[str, int] = {}  # the line at which a period of each data set ended last
        self._decisions = DecisionAudit(past, since, balance=self._balance, step=self._step)
        self._nonces = past is not None
        self._last: LedgerLine | None = None if past is None else line_at(past, since)
        # Of the line under audit: the part of a table that it is about, and what it leads to.
        self._part: TablePart | None = None
        self._rest: Charge | None = None
        self._charged, self._over = 0, False
        self._amount, self._after = NOTHING, _NEW

    def walk(self, lines: Iterable[tuple[LedgerLine, str]]) -> None:
        """Take each line in turn; refuse the first one that is wrong."""
        for line, stored in lines:
            fault = (
                self._chained(line, stored)
                or self._dated(line)
                or self._ordered(line)
                or self._decisions.fault(line)
                or self._named(line)
                or self._balanced(line)
            )
            if fault is not None:
                raise LedgerError(f"the ledger is damaged: at event {self.count + 1} {fault}")
            self._accept(line, stored)

    def unfinished(self) -> dict[str, tuple[str, bool]]:
        """Releases under way: data set, and whether noise was drawn."""
        return {
            release: (step.dataset, step.kind == "draw")
            for release, step in self.steps.items()
            if step.kind in ("reserve", "part", "draw")
        }

    def _chained(self, line: LedgerLine, stored: str) -> str | None:
        if line.sequence != self.count + 1 or line.previous != self.head:
            return "the chain is broken: a line was removed, added or moved"
        if self._exported and line.fingerprint == LEFT_OUT and line.who is not None:
            return "a fingerprint is left out that its hash does not cover"
        if self._exported and left_out(line):
            self.taken_as_stated.append(line.sequence)  # what is left out is of an older format
        elif hash_of(line) != stored:
            return "the line was changed after it was written"
        if line.kind == "checkpoint" and line.detail != summary(self._last_hashes(line.sequence)):
            return "the checkpoint does not sum up the accounts before it"
        if (line.kind == "create") != (self.count == 0):
            return "the first line is missing or repeated"
        if line.kind == "create" and not begins(line.detail, self._genesis):
            return "the first line is about another ledger"
        if not well_formed(line):
            return "a line has not the form of its kind"
        if self._nonces and not line.nonce:
            return "a line has no nonce"
        return None

    def _dated(self, line: LedgerLine) -> str | None:
        last = self._last
        if last is None:
            return None
        if last.who is not None and (line.who is None or line.clock < last.clock):
            return "a line does not say who wrote it, or is older than the one before it"
        if (last.kind == "move") != (line.kind == "arrive"):
            return "the ledger was used after it was moved"
        return None

    def _ordered(self, line: LedgerLine) -> str | None:
        if line.release is None:
            if line.kind == "inspect" and self._balance(line.dataset) is None:
                return "an inspection names a data set that was never granted anything"
            return None
        last = self._step(line.release)
        if last.kind not in BEFORE.get(line.kind, ()):
            return "a step of a release is out of order"
        if last.kind and last.dataset != line.dataset:
            return "a step of a release names another data set"
        if line.kind == "refund" and last.amount != line.amount:
            return "a refund differs from its reservation"
        if line.kind == "stop" and last.rest != line.amount:
            return "a stop gives back something else than its reservation says"
        if line.kind == "stop" and self._part_count(line.release):
            return "a series was stopped after it had gone on"
        if line.kind == "part":
            return self._next_part(line)
        return None

    def _next_part(self, line: LedgerLine) -> str | None:
        series = str(line.other)
        begun = self._step(series)
        if begun.kind not in ("draw", "settle") or begun.dataset != line.dataset:
            return "a part continues what was never drawn"
        number = self._part_count(series) + 1
        if entry_of([line]).part != number or line.release != part_id(series, number):
            return "the parts of a series are out of order"
        return None

    def _named(self, line: LedgerLine) -> str | None:
        if line.fingerprint is not None and not self._exported:
            strangers = self._names_of(line.fingerprint) - {line.dataset}
            if strangers - self._near(line.dataset):
                return "the data was already known under another name"
        names = {line.dataset}
        if self._near(line.dataset) or line.kind == "same-data":
            names = same_data(line.dataset, self._near)
        if line.kind == "same-data":
            names |= same_data(str(line.other), self._near)
        promises = {b.protects for name in names if (b := self._balance(name)) and b.protects}
        if line.protects is not None:
            promises.add(line.protects)
        if len(promises) > 1:
            return "charges about different units or neighbours were added up"
        return None

    def _balanced(self, line: LedgerLine) -> str | None:
        amount = self._amount = line.amount
        if line.kind in ("inspect", "part", "checkpoint") and amount != NOTHING:
            return "a line costs something that is free"
        before, balance = self._balance(line.dataset) or _NEW, line.balance
        self._after, self._part, self._rest = balance, None, None
        self._charged, over = line.sequence, False  # whether its period has ended since
        if line.kind == "reserve":
            asked = entry_of([line])
            if charge(asked.guarantee) != amount:
                return "the charge does not follow from the guarantee"
            self._part, self._rest = asked.table_part, asked.rest
        elif line.release is not None:
            known = self._step(line.release)
            self._part, self._rest = known.part, known.rest
            self._charged = known.charged or line.sequence
            over = self._charged < self._period_end(line.dataset)
        elif line.kind == "lapse":
            over = line.detail.startswith(PERIOD_END)
        part, self._over = self._part, over
        if part is not None and line.kind == "reserve" and balance.protects != DIVISIBLE:
            return "a part of a table is charged under another promise"
        if part is not None and line.kind == "draw":
            table = before.parts.table(part)
            if line.fingerprint is None or table not in (
                None,
                line.mark,
                line.fingerprint,  # which older lines remember
                LEFT_OUT if self._exported else None,
            ):
                return "parts of two tables were drawn as if they were of one"
        fixes = line.kind in ("reserve", "protects")
        if balance != after(
            before,
            line.kind,
            amount,
            heuristic=bool(line.heuristic),
            protects=line.protects if fixes else None,
            part=part,
            fingerprint=None if part is None else line.mark,
            over=over,
        ):
            return "the balance does not follow from the one before"
        silent = line.kind == "reserve" and line.nonce and balance.protects is None
        if silent and amount != NOTHING:
            return "a charge does not say what it protects"
        if not covers(balance.granted, balance.spent):
            return "more was spent than granted"
        if balance.unproved and not balance.heuristic:
            return "a release without a guarantee was never allowed"
        return None

    def _accept(self, line: LedgerLine, stored: str) -> None:
        self.head, self.count, self._last = stored, self.count + 1, line
        self._decisions.accept(line, self._given_back(line))
        if line.kind == "lapse" and line.detail.startswith(PERIOD_END):
            self._ends[line.dataset] = line.sequence
        self.book[line.dataset], self.hashes[line.dataset] = self._after, stored
        self._nonces = self._nonces or bool(line.nonce)
        if line.release is not None and line.kind != "inspect":
            self.steps[line.release] = Step(
                line.kind, line.dataset, self._amount, self._part, self._rest, self._charged
            )
        if line.fingerprint is not None and not self._exported:
            self._names.setdefault(line.fingerprint, set()).add(line.dataset)
        if line.kind == "part":
            series = str(line.other)
            self._parts[series] = self._part_count(series) + 1
        if line.kind == "same-data":
            for one, two in ((line.dataset, str(line.other)), (str(line.other), line.dataset)):
                self._same[one] = self._near(one) | {two}

    def _given_back(self, line: LedgerLine) -> Charge:
        """What a step gave back that was charged in a period which is over."""
        if line.kind not in ("refund", "stop") or not self._over:
            return NOTHING
        return minus(line.balance.left, (self._balance(line.dataset) or _NEW).left)

    # What the lines before the first one that was walked amount to, where it is asked for.

    def _balance(self, dataset: str) -> Balance | None:
        if dataset not in self.book and self._past is not None:
            found = balance_of(self._past, dataset, self._since)
            if found is not None:
                self.book[dataset] = found
        return self.book.get(dataset)

    def _last_hashes(self, until: int) -> Iterable[tuple[str, str]]:
        if self._past is not None:
            return last_hashes(self._past, until)
        return sorted((name, last) for name, last in self.hashes.items() if name)

    def _step(self, release: str) -> Step:
        if release not in self.steps and self._past is not None:
            for last in (steps := lines_of(self._past, release, self._since))[-1:]:
                found = entry_of(steps)
                self.steps[release] = Step(
                    last.kind,
                    last.dataset,
                    last.amount,
                    found.table_part,
                    found.rest,
                    found.sequence,
                )
        return self.steps.get(release, Step(None, "", NOTHING))

    def _period_end(self, dataset: str) -> int:
        if dataset not in self._ends:
            past = self._past
            self._ends[dataset] = 0 if past is None else last_lapse(past, dataset, self._since)
        return self._ends[dataset]

    def _part_count(self, series: str) -> int:
        if series not in self._parts and self._past is not None:
            self._parts[series] = parts_of(self._past, series, self._since)
        return self._parts.get(series, 0)

    def _names_of(self, fingerprint: str) -> set[str]:
        if fingerprint not in self._names and self._past is not None:
            self._names[fingerprint] = names_of(self._past, fingerprint, self._since)
        return self._names.get(fingerprint, set())

    def _near(self, dataset: str) -> set[str]:
        if dataset not in self._same and self._past is not None:
            self._same[dataset] = joined_to(self._past, dataset, self._since)
        return self._same.get(dataset, set())
