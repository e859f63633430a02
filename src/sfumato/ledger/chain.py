"""The lines of the ledger: what one holds, how they hang together, what they add up to.

An event is one line.  It carries the balance of its data set after it, as in a paper
account book, so a charge reads one line instead of summing them all, and no total is ever
updated in place.  Its hash covers every column and the hash before it; the first line
hangs on the public ledger id and commits to the secret fingerprint key.  Every line holds a
random nonce, so that nobody who knows one head can guess his way to the next.

>>> print(Balance(granted=Charge(micro_epsilon=3_000_000), spent=Charge(1_500_000)).left)
epsilon 1.5
"""

import json
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import NamedTuple

from sfumato.ledger.amount import NOTHING, minus, plus, units
from sfumato.ledger.table_part import Parted, TablePart
from sfumato.privacy.budget import Charge

__all__ = [
    "LIMIT",
    "Balance",
    "LedgerLine",
    "after",
    "birth",
    "genesis",
    "hash_of",
    "next_line",
    "summary",
    "written",
]

_UNDIVIDED = Parted()
LIMIT = 2**62  # half of what SQLite's integers hold: two sums below it cannot overflow


@dataclass(frozen=True, slots=True)
class Balance:
    """Where a data set stands: granted, spent, and whether unproved releases are allowed.

    >>> Balance(granted=Charge(3), spent=Charge(1)).left
    Charge(micro_epsilon=2, pico_delta=0, micro_rho=0)
    """

    granted: Charge = NOTHING
    spent: Charge = NOTHING
    releases: int = 0  # charged and not refunded; those that stopped are among them
    unproved: int = 0  # those among them that carry no guarantee
    heuristic: bool = False  # a grant said that such releases are allowed
    protects: str | None = None  # unit and neighbours that all of its charges are about
    parts: Parted = _UNDIVIDED  # what was spent on parts of the table alone

    @property
    def left(self) -> Charge:
        """What may still be reserved for the whole table."""
        return minus(self.granted, self.spent)

    def left_for(self, part: TablePart | None) -> Charge:
        """What may still be reserved for a part: what others have borne does not count."""
        if part is None:
            return self.left
        whole = minus(self.spent, self.parts.dearest)
        return minus(self.granted, plus(whole, self.parts.within(part)))


class LedgerLine(NamedTuple):
    """One line, column by column, in the order of the table (its own hash comes last there)."""

    sequence: int
    kind: str
    dataset: str
    release: str | None
    fingerprint: str | None
    other: str | None
    heuristic: int
    micro_epsilon: int
    pico_delta: int
    micro_rho: int
    granted_micro_epsilon: int
    granted_pico_delta: int
    granted_micro_rho: int
    spent_micro_epsilon: int
    spent_pico_delta: int
    spent_micro_rho: int
    releases: int
    unproved: int
    allowed: int
    protects: str | None
    parts: str | None
    detail: str
    clock: int
    nonce: str
    previous: str

    @property
    def amount(self) -> Charge:
        """What this line grants, charges or gives back."""
        return Charge(self.micro_epsilon, self.pico_delta, self.micro_rho)

    @property
    def balance(self) -> Balance:
        """Where the data set stands after this line."""
        granted = self.granted_micro_epsilon, self.granted_pico_delta, self.granted_micro_rho
        spent = self.spent_micro_epsilon, self.spent_pico_delta, self.spent_micro_rho
        return Balance(
            Charge(*granted),
            Charge(*spent),
            self.releases,
            self.unproved,
            bool(self.allowed),
            self.protects,
            Parted.of(self.parts),
        )


def hash_of(line: LedgerLine) -> str:
    """SHA-256 of the line as JSON with sorted names; `previous` is one of its columns.

    Lines of formats 1 and 2 had no nonce and did not say what they protect: they keep the hash
    they were written with.  So do those of format 3, and all of accounts without parts.
    """
    columns = line._asdict()
    if line.parts is None:
        del columns["parts"]
    if not line.nonce:
        del columns["nonce"], columns["protects"]
    return sha256(written(columns).encode("ascii")).hexdigest()


