"""The rules of a ledger file, as SQLite keeps them, and how an older file gets the newer ones.

Format 1 knows budgets and releases; format 2 also counts inspections: lines that cost
nothing and say that somebody looked at the records without noise.  Their columns are the
same, so every line and hash of format 1 is one of format 2.

The table refuses by itself what must never happen: overspending, a second draw, a draw
beside a refund, a changed or removed line, a line out of order, an inspection of what was
never released.
"""

import sqlite3
from functools import cache

__all__ = ["FORMAT", "expected_structure", "format_of", "statements", "structure", "upgrade"]

FORMAT = 2

_IDENTITY = """CREATE TABLE identity (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    ledger_id TEXT NOT NULL,
    fingerprint_key BLOB NOT NULL CHECK (length(fingerprint_key) = 32)
) STRICT"""
_EVENT = """CREATE TABLE event (
    sequence INTEGER PRIMARY KEY,
    kind TEXT NOT NULL
        CHECK (kind IN ({kinds})),
    dataset TEXT NOT NULL,
    release TEXT CHECK ({looked}(release IS NULL) = (kind IN ('create', 'grant', 'same-data'))),
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
) STRICT"""
_AROUND_EVENT = (
    "CREATE INDEX event_dataset ON event (dataset, sequence)",
    """CREATE UNIQUE INDEX event_step ON event
    (release, CASE kind WHEN 'reserve' THEN 1 WHEN 'settle' THEN 3 ELSE 2 END)
    WHERE release IS NOT NULL{no_step}""",
    "CREATE INDEX event_fingerprint ON event (fingerprint, dataset) WHERE fingerprint IS NOT NULL",
    "CREATE INDEX event_other ON event (other, dataset) WHERE other IS NOT NULL",
    """CREATE TRIGGER event_in_order BEFORE INSERT ON event
    WHEN NEW.sequence IS NOT (SELECT coalesce(max(sequence), 0) + 1 FROM event)
    OR NEW.previous IS NOT coalesce(
        (SELECT hash FROM event ORDER BY sequence DESC LIMIT 1), NEW.previous)
    BEGIN SELECT RAISE(ABORT, 'an event must follow the last one'); END""",
    """CREATE TRIGGER event_step_in_order BEFORE INSERT ON event
    WHEN NEW.kind IN ('draw', 'refund', 'settle') AND NOT EXISTS (
        SELECT 1 FROM event WHERE release = NEW.release AND dataset = NEW.dataset
        AND kind = CASE NEW.kind WHEN 'settle' THEN 'draw' ELSE 'reserve' END)
    BEGIN SELECT RAISE(ABORT, 'a step of a release is out of order'); END""",
    """CREATE TRIGGER event_kept BEFORE DELETE ON event
    BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END""",
    """CREATE TRIGGER event_unchanged BEFORE UPDATE ON event
    BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END""",
)
_INSPECTION = """CREATE TRIGGER event_inspects_what_was_released BEFORE INSERT ON event
    WHEN NEW.kind = 'inspect' AND NOT EXISTS (SELECT 1 FROM event WHERE dataset = NEW.dataset
        AND release IS NEW.release AND kind = iif(NEW.release IS NULL, 'grant', 'settle'))
    BEGIN SELECT RAISE(ABORT, 'an inspection of what was never released'); END"""
_AROUND_IDENTITY = (
    """CREATE TRIGGER identity_kept BEFORE DELETE ON identity
    BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END""",
    """CREATE TRIGGER identity_unchanged BEFORE UPDATE ON identity
    BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END""",
)
_KINDS = "'create', 'grant', 'reserve', 'draw', 'settle', 'refund', 'same-data'"
_WORDS = {
    1: {"kinds": _KINDS, "looked": "", "no_step": ""},
    2: {
        "kinds": f"{_KINDS}, 'inspect'",
        "looked": "kind = 'inspect' OR ",
        "no_step": " AND kind <> 'inspect'",
    },
}


def statements(format: int = FORMAT) -> list[str]:
    """What makes the tables of a new ledger of this format."""
    return [_IDENTITY, _event(format), *_around_event(format), *_AROUND_IDENTITY]


def format_of(connection: sqlite3.Connection) -> int:
    """The format that the file says it has."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    return int(version)


def upgrade(connection: sqlite3.Connection) -> bool:
    """Give an older ledger today's rules, inside the caller's transaction; its lines stay.

    Whether there was anything to do.  A program of the older format then says that the
    ledger is newer, also one that has it open; what is newer than this program stays as it is.
    """
    if format_of(connection) >= FORMAT:
        return False
    for statement in (
        "ALTER TABLE event RENAME TO former",
        _event(FORMAT),
        "INSERT INTO event SELECT * FROM former ORDER BY sequence",
        "DROP TABLE former",
        *_around_event(FORMAT),
        f"PRAGMA user_version = {FORMAT}",
    ):
        connection.execute(statement)
    return True


def structure(connection: sqlite3.Connection) -> list[tuple[str, str, str]]:
    """Every table, index and trigger with its text: a dropped or added trigger shows here."""
    query = "SELECT type, name, sql FROM sqlite_schema ORDER BY name"
    return connection.execute(query).fetchall()


@cache
def expected_structure(format: int = FORMAT) -> list[tuple[str, str, str]]:
    """What `structure` returns for a ledger of this format as it was made."""
    connection = sqlite3.connect(":memory:")
    try:
        for statement in statements(format):
            connection.execute(statement)
        return structure(connection)
    finally:
        connection.close()


def _event(format: int) -> str:
    return _EVENT.format(**_WORDS[format])


def _around_event(format: int) -> list[str]:
    around = [statement.format(**_WORDS[format]) for statement in _AROUND_EVENT]
    return around if format == 1 else [*around, _INSPECTION]
