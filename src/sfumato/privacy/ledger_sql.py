"""The ledger's tables and the statements on them, by hand: isolation is ours to control.

Every line that is read is hashed again, so a decision never rests on an edited one.
"""

import sqlite3
import time
from collections.abc import Iterator, Mapping
from functools import cache

from sfumato.errors import LedgerError
from sfumato.privacy.budget import Charge
from sfumato.privacy.chain import NOTHING, Balance, Event, hash_of, line, written

__all__ = [
    "SCHEMA",
    "append",
    "balance_of",
    "every_line",
    "expected_structure",
    "granted_datasets",
    "hash_at",
    "holds",
    "identity",
    "insert",
    "last_line",
    "lines_of",
    "other_names",
    "structure",
    "unfinished_releases",
]

# The table refuses by itself what must never happen: overspending, a second draw, a draw
# beside a refund, a changed or removed line, a line out of order.
SCHEMA = """
CREATE TABLE identity (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    ledger_id TEXT NOT NULL,
    fingerprint_key BLOB NOT NULL CHECK (length(fingerprint_key) = 32)
) STRICT;
CREATE TABLE event (
    sequence INTEGER PRIMARY KEY,
    kind TEXT NOT NULL
        CHECK (kind IN ('create', 'grant', 'reserve', 'draw', 'settle', 'refund', 'same-data')),
    dataset TEXT NOT NULL,
    release TEXT CHECK ((release IS NULL) = (kind IN ('create', 'grant', 'same-data'))),
    fingerprint TEXT CHECK (fingerprint IS NULL OR kind = 'draw'),
    other TEXT CHECK ((other IS NULL) = (kind <> 'same-data')),
    heuristic INTEGER NOT NULL CHECK (heuristic BETWEEN 0 AND (kind = 'grant')),
    micro_epsilon INTEGER NOT NULL CHECK (micro_epsilon >= 0),
    pico_delta INTEGER NOT NULL CHECK (pico_delta >= 0),
    micro_rho INTEGER NOT NULL CHECK (micro_rho >= 0),
    granted_micro_epsilon INTEGER NOT NULL CHECK (granted_micro_epsilon < 4611686018427387904),
    granted_pico_delta INTEGER NOT NULL CHECK (granted_pico_delta < 4611686018427387904),
    granted_micro_rho INTEGER NOT NULL CHECK (granted_micro_rho < 4611686018427387904),
    spent_micro_epsilon INTEGER NOT NULL
        CHECK (spent_micro_epsilon BETWEEN 0 AND granted_micro_epsilon),
    spent_pico_delta INTEGER NOT NULL CHECK (spent_pico_delta BETWEEN 0 AND granted_pico_delta),
    spent_micro_rho INTEGER NOT NULL CHECK (spent_micro_rho BETWEEN 0 AND granted_micro_rho),
    releases INTEGER NOT NULL CHECK (releases >= 0),
    unproved INTEGER NOT NULL CHECK (unproved BETWEEN 0 AND releases),
    allowed INTEGER NOT NULL CHECK (allowed IN (0, 1) AND allowed >= (unproved > 0)),
    detail TEXT NOT NULL,
    clock INTEGER NOT NULL,
    previous TEXT NOT NULL UNIQUE,
    hash TEXT NOT NULL UNIQUE
) STRICT;
CREATE INDEX event_dataset ON event (dataset, sequence);
CREATE UNIQUE INDEX event_step ON event
    (release, CASE kind WHEN 'reserve' THEN 1 WHEN 'settle' THEN 3 ELSE 2 END)
    WHERE release IS NOT NULL;
CREATE INDEX event_fingerprint ON event (fingerprint, dataset) WHERE fingerprint IS NOT NULL;
CREATE INDEX event_other ON event (other, dataset) WHERE other IS NOT NULL;
CREATE TRIGGER event_in_order BEFORE INSERT ON event
    WHEN NEW.sequence IS NOT (SELECT coalesce(max(sequence), 0) + 1 FROM event)
    OR NEW.previous IS NOT coalesce(
        (SELECT hash FROM event ORDER BY sequence DESC LIMIT 1), NEW.previous)
    BEGIN SELECT RAISE(ABORT, 'an event must follow the last one'); END;
CREATE TRIGGER event_step_in_order BEFORE INSERT ON event
    WHEN NEW.kind IN ('draw', 'refund', 'settle') AND NOT EXISTS (
        SELECT 1 FROM event WHERE release = NEW.release AND dataset = NEW.dataset
        AND kind = CASE NEW.kind WHEN 'settle' THEN 'draw' ELSE 'reserve' END)
    BEGIN SELECT RAISE(ABORT, 'a step of a release is out of order'); END;
CREATE TRIGGER event_kept BEFORE DELETE ON event
    BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER event_unchanged BEFORE UPDATE ON event
    BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER identity_kept BEFORE DELETE ON identity
    BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER identity_unchanged BEFORE UPDATE ON identity
    BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
"""


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
    """The steps of a release, in order."""
    query = "SELECT * FROM event WHERE release = ? ORDER BY sequence"
    return list(_checked(connection.execute(query, (release,))))


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


def structure(connection: sqlite3.Connection) -> list[tuple[str, str, str]]:
    """Every table, index and trigger with its text: a dropped or added trigger shows here."""
    query = "SELECT type, name, sql FROM sqlite_schema ORDER BY name"
    return connection.execute(query).fetchall()


@cache
def expected_structure() -> list[tuple[str, str, str]]:
    """What `structure` returns for a ledger as it was made."""
    connection = sqlite3.connect(":memory:")
    try:
        connection.executescript(SCHEMA)
        return structure(connection)
    finally:
        connection.close()


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