def genesis(ledger_id: str) -> str:
    """What the first line hangs on."""
    return sha256(b"sfumato ledger " + ledger_id.encode()).hexdigest()


def birth(ledger_id: str, fingerprint_key: bytes) -> str:
    """What the first line says; it binds the key without showing it (256 random bits)."""
    key = sha256(b"sfumato fingerprint key " + fingerprint_key).hexdigest()
    return written({"ledger": ledger_id, "key": key})


def written(detail: Mapping[str, object]) -> str:
    """A detail as it is stored: JSON in ASCII, one way to write each."""
    return json.dumps(detail, sort_keys=True, separators=(",", ":"))


def summary(last_hashes: Iterable[tuple[str, str]]) -> str:
    """What a checkpoint says: how many accounts there are, and a digest of their last lines."""
    lines = [written({"dataset": dataset, "hash": last}) for dataset, last in last_hashes]
    state = sha256("\n".join(lines).encode("ascii")).hexdigest()
    return written({"accounts": len(lines), "state": state})


def after(
    balance: Balance,
    kind: str,
    amount: Charge,
    *,
    heuristic: bool = False,
    protects: str | None = None,
    part: TablePart | None = None,
    fingerprint: str | None = None,
) -> Balance:
    """The balance once an event of this kind has been written.

    `heuristic` is what a grant says; of the releases, those without a guarantee, and only
    they, cost nothing.  `protects` is what a charge is about: the first one fixes it.  A release
    of a `part` moves what is spent by as much as the dearest records are the worse for it.
    """
    balance = replace(balance, protects=balance.protects or protects)
    parts = balance.parts
    match kind:
        case "grant":
            granted = plus(balance.granted, amount)
            return replace(balance, granted=granted, heuristic=balance.heuristic or heuristic)
        case "draw" if part is not None:
            return replace(balance, parts=parts.drawn(part, fingerprint))
        case "reserve" if part is not None:
            parts, one = parts.charged(part, amount), 1
        case "refund" if part is not None:
            parts, one = parts.refunded(part, amount), -1
        case "stop" if part is not None:
            parts, one = parts.refunded(part, amount), 0
        case "reserve":
            spent, one = plus(balance.spent, amount), 1
        case "refund":
            spent, one = minus(balance.spent, amount), -1
        case "stop":
            spent, one = minus(balance.spent, amount), 0
        case _:
            return balance
    if part is not None:
        spent = plus(minus(balance.spent, balance.parts.dearest), parts.dearest)
    unproved = balance.unproved + one * (amount == NOTHING)
    releases = balance.releases + one
    # Once all charges are given back, the next one may be about something else.
    fixed = balance.protects if kind != "refund" or releases > unproved else None
    return replace(
        balance,
        spent=spent,
        releases=releases,
        unproved=unproved,
        protects=fixed,
        parts=parts,
    )


def next_line(
    last: tuple[int, str],
    before: Balance,
    kind: str,
    dataset: str,
    detail: str,
    *,
    clock: int,
    release: str | None = None,
    amount: Charge = NOTHING,
    heuristic: bool = False,
    protects: str | None = None,
    fingerprint: str | None = None,
    other: str | None = None,
    part: TablePart | None = None,
) -> LedgerLine:
    """The event that follows line `last` (number and hash) on a data set that stood at `before`."""
    balance = after(
        before,
        kind,
        amount,
        heuristic=heuristic,
        protects=protects,
        part=part,
        fingerprint=fingerprint,
    )
    return LedgerLine(
        last[0] + 1,
        kind,
        dataset,
        release,
        fingerprint,
        other,
        int(heuristic),
        *units(amount),
        *units(balance.granted),
        *units(balance.spent),
        balance.releases,
        balance.unproved,
        int(balance.heuristic),
        balance.protects,
        balance.parts.to_text(),
        detail,
        clock,
        secrets.token_hex(16),
        last[1],
    )
