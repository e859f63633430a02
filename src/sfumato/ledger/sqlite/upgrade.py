"""How a ledger of an older format gets today's rules: in one transaction, its lines as they were.

Format 1 knew budgets and releases; format 2 also counted inspections; both lay in a write-ahead
log while in use, and neither wrote a nonce or what a charge is about.  Format 3 did, and charged
whole tables only: all charges of these three are for the whole table.  In format 4 no release
could stop.  Format 5 held the fingerprint key, which goes to a file of its own before the change is
committed, and did not say who wrote a line.  In format 6 a refund gave nothing back to clients, and
what they used of such releases stays used.  All lines keep their hashes.  A program of the older
format then says that the ledger is newer, also one that has it open.
"""

from pathlib import Path

from sfumato.errors import LedgerError
from sfumato.ledger.audit import replay
from sfumato.ledger.chain import commitment
from sfumato.ledger.fingerprint_key import new_key_file, write_key
from sfumato.ledger.sql import committed_key, every_line, ledger_id_of
from sfumato.ledger.sqlite.connection import FileConnection
from sfumato.ledger.sqlite.place import key_file
from sfumato.ledger.sqlite.tables import (
    EVENT_RULES,
    EVENT_TABLE,
    FILL_UNFINISHED,
    FORMAT,
    UNFINISHED_TABLE,
    format_of,
)

__all__ = ["upgrade"]

# How today's columns are made from those of a format.
_COPY = """INSERT INTO event SELECT sequence, kind, dataset, release, fingerprint, {veil}, other,
    heuristic, micro_epsilon, pico_delta, micro_rho, granted_micro_epsilon, granted_pico_delta,
    granted_micro_rho, spent_micro_epsilon, spent_pico_delta, spent_micro_rho, releases, unproved,
    allowed, {protects}, {parts}, {who}, detail, clock, {nonce}, previous, hash
    FROM former ORDER BY sequence"""
_NONE = {"protects": "NULL", "nonce": "''", "parts": "NULL", "who": "NULL", "veil": "NULL"}
_THIRD = _NONE | {"protects": "protects", "nonce": "nonce"}
_FOURTH = _THIRD | {"parts": "parts"}
_SIXTH = _FOURTH | {"who": "who", "veil": "veil"}
_OWN = {1: _NONE, 2: _NONE, 3: _THIRD, 4: _FOURTH, 5: _FOURTH, 6: _SIXTH}
_WITH_KEY = 5  # the last format that held the fingerprint key


def upgrade(connection: FileConnection, path: Path) -> None:
    """Rebuild the tables of an older file; nothing is changed unless all of it holds."""
    if format_of(connection) >= FORMAT:
        return
    connection.execute("BEGIN IMMEDIATE")
    if (format := format_of(connection)) >= FORMAT:  # another process was faster
        connection.execute("ROLLBACK")
        return
    held = _identity(connection) if format <= _WITH_KEY else None
    for statement in (
        "ALTER TABLE event RENAME TO former",
        EVENT_TABLE,
        _COPY.format(**_OWN[format]),
        "DROP TABLE former",
        "DROP TABLE IF EXISTS identity",
        "DROP TABLE IF EXISTS unfinished",
        UNFINISHED_TABLE,
        FILL_UNFINISHED,
        *EVENT_RULES,
        f"PRAGMA user_version = {FORMAT}",
    ):
        connection.execute(statement)
    try:
        replay(every_line(connection), ledger_id_of(connection) if held is None else held[0])
        if held is not None:
            _bring_out(connection, path, *held)
    except LedgerError as error:
        connection.execute("ROLLBACK")
        raise LedgerError(f"ledger {path} could not be upgraded: {error}") from None
    connection.execute("COMMIT")


def _bring_out(connection: FileConnection, path: Path, ledger_id: str, key: bytes) -> None:
    if committed_key(connection) != commitment(key):
        raise LedgerError("its fingerprint key is not the one it was made with")
    write_key(new_key_file(ledger_id, key_file(path)), ledger_id, key)


def _identity(connection: FileConnection) -> tuple[str, bytes]:
    """The public name and the secret key, which lay in the file until format 5."""
    found = connection.execute("SELECT ledger_id, fingerprint_key FROM identity").fetchone()
    if found is None:
        raise LedgerError("the ledger is damaged: its identity is missing")
    return found[0], found[1]
