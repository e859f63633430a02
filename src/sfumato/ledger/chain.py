"""The lines of the ledger: what one holds, how they hang together, what they add up to.

An event is one line.  It carries the balance of its data set after it, as in a paper
account book, so a charge reads one line instead of summing them all, and no total is ever
updated in place.  Its hash covers every column and the hash before it; the first line
hangs on the public ledger id and commits to the secret fingerprint key.  Every line says who
wrote it and holds a random nonce, so that nobody who knows one head can guess his way to the next.
A client's part of a budget is an account of its own, whose name no data set can bear.

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
from sfumato.ledger.sorted_row import Shape
from sfumato.ledger.table_part import Parted, TablePart
from sfumato.privacy.budget import Charge

__all__ = [
    "LEFT_OUT",
    "LIMIT",
    "TOLD",
    "Balance",
    "LedgerLine",
    "account_of",
    "accounts_within",
    "after",
    "birth",
    "client_of",
    "commitment",
    "genesis",
    "hash_of",
    "hashed",
    "left_out",
    "moved_to",
    "next_line",
    "summary",
    "veiled",
    "written",
]

_UNDIVIDED = Parted()
TOLD = "told"  # in place of a veil: what stands as the fingerprint is its digest already
LEFT_OUT = "left out"  # in place of a fingerprint that the hash of an older line covers as it is
_CLIENT = "\t"  # between a data set and its client: no name that a person can give holds one
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
    veil: str | None  # random; the hash covers the fingerprint under it
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
    who: str | None  # operating-system user or database role; None in formats before the sixth
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

    @property
    def mark(self) -> str | None:
        """What stands for the data in the hash of this line, and in what its parts remember."""
        if self.veil is None or self.veil == TOLD or self.fingerprint is None:
            return self.fingerprint
        return veiled(self.veil, self.fingerprint)


# How the lines are written that the hashes cover, by the types of their columns.
_SHAPES: dict[tuple[tuple[type, ...], bool], Shape | None] = {}


def hash_of(line: LedgerLine) -> str:
    """SHA-256 of the line as JSON with sorted names; `previous` is one of its columns."""
    row = line if line.veil is None else line._replace(fingerprint=line.mark)
    looks = tuple(map(type, row)), bool(line.nonce)
    try:
        shape = _SHAPES[looks]
    except KeyError:
        shape = _SHAPES[looks] = Shape.of(hashed(line), LedgerLine._fields)
    text = written(hashed(line)) if shape is None else shape.written(row)
    return sha256(text.encode("ascii")).hexdigest()


def hashed(line: LedgerLine) -> dict[str, object]:
    """The columns that the hash covers, a fingerprint under its veil.

    Lines of formats 1 and 2 had no nonce and did not say what they protect: they keep the hash
    they were written with.  So do those of format 3, all of accounts without parts, and those of
    formats before the sixth, which did not say who wrote them.
    """
    columns: dict[str, object] = line._asdict() | {"fingerprint": line.mark}
    del columns["veil"]
    if line.who is None:
        del columns["who"]
    if line.parts is None:
        del columns["parts"]
    if not line.nonce:
        del columns["nonce"], columns["protects"]
    return columns


def left_out(line: LedgerLine) -> bool:
    """Whether an exported line lacks something that its hash covers."""
    tables = (frame.table for _, frame in Parted.of(line.parts).frames)
    return LEFT_OUT in (line.fingerprint, *tables)


def moved_to(line: LedgerLine) -> str | None:
    """Where a ledger went whose last line this is; None if it is still here."""
    if line.kind != "move":
        return None
    try:
        return str(json.loads(line.detail)["to"])
    except (ValueError, LookupError, TypeError):
        return "another place"


def veiled(veil: str, fingerprint: str) -> str:
    """A digest of the fingerprint that says nothing to whoever does not know the veil."""
    return sha256(f"sfumato veil {veil} {fingerprint}".encode("ascii")).hexdigest()


def account_of(dataset: str, client: str) -> str:
    """The account of a client: a quota within that of the data set."""
    return f"{dataset}{_CLIENT}{client}"


def accounts_within(dataset: str) -> tuple[str, str]:
    """The names between which the accounts of all its clients lie."""
    return account_of(dataset, ""), account_of(dataset, "\U0010ffff")


def client_of(account: str) -> tuple[str, str] | None:
    """Data set and client of such an account; None for that of a data set itself.

    >>> client_of(account_of("words", "anna")), client_of("words")
    (('words', 'anna'), None)
    """
    dataset, mark, client = account.partition(_CLIENT)
    return (dataset, client) if mark else None


def genesis(ledger_id: str) -> str:
    """What the first line hangs on."""
    return sha256(b"sfumato ledger " + ledger_id.encode()).hexdigest()


def commitment(fingerprint_key: bytes) -> str:
    """What a line says of the key: it binds the key without showing it (256 random bits)."""
    return sha256(b"sfumato fingerprint key " + fingerprint_key).hexdigest()


def birth(ledger_id: str, committed: str, *, two_people: bool = False) -> str:
    """What the first line says: the ledger, its key, and whether one person alone may grant."""
    said: dict[str, object] = {"ledger": ledger_id, "key": committed}
    return written(said | {"two people": True} if two_people else said)


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
    over: bool = False,
) -> Balance:
    """The balance once an event of this kind has been written.

    `heuristic` is what a grant says; of the releases, those without a guarantee, and only
    they, cost nothing.  `protects` is what a charge is about: the first one fixes it.  A release
    of a `part` moves what is spent by as much as the dearest records are the worse for it.  When a
    period is `over`, all records count as the dearest ones, so that no part keeps what is left for
    it; what was charged for a part before that then gives nothing back.
    """
    if protects is not None and balance.protects is None:
        balance = replace(balance, protects=protects)
    parts = balance.parts
    match kind:
        case "grant" | "approve":
            granted = plus(balance.granted, amount)
            return replace(balance, granted=granted, heuristic=balance.heuristic or heuristic)
        case "client":  # on the account of a client, as the next one
            return replace(balance, granted=plus(balance.granted, amount))
        case "use":
            return replace(balance, spent=plus(balance.spent, amount))
        case "return":
            return replace(balance, spent=minus(balance.spent, amount))
        case "lapse":
            parts = _UNDIVIDED if over else parts
            return replace(balance, granted=minus(balance.granted, amount), parts=parts)
        case "draw" if part is not None:
            return replace(balance, parts=parts.drawn(part, fingerprint))
        case "reserve" if part is not None:
            parts, one = parts.charged(part, amount), 1
        case "refund" | "stop" if part is not None:
            parts = parts if over else parts.refunded(part, amount)
            one = -1 if kind == "refund" else 0
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
    who: str | None,
    release: str | None = None,
    amount: Charge = NOTHING,
    heuristic: bool = False,
    protects: str | None = None,
    fingerprint: str | None = None,
    veil: str | None = None,
    other: str | None = None,
    part: TablePart | None = None,
    over: bool = False,
) -> LedgerLine:
    """The event that follows line `last` (number and hash) on a data set that stood at `before`."""
    mark = fingerprint if fingerprint is None or veil is None else veiled(veil, fingerprint)
    balance = after(
        before,
        kind,
        amount,
        heuristic=heuristic,
        protects=protects,
        part=part,
        fingerprint=mark,
        over=over,
    )
    return LedgerLine(
        last[0] + 1,
        kind,
        dataset,
        release,
        fingerprint,
        veil,
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
        who,
        detail,
        clock,
        secrets.token_hex(16),
        last[1],
    )
