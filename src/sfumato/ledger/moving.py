"""A ledger goes to another place, from a file to a database or back, with its whole chain.

The old place is closed by a last line before the new one can be used, and the new one begins with
a line that opens it: so there is never a moment in which both can be charged.  What stops in
between leaves a closed ledger, and moving it to the same place again goes on from there.
"""

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from sfumato.errors import LedgerError
from sfumato.ledger.audit import replay
from sfumato.ledger.backend import Connection
from sfumato.ledger.chain import LedgerLine
from sfumato.ledger.making import making, place_name
from sfumato.ledger.session import LedgerSession
from sfumato.ledger.sql import append, every_line, last_line

__all__ = ["copy_lines", "move"]


def move(source: LedgerSession, place: str | Path) -> None:
    """Close the ledger where it is, and open it at the other place."""
    here, there = source.name, place_name(place)
    if here == there.rpartition(" on ")[0] or here == there:
        raise LedgerError(f"ledger {here} is there already: name another place")
    if source.gone_to == there and _goes_on(source, place):
        return  # a run before was stopped when all was done
    key = None
    with suppress(LedgerError):  # whoever has no key moves the lines alone
        key = source.fingerprint_key
    closed = None
    try:
        with making(place, source.ledger_id, key) as target:
            with source.closing_for(there) as (connection, close):
                copy_lines(target, every_line(connection))
                replay(every_line(target), source.ledger_id)
                closed = close()
            _arrive(target, closed, here)
    except LedgerError as error:
        if closed is None:
            raise
        raise LedgerError(
            f"{error}. Ledger {here} is closed: move it to the same place again to go on"
        ) from None


def _goes_on(source: LedgerSession, place: str | Path) -> bool:
    """Whether the ledger is at the other place already."""
    try:
        target = LedgerSession(place)
    except (LedgerError, OSError):
        return False
    try:
        return target.ledger_id == source.ledger_id
    finally:
        target.close()


def _arrive(target: Connection, closed: tuple[LedgerLine, str], origin: str) -> None:
    if last_line(target)[1] != closed[1]:
        copy_lines(target, [closed])
    append(target, "arrive", "", {"from": origin})


def copy_lines(connection: Connection, lines: Iterable[tuple[LedgerLine, str]]) -> None:
    """Put lines as they are, with their hashes, where a ledger is being made."""
    marks = ", ".join("?" * (len(LedgerLine._fields) + 1))
    rows = ((*line, stored) for line, stored in lines)
    connection.executemany(f"INSERT INTO event VALUES ({marks})", rows)  # noqa: S608  only marks
