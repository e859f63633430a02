"""The statements on the ledger's tables, by hand: isolation is ours to control.

Every line that is read is hashed again, so a decision never rests on an edited one.
"""

import sqlite3
import time
from collections.abc import Iterator, Mapping

from sfumato.errors import LedgerError
from sfumato.privacy.budget import Charge
from sfumato.privacy.chain import NOTHING, Balance, Event, hash_of, line, written

__all__ = [
    "append",
    "balance_of",
    "every_line",
    "granted_datasets",
    "hash_at",
    "holds",
    "identity",
    "insert",
    "inspections_of",
    "last_line",
    "lines_of",
    "other_names",
    "unfinished_releases",
]


def append(
    connection: sqlite3.Connection,
    kind: str,
    dataset: str,
    said: Mapping[str, object],
    *,
    release: str | None = None,
    amount: Charge = NOTHING,
    heuristic: bool = False,
    fingerprint: str | None = None,
    other: str | None = None,
) -> Event:
    """Write the next line, with the balance it leads to."""
    last, head = last_line(connection)
    event = line(
        (last.sequence, head),
        balance_of(connection, dataset) or Balance(),
        kind,
        dataset,
        written(said),
        clock=int(time.time()),  # for people: no rule reads it
        release=release,
        amount=amount,
        heuristic=heuristic,
        fingerprint=fingerprint,
        other=other,
    )
    insert(connection, event)
    return event


def insert(connection: sqlite3.Connection, event: Event) -> None:
    """Put a finished line at the end."""
    row = (*event, hash_of(event))
    marks = ", ".join("?" * len(row))
    connection.execute(f"INSERT INTO event VALUES ({marks})", row)  # noqa: S608  only marks


def identity(connection: sqlite3.Connection) -> tuple[str, bytes]:
    """The public name and the secret key."""
    found = connection.execute("SELECT ledger_id, fingerprint_key FROM identity").fetchone()
    if found is None:
        raise LedgerError("the ledger is damaged: its identity is missing")
    return found[0], found[1]


def last_line(connection: sqlite3.Connection) -> tuple[Event, str]:
    """The line that the next one must follow, and its hash."""
    query = "SELECT * FROM event ORDER BY sequence DESC LIMIT 1"
    for event in _checked(connection.execute(query)):
        return event, hash_of(event)
    raise LedgerError("the ledger is damaged: its first event is missing")


def balance_of(connection: sqlite3.Connection, dataset: str) -> Balance | None:
    """The balance on the data set's last line, or None if it was never granted anything."""
    query = "SELECT * FROM event WHERE dataset = ? ORDER BY sequence DESC LIMIT 1"
    for event in _checked(connection.execute(query, (dataset,))):
        return event.balance
    return None


def lines_of(connection: sqlite3.Connection, release: str) -> list[Event]:
    """The steps of a release, in order; that somebody looked at it is no step."""
    query = "SELECT * FROM event WHERE release = ? AND kind <> 'inspect' ORDER BY sequence"
    return list(_checked(connection.execute(query, (release,))))


def inspections_of(connection: sqlite3.Connection, dataset: str) -> list[Event]:
    """Every time the records were looked at without noise, in order."""
    query = "SELECT * FROM event WHERE dataset = ? AND kind = 'inspect' ORDER BY sequence"
    return list(_checked(connection.execute(query, (dataset,))))


def every_line(connection: sqlite3.Connection) -> Iterator[tuple[Event, str]]:
    """The whole history with the stored hashes, unchecked: for the auditor."""
    for row in connection.execute("SELECT * FROM event ORDER BY sequence"):
        yield Event(*row[:-1]), row[-1]


def hash_at(connection: sqlite3.Connection, sequence: int) -> str | None:
    """The stored hash of a line, or None if it is not there."""
    query = "SELECT hash FROM event WHERE sequence = ?"
    found: tuple[str] | None = connection.execute(query, (sequence,)).fetchone()
    return found and found[0]


def holds(connection: sqlite3.Connection, head: str) -> bool:
    """Whether some line has this hash."""
    query = "SELECT 1 FROM event WHERE hash = ?"
    return connection.execute(query, (head,)).fetchone() is not None


def other_names(connection: sqlite3.Connection, fingerprint: str, dataset: str) -> list[str]:
    """Names under which this data was drawn before and that no decision joined to `dataset`."""
    query = (
        "SELECT dataset FROM event WHERE fingerprint = :mark AND dataset < :name"
        " UNION SELECT dataset FROM event WHERE fingerprint = :mark AND dataset > :name"
        " EXCEPT SELECT other FROM event WHERE other IS NOT NULL AND dataset = :name"
        " EXCEPT SELECT dataset FROM event WHERE other = :name"
    )
    found = connection.execute(query, {"mark": fingerprint, "name": dataset})
    return [name for (name,) in found]


def granted_datasets(connection: sqlite3.Connection) -> list[str]:
    """Every name that was ever granted anything."""
    query = "SELECT DISTINCT dataset FROM event WHERE kind = 'grant' ORDER BY dataset"
    return [name for (name,) in connection.execute(query)]


def unfinished_releases(connection: sqlite3.Connection, dataset: str | None) -> list[str]:
    """Reserved, and neither settled nor refunded; oldest first."""
    query = (
        "SELECT release FROM event AS begun WHERE kind = 'reserve'"
        " AND (:name IS NULL OR dataset = :name) AND NOT EXISTS (SELECT 1 FROM event"
        " WHERE release = begun.release AND kind IN ('settle', 'refund')) ORDER BY sequence"
    )
    return [release for (release,) in connection.execute(query, {"name": dataset})]


def _checked(rows: sqlite3.Cursor) -> Iterator[Event]:
    for row in rows:
        event, stored = Event(*row[:-1]), row[-1]
        try:
            intact = hash_of(event) == stored
        except TypeError:  # a column holds what its type forbids
            intact = False
        if not intact:
            raise LedgerError("the ledger is damaged: a line was changed after it was written")
        yield event
