"""A long history of a ledger, made by the ledger's own lines in one transaction.

So making it takes a minute and not hours.  One release in a thousand is left unfinished, one data
set in ten is charged for parts of its table, and one release in ten is used by a client.
"""

import secrets
from collections.abc import Iterator
from pathlib import Path

from sfumato.ledger.amount import NOTHING
from sfumato.ledger.chain import (
    Balance,
    LedgerLine,
    account_of,
    birth,
    commitment,
    genesis,
    hash_of,
    next_line,
    summary,
    written,
)
from sfumato.ledger.making import making
from sfumato.ledger.moving import copy_lines
from sfumato.ledger.session import CHECKPOINT
from sfumato.ledger.table_part import DIVISIBLE, TablePart
from sfumato.privacy.budget import Charge
from sfumato.privacy.budget import charge as price
from sfumato.privacy.guarantee import PureDP, to_json

__all__ = ["ABOUT", "DIGEST", "EACH", "NAMES", "PLAN", "fill"]

NAMES = tuple(f"{k:02} data" for k in range(50))
EACH = PureDP("0.000001")
ABOUT = "one record (row) of the table; replace-one"
PLAN, DIGEST = "c0ffee00", "0123456789abcdef"
CLOCK = 1_700_000_000
PARTS = [TablePart(f"region={k}", "f00d" * 4, ((k, k),)) for k in range(4)]


def fill(path: Path, events: int) -> None:
    """A new ledger with so many lines."""
    ledger_id, key = secrets.token_hex(16), secrets.token_bytes(32)
    with making(path, ledger_id, key) as connection:
        copy_lines(connection, lines(ledger_id, commitment(key), events))


class _Pen:
    """Writes one line after another, and knows all balances."""

    def __init__(self, ledger_id: str) -> None:
        self.last = (0, genesis(ledger_id))
        self.books: dict[str, Balance] = {}
        self.hashes: dict[str, str] = {}

    def line(self, kind: str, dataset: str, said: str, **more: object) -> tuple[LedgerLine, str]:
        before = self.books.get(dataset, Balance())
        line = next_line(
            self.last,
            before,
            kind,
            dataset,
            said,
            clock=CLOCK,
            who="anna",
            **more,  # type: ignore
        )
        found = hash_of(line)
        self.books[dataset], self.last = line.balance, (line.sequence, found)
        if dataset:
            self.hashes[dataset] = found
        return line, found


def lines(ledger_id: str, committed: str, events: int) -> Iterator[tuple[LedgerLine, str]]:
    pen, since = _Pen(ledger_id), 0
    yield pen.line("create", "", birth(ledger_id, committed))
    why = written({"reason": "approved"})
    for k, name in enumerate(NAMES):
        yield pen.line("grant", name, why, amount=Charge(10**9))
        client = written({"reason": "approved", "token": secrets.token_hex(32)})
        if k % 10 == 1:
            yield pen.line("client", account_of(name, "bert"), client, amount=Charge(10**9))
    release = 0
    while pen.last[0] < events:
        yield from _release(pen, release)
        release += 1
        if pen.last[0] - since >= CHECKPOINT:
            told = summary(sorted(pen.hashes.items()))
            yield pen.line("checkpoint", "", told)
            since = pen.last[0]


def _release(pen: _Pen, number: int) -> Iterator[tuple[LedgerLine, str]]:
    place = number % len(NAMES)
    name, one = NAMES[place], f"release-{number}"
    part = PARTS[number // len(NAMES) % 4] if place % 10 == 0 else None
    asked: dict[str, object] = {"guarantee": to_json(EACH), "plan": PLAN}
    if part is not None:
        asked["table part"] = part.to_json()
    about = ABOUT if part is None else DIVISIBLE
    more = {"release": one, "amount": price(EACH), "protects": about, "part": part}
    yield pen.line("reserve", name, written(asked), **more)
    if place % 10 == 1:
        yield pen.line("use", account_of(name, "bert"), "{}", amount=price(EACH), other=one)
    mark = f"{place:064x}" if part is not None else secrets.token_hex(32)
    veil = f"{place:032x}" if part is not None else secrets.token_hex(16)
    yield pen.line("draw", name, "{}", release=one, fingerprint=mark, veil=veil, part=part)
    if number % 1_000 != 7:
        yield pen.line("settle", name, written({"digest": DIGEST}), release=one, amount=NOTHING)
