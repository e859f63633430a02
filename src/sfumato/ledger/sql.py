"""The statements on the ledger's tables, by hand: isolation is ours to control.

Every line that is read is hashed again, so a decision never rests on an edited one.
"""

import sqlite3
import time
from collections.abc import Iterator, Mapping

from sfumato.errors import LedgerError
from sfumato.ledger.amount import NOTHING
from sfumato.ledger.chain import Balance, LedgerLine, hash_of, next_line, written
from sfumato.ledger.table_part import TablePart
from sfumato.privacy.budget import Charge

__all__ = [
    "append",
    "balance_of",
    "every_line",
    "granted_datasets",
    "hash_at",
    "history_of",
    "holds",
    "identity",
    "insert",
    "inspections_of",
    "joined_to",
    "last_checkpoint",
    "last_hash",
    "last_hashes",
    "last_line",
    "lines_of",
    "names_of",
    "parts_of",
    "reservations_of",
    "stops_of",
    "unfinished_releases",
    "unfinished_steps",
]

_EVER = 2**62
_PORTION = 2_000


def append(
    connection: sqlite3.Connection,
    kind: str,
    dataset: str,
    said: Mapping[str, object],
    *,
    release: str | None = None,
    amount: Charge = NOTHING,
    heuristic: bool = False,
    protects: str | None = None,
    fingerprint: str | None = None,
    other: str | None = None,
    part: TablePart | None = None,
) -> LedgerLine:
    """Write the next line, with the balance it leads to."""
    last, head = last_line(connection)
    line = next_line(
        (last.sequence, head),
        balance_of(connection, dataset) or Balance(),
        kind,
        dataset,
        written(said),
        clock=int(time.time()),  # for people: no rule reads it
        release=release,
        amount=amount,
        heuristic=heuristic,
        protects=protects,
        fingerprint=fingerprint,
        other=other,
        part=part,
    )
    insert(connection, line)
    return line


def insert(connection: sqlite3.Connection, line: LedgerLine) -> None:
    """Put a finished line at the end."""
    row = (*line, hash_of(line))
    marks = ", ".join("?" * len(row))
    connection.execute(f"INSERT INTO event VALUES ({marks})", row)  # noqa: S608  only marks


def identity(connection: sqlite3.Connection) -> tuple[str, bytes]:
    """The public name and the secret key."""
    found = connection.execute("SELECT ledger_id, fingerprint_key FROM identity").fetchone()
    if found is None:
        raise LedgerError("the ledger is damaged: its identity is missing")
    return found[0], found[1]


def last_line(connection: sqlite3.Connection) -> tuple[LedgerLine, str]:
    """The line that the next one must follow, and its hash."""
    query = "SELECT * FROM event ORDER BY sequence DESC LIMIT 1"
    for line in _checked(connection.execute(query)):
        return line, hash_of(line)
    raise LedgerError("the ledger is damaged: its first event is missing")


def balance_of(connection: sqlite3.Connection, dataset: str, until: int = _EVER) -> Balance | None:
    """The balance on the data set's last line, or None if it was never granted anything."""
    query = "SELECT * FROM event WHERE dataset = ? AND sequence <= ? ORDER BY sequence DESC LIMIT 1"
    for line in _checked(connection.execute(query, (dataset, until))):
        return line.balance
    return None


def lines_of(connection: sqlite3.Connection, release: str, until: int = _EVER) -> list[LedgerLine]:
    """The steps of a release, in order; that somebody looked at it is no step."""
    query = "SELECT * FROM event WHERE release = ? AND kind <> 'inspect' AND sequence <= ?"
    found = _checked(connection.execute(query, (release, until)))
    return sorted(found, key=lambda line: line.sequence)


def parts_of(connection: sqlite3.Connection, series: str, until: int = _EVER) -> int:
    """How many parts of a series were begun after its first one."""
    query = "SELECT count(*) FROM event WHERE other = ? AND kind = 'part' AND sequence <= ?"
    (found,) = connection.execute(query, (series, until)).fetchone()
    return int(found)


def inspections_of(connection: sqlite3.Connection, dataset: str) -> list[LedgerLine]:
    """Every time the records were looked at without noise, in order."""
    query = "SELECT * FROM event WHERE dataset = ? AND kind = 'inspect' ORDER BY sequence"
    return list(_checked(connection.execute(query, (dataset,))))


def history_of(connection: sqlite3.Connection, dataset: str) -> list[LedgerLine]:
    """Every line about a data set, in order: to be shown; another may name it as the same data."""
    query = (
        "SELECT * FROM event WHERE dataset = :name OR (kind = 'same-data' AND other = :name)"
        " ORDER BY sequence"
    )
    return list(_checked(connection.execute(query, {"name": dataset})))


def reservations_of(connection: sqlite3.Connection, dataset: str) -> list[LedgerLine]:
    """Every charge of a data set, in order: to be shown, for it takes as long as the history is."""
    query = "SELECT * FROM event WHERE dataset = ? AND kind = 'reserve' ORDER BY sequence"
    return list(_checked(connection.execute(query, (dataset,))))


