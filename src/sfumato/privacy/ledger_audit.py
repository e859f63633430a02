"""The auditor: every rule the ledger keeps while writing, checked again from the first line on.

It recomputes each hash, charge, balance and step from the lines before, and shares with
the writer only the sums (`chain.after`) and the price of a guarantee.
"""

from collections.abc import Iterable

from sfumato.errors import LedgerError
from sfumato.privacy.budget import charge
from sfumato.privacy.chain import NOTHING, Balance, Event, after, birth, covers, genesis, hash_of
from sfumato.privacy.ledger_rules import entry_of

__all__ = ["replay"]

# The event that must stand last under a release for this one to follow.
_BEFORE: dict[str, str | None] = {
    "reserve": None,
    "draw": "reserve",
    "refund": "reserve",
    "settle": "draw",
    "inspect": "settle",
}


def replay(lines: Iterable[tuple[Event, str]], ledger_id: str, fingerprint_key: bytes) -> str:
    """Walk the whole history and return its last hash; refuse the first line that is wrong."""
    audit = _Audit(genesis(ledger_id), birth(ledger_id, fingerprint_key))
    for event, stored in lines:
        fault = audit.chained(event, stored) or audit.ordered(event) or audit.balanced(event)
        if fault is not None:
            raise LedgerError(f"the ledger is damaged: at event {audit.count + 1} {fault}")
        audit.accept(event, stored)
    if audit.count == 0:
        raise LedgerError("the ledger is damaged: its first event is missing")
    return audit.head


class _Audit:
    """Everything the lines so far imply; each check says what is wrong with the next one."""

    def __init__(self, head: str, birth: str) -> None:
        self.head, self.birth, self.count = head, birth, 0
        self.book: dict[str, Balance] = {}
        self.last: dict[str, Event] = {}
        self.names: dict[str, set[str]] = {}
        self.same: set[frozenset[str | None]] = set()

    def chained(self, event: Event, stored: str) -> str | None:
        if event.sequence != self.count + 1 or event.previous != self.head:
            return "the chain is broken: a line was removed, added or moved"
        if hash_of(event) != stored:
            return "the line was changed after it was written"
        if (event.kind == "create") != (self.count == 0):
            return "the first line is missing or repeated"
        if event.kind == "create" and event.detail != self.birth:
            return "the fingerprint key is not the one the ledger was made with"
        return None

    def ordered(self, event: Event) -> str | None:
        if event.release is not None:
            last = self.last.get(event.release)
            if (last and last.kind) != _BEFORE.get(event.kind, ""):
                return "a step of a release is out of order"
            if last and last.dataset != event.dataset:
                return "a step of a release names another data set"
            if event.kind == "refund" and last and last.amount != event.amount:
                return "a refund differs from its reservation"
        elif event.kind == "inspect" and event.dataset not in self.book:
            return "an inspection names a data set that was never granted anything"
        names = self.names.get(event.fingerprint or "", set()) - {event.dataset}
        if any(frozenset((name, event.dataset)) not in self.same for name in names):
            return "the data was already known under another name"
        return None

    def balanced(self, event: Event) -> str | None:
        if event.kind == "inspect" and event.amount != NOTHING:
            return "an inspection costs something"
        if event.kind == "reserve" and charge(entry_of([event]).guarantee) != event.amount:
            return "the charge does not follow from the guarantee"
        before, balance = self.book.get(event.dataset, Balance()), event.balance
        if balance != after(before, event.kind, event.amount, heuristic=bool(event.heuristic)):
            return "the balance does not follow from the one before"
        if not covers(balance.granted, balance.spent):
            return "more was spent than granted"
        if balance.unproved and not balance.heuristic:
            return "a release without a guarantee was never allowed"
        return None

    def accept(self, event: Event, stored: str) -> None:
        self.head, self.count, self.book[event.dataset] = stored, self.count + 1, event.balance
        if event.release is not None and event.kind != "inspect":
            self.last[event.release] = event
        if event.fingerprint is not None:
            self.names.setdefault(event.fingerprint, set()).add(event.dataset)
        if event.other is not None:
            self.same.add(frozenset((event.dataset, event.other)))
