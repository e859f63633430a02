"""The rules of a ledger file, as SQLite keeps them.

The table refuses by itself what must never happen: overspending, a second draw, a draw
beside a refund, a changed or removed line, a line out of order, an inspection of what was
never released, a charge about another unit or other neighbours than the data set's first one,
a second continuation of the same part of a series, parts of a table under any other promise, a
stop of what has not drawn, was settled or went on, a grant that the person who asked for it
approves, a client that gets back what it did not use, anything after the ledger was moved
elsewhere.

`unfinished` is what the lines amount to for releases under way.  Triggers keep it, so that it
can be looked up at once however long the history is; a draw needs its word as well as that of
the lines, so damage to one index never allows a second draw.
"""

import sqlite3
from functools import cache

__all__ = [
    "EVENT_RULES",
    "EVENT_TABLE",
    "FILL_UNFINISHED",
    "FORMAT",
    "UNFINISHED_TABLE",
    "expected_structure",
    "format_of",
    "statements",
    "structure",
]

FORMAT = 7

EVENT_TABLE = """CREATE TABLE event (
    sequence INTEGER PRIMARY KEY,
    kind TEXT NOT NULL CHECK (kind IN ('create', 'dataset', 'grant', 'request', 'approve',
        'decline', 'lapse', 'client', 'use', 'return', 'reserve', 'part', 'draw', 'settle', 'stop',
        'refund', 'same-data', 'protects', 'inspect', 'new-key', 'checkpoint', 'move', 'arrive')),
    dataset TEXT NOT NULL CHECK ((dataset = '')
        = (kind IN ('create', 'new-key', 'checkpoint', 'move', 'arrive'))),
    release TEXT CHECK (kind = 'inspect' OR (release IS NOT NULL)
        = (kind IN ('reserve', 'part', 'draw', 'settle', 'stop', 'refund'))),
    fingerprint TEXT CHECK (fingerprint IS NULL OR kind = 'draw'),
    veil TEXT CHECK (veil IS NULL OR (fingerprint IS NOT NULL AND length(veil) = 32)),
    other TEXT CHECK ((other IS NOT NULL)
        = (kind IN ('same-data', 'part', 'approve', 'decline', 'use', 'return'))),
    heuristic INTEGER NOT NULL
        CHECK (heuristic BETWEEN 0 AND (kind IN ('grant', 'request', 'approve'))),
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
    protects TEXT,
    parts TEXT CHECK (parts IS NULL OR protects IS 'one record (row) of the table; add-remove'),
    who TEXT,
    detail TEXT NOT NULL,
    clock INTEGER NOT NULL,
    nonce TEXT NOT NULL,
    previous TEXT NOT NULL,
    hash TEXT NOT NULL UNIQUE
) STRICT"""
UNFINISHED_TABLE = """CREATE TABLE unfinished (
    release TEXT PRIMARY KEY,
    dataset TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    drawn INTEGER NOT NULL CHECK (drawn IN (0, 1))
) STRICT, WITHOUT ROWID"""
# The plus sign keeps SQLite from looking through all lines of a data set for one of a release.
EVENT_RULES = (
    "CREATE INDEX event_dataset ON event (dataset, sequence)",
    """CREATE UNIQUE INDEX event_step ON event
    (release, CASE kind WHEN 'reserve' THEN 1 WHEN 'part' THEN 1 WHEN 'settle' THEN 3
        WHEN 'stop' THEN 3 ELSE 2 END)
    WHERE release IS NOT NULL AND kind <> 'inspect'""",
    "CREATE INDEX event_fingerprint ON event (fingerprint, dataset) WHERE fingerprint IS NOT NULL",
    "CREATE INDEX event_other ON event (other, kind, dataset) WHERE other IS NOT NULL",
    "CREATE INDEX event_joined ON event (dataset) WHERE kind = 'same-data'",
    "CREATE INDEX event_inspect ON event (dataset, sequence) WHERE kind = 'inspect'",
    "CREATE INDEX event_checkpoint ON event (sequence) WHERE kind = 'checkpoint'",
    "CREATE INDEX event_key ON event (sequence) WHERE kind IN ('create', 'new-key')",
    """CREATE INDEX event_grant ON event (dataset, sequence)
    WHERE kind IN ('grant', 'approve', 'lapse')""",
    "CREATE INDEX event_request ON event (sequence) WHERE kind = 'request'",
    "CREATE INDEX event_client ON event (dataset, sequence) WHERE kind = 'client'",
    "CREATE UNIQUE INDEX event_answer ON event (other) WHERE kind IN ('approve', 'decline')",
    "CREATE UNIQUE INDEX event_returned ON event (other, dataset) WHERE kind = 'return'",
    "CREATE INDEX unfinished_dataset ON unfinished (dataset, sequence)",
    """CREATE TRIGGER event_in_order BEFORE INSERT ON event
    WHEN NEW.sequence IS NOT (SELECT coalesce(max(sequence), 0) + 1 FROM event)
    OR NEW.previous IS NOT coalesce(
        (SELECT hash FROM event ORDER BY sequence DESC LIMIT 1), NEW.previous)
    BEGIN SELECT RAISE(ABORT, 'an event must follow the last one'); END""",
    """CREATE TRIGGER event_has_a_nonce BEFORE INSERT ON event WHEN length(NEW.nonce) <> 32
    OR (NEW.fingerprint IS NOT NULL AND NEW.veil IS NULL)
    BEGIN SELECT RAISE(ABORT, 'an event needs a nonce, and a fingerprint a veil'); END""",
    """CREATE TRIGGER event_says_who_and_when BEFORE INSERT ON event
    WHEN coalesce(NEW.who, '') = ''
    OR NEW.clock < (SELECT clock FROM event ORDER BY sequence DESC LIMIT 1)
    BEGIN SELECT RAISE(ABORT, 'an event says who wrote it, and no earlier time'); END""",
    """CREATE TRIGGER event_stays_where_it_is BEFORE INSERT ON event
    WHEN (NEW.kind = 'arrive') IS NOT coalesce(
        (SELECT kind = 'move' FROM event ORDER BY sequence DESC LIMIT 1), 0)
    BEGIN SELECT RAISE(ABORT, 'the ledger was moved'); END""",
    """CREATE TRIGGER event_needs_two_people BEFORE INSERT ON event
    WHEN NEW.kind IN ('approve', 'decline') AND NOT EXISTS (SELECT 1 FROM event
        WHERE sequence = CAST(NEW.other AS INTEGER) AND CAST(sequence AS TEXT) = NEW.other
        AND kind = 'request' AND dataset = NEW.dataset AND (NEW.kind = 'decline' OR who <> NEW.who
        AND (micro_epsilon, pico_delta, micro_rho, heuristic)
        = (NEW.micro_epsilon, NEW.pico_delta, NEW.micro_rho, NEW.heuristic)))
    BEGIN SELECT RAISE(ABORT, 'a request is approved by another person'); END""",
    """CREATE TRIGGER event_is_not_granted_by_one BEFORE INSERT ON event
    WHEN NEW.kind = 'grant' AND (SELECT instr(detail, '"two people":true') FROM event
        WHERE sequence = 1)
    BEGIN SELECT RAISE(ABORT, 'this ledger needs two people for a grant'); END""",
    """CREATE TRIGGER event_step_in_order BEFORE INSERT ON event
    WHEN NEW.kind IN ('draw', 'refund', 'settle', 'stop') AND NOT EXISTS (
        SELECT 1 FROM event WHERE release = NEW.release AND kind <> 'inspect'
        AND +dataset = NEW.dataset AND (+kind = CASE WHEN NEW.kind IN ('settle', 'stop')
        THEN 'draw' ELSE 'reserve' END OR (NEW.kind = 'draw' AND +kind = 'part')))
    BEGIN SELECT RAISE(ABORT, 'a step of a release is out of order'); END""",
    """CREATE TRIGGER event_stops_before_it_goes_on BEFORE INSERT ON event
    WHEN NEW.kind = 'stop' AND EXISTS (
        SELECT 1 FROM event WHERE other = NEW.release AND kind = 'part')
    BEGIN SELECT RAISE(ABORT, 'a series that went on cannot stop'); END""",
    """CREATE TRIGGER event_returns_what_was_used BEFORE INSERT ON event
    WHEN NEW.kind = 'return' AND (NOT EXISTS (SELECT 1 FROM event WHERE release = NEW.other
        AND kind <> 'inspect' AND +kind = 'refund')
        OR (NEW.micro_epsilon, NEW.pico_delta, NEW.micro_rho) IS NOT (
        SELECT sum(micro_epsilon), sum(pico_delta), sum(micro_rho) FROM event
        WHERE other = NEW.other AND kind = 'use' AND dataset = NEW.dataset))
    BEGIN SELECT RAISE(ABORT, 'a client has back what it used of a refunded release'); END""",
    """CREATE TRIGGER event_draws_once BEFORE INSERT ON event
    WHEN NEW.kind = 'draw' AND NOT EXISTS (
        SELECT 1 FROM unfinished WHERE release = NEW.release AND drawn = 0)
    BEGIN SELECT RAISE(ABORT, 'a release draws once'); END""",
    """CREATE TRIGGER event_continues_what_was_drawn BEFORE INSERT ON event
    WHEN NEW.kind = 'part' AND NOT EXISTS (SELECT 1 FROM event WHERE release = NEW.other
        AND kind <> 'inspect' AND +dataset = NEW.dataset AND +kind = 'draw')
        OR NEW.kind = 'part' AND EXISTS (SELECT 1 FROM event WHERE release = NEW.other
        AND kind <> 'inspect' AND +kind = 'stop')
    BEGIN SELECT RAISE(ABORT, 'a part of what was never drawn'); END""",
    """CREATE TRIGGER event_protects_the_same BEFORE INSERT ON event
    WHEN NEW.protects IS NOT coalesce((SELECT protects FROM event WHERE dataset = NEW.dataset
        ORDER BY sequence DESC LIMIT 1), NEW.protects)
        AND NOT (NEW.kind = 'refund' AND NEW.protects IS NULL AND NEW.releases = NEW.unproved)
    BEGIN SELECT RAISE(ABORT, 'an account protects one unit between its neighbours'); END""",
    """CREATE TRIGGER event_keeps_parts BEFORE INSERT ON event
    WHEN NEW.kind NOT IN ('reserve', 'draw', 'refund', 'stop') AND NEW.parts IS NOT (SELECT parts
        FROM event WHERE dataset = NEW.dataset ORDER BY sequence DESC LIMIT 1)
        AND NOT (NEW.kind = 'lapse' AND NEW.parts IS NULL)
    BEGIN SELECT RAISE(ABORT, 'only a step of a release changes what its parts have borne'); END""",
    """CREATE TRIGGER event_inspects_what_was_released BEFORE INSERT ON event
    WHEN NEW.kind = 'inspect' AND NOT iif(NEW.release IS NULL,
        EXISTS (SELECT 1 FROM event WHERE dataset = NEW.dataset),
        EXISTS (SELECT 1 FROM event WHERE release = NEW.release AND kind <> 'inspect'
            AND +dataset = NEW.dataset AND +kind = 'settle'))
    BEGIN SELECT RAISE(ABORT, 'an inspection of what was never released'); END""",
    """CREATE TRIGGER event_begins AFTER INSERT ON event WHEN NEW.kind IN ('reserve', 'part')
    BEGIN INSERT INTO unfinished VALUES (NEW.release, NEW.dataset, NEW.sequence, 0); END""",
    """CREATE TRIGGER event_draws AFTER INSERT ON event WHEN NEW.kind = 'draw'
    BEGIN UPDATE unfinished SET drawn = 1 WHERE release = NEW.release; END""",
    """CREATE TRIGGER event_ends AFTER INSERT ON event
    WHEN NEW.kind IN ('settle', 'refund', 'stop')
    BEGIN DELETE FROM unfinished WHERE release = NEW.release; END""",
    """CREATE TRIGGER event_kept BEFORE DELETE ON event
    BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END""",
    """CREATE TRIGGER event_unchanged BEFORE UPDATE ON event
    BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END""",
)
# For lines that were written before there was such a table.
FILL_UNFINISHED = """INSERT INTO unfinished
    SELECT release, dataset, min(sequence), max(kind = 'draw') FROM event
    WHERE release IS NOT NULL AND kind <> 'inspect'
    GROUP BY release HAVING NOT max(kind IN ('settle', 'refund', 'stop'))"""


def statements() -> list[str]:
    """What makes a new ledger."""
    return [EVENT_TABLE, UNFINISHED_TABLE, *EVENT_RULES]


def format_of(connection: sqlite3.Connection) -> int:
    """The format that the file says it has."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    return int(version)


def structure(connection: sqlite3.Connection) -> list[tuple[str, str, str]]:
    """Every table, index and trigger with its text: a dropped or added trigger shows here."""
    query = "SELECT type, name, sql FROM sqlite_schema ORDER BY name"
    return connection.execute(query).fetchall()


@cache
def expected_structure() -> list[tuple[str, str, str]]:
    """What `structure` returns for a ledger as it was made."""
    connection = sqlite3.connect(":memory:")
    try:
        for statement in statements():
            connection.execute(statement)
        return structure(connection)
    finally:
        connection.close()