def stops_of(connection: sqlite3.Connection, dataset: str) -> list[LedgerLine]:
    """Every release that stopped after its first step, in order: to be shown, as above."""
    query = "SELECT * FROM event WHERE dataset = ? AND kind = 'stop' ORDER BY sequence"
    return list(_checked(connection.execute(query, (dataset,))))


def every_line(connection: sqlite3.Connection, after: int = 0) -> Iterator[tuple[LedgerLine, str]]:
    """The history after a line, with the stored hashes, unchecked: for the auditor.

    Read in portions, so that nobody who wants to write waits for the end of a long history.
    """
    query = "SELECT * FROM event WHERE sequence > ? ORDER BY sequence LIMIT ?"
    while rows := connection.execute(query, (after, _PORTION)).fetchall():
        yield from ((LedgerLine(*row[:-1]), row[-1]) for row in rows)
        after = rows[-1][0]


def last_checkpoint(connection: sqlite3.Connection) -> LedgerLine | None:
    """The newest line that sums up the accounts before it."""
    query = "SELECT * FROM event WHERE kind = 'checkpoint' ORDER BY sequence DESC LIMIT 1"
    return next(_checked(connection.execute(query)), None)


def last_hash(connection: sqlite3.Connection, dataset: str, until: int = _EVER) -> str | None:
    """The stored hash of a data set's last line up to `until`."""
    query = (
        "SELECT hash FROM event WHERE dataset = ? AND sequence <= ? ORDER BY sequence DESC LIMIT 1"
    )
    found: tuple[str] | None = connection.execute(query, (dataset, until)).fetchone()
    return found and found[0]


def last_hashes(connection: sqlite3.Connection, until: int = _EVER) -> Iterator[tuple[str, str]]:
    """Every data set with the hash of its last line up to `until`, by name."""
    for name in granted_datasets(connection):
        if found := last_hash(connection, name, until):
            yield name, found


def hash_at(connection: sqlite3.Connection, sequence: int) -> str | None:
    """The stored hash of a line, or None if it is not there."""
    query = "SELECT hash FROM event WHERE sequence = ?"
    found: tuple[str] | None = connection.execute(query, (sequence,)).fetchone()
    return found and found[0]


def holds(connection: sqlite3.Connection, head: str) -> bool:
    """Whether some line has this hash."""
    query = "SELECT 1 FROM event WHERE hash = ?"
    return connection.execute(query, (head,)).fetchone() is not None


def names_of(connection: sqlite3.Connection, fingerprint: str, until: int = _EVER) -> set[str]:
    """Names under which this data was drawn."""
    query = "SELECT dataset FROM event WHERE fingerprint = ? AND sequence <= ?"
    return {name for (name,) in connection.execute(query, (fingerprint, until))}


def joined_to(connection: sqlite3.Connection, dataset: str, until: int = _EVER) -> set[str]:
    """Names that a decision joined to this one."""
    query = (
        "SELECT other FROM event WHERE kind = 'same-data' AND dataset = :name"
        " AND sequence <= :until UNION SELECT dataset FROM event"
        " WHERE other = :name AND kind = 'same-data' AND sequence <= :until"
    )
    return {name for (name,) in connection.execute(query, {"name": dataset, "until": until})}


def granted_datasets(connection: sqlite3.Connection) -> list[str]:
    """Every name that has an account; found name by name, not line by line."""
    query = (
        "WITH RECURSIVE known(name) AS (SELECT min(dataset) FROM event WHERE dataset > ''"
        " UNION ALL SELECT (SELECT min(dataset) FROM event WHERE dataset > name) FROM known"
        " WHERE name IS NOT NULL) SELECT name FROM known WHERE name IS NOT NULL"
    )
    return [name for (name,) in connection.execute(query)]


def unfinished_releases(connection: sqlite3.Connection, dataset: str | None) -> list[str]:
    """Reserved, and neither settled, stopped nor refunded; oldest first."""
    query = "SELECT release FROM unfinished ORDER BY sequence"
    if dataset is None:
        return [release for (release,) in connection.execute(query)]
    query = "SELECT release FROM unfinished WHERE dataset = ? ORDER BY sequence"
    return [release for (release,) in connection.execute(query, (dataset,))]


def unfinished_steps(connection: sqlite3.Connection) -> dict[str, tuple[str, bool]]:
    """What the table of releases under way says: data set, and whether noise was drawn."""
    rows = connection.execute("SELECT release, dataset, drawn FROM unfinished")
    return {release: (dataset, bool(drawn)) for release, dataset, drawn in rows}


def _checked(rows: sqlite3.Cursor) -> Iterator[LedgerLine]:
    for row in rows:
        line, stored = LedgerLine(*row[:-1]), row[-1]
        try:
            intact = hash_of(line) == stored
        except TypeError:  # a column holds what its type forbids
            intact = False
        if not intact:
            raise LedgerError("the ledger is damaged: a line was changed after it was written")
        yield line
