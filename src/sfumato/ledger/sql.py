"""The statements on the ledger's tables, by hand: isolation is ours to control.

They are the same in a file of SQLite and a database of PostgreSQL.  Every line that is read is
hashed again, so a decision never rests on an edited one.
`sequence + 0` keeps a database that knows little of its rows yet from looking through all of them.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from sfumato.errors import LedgerError
from sfumato.ledger.amount import NOTHING
from sfumato.ledger.backend import Connection
from sfumato.ledger.chain import (
    Balance,
    LedgerLine,
    accounts_within,
    client_of,
    hash_of,
    next_line,
    written,
)
from sfumato.ledger.table_part import TablePart
from sfumato.privacy.budget import Charge

__all__ = [
    "EVER",
    "PERIOD_END",
    "accounts",
    "all_lines",
    "answered",
    "append",
    "balance_of",
    "checked",
    "committed_key",
    "every_line",
    "granted_datasets",
    "grants_of",
    "hash_at",
    "history_of",
    "holds",
    "insert",
    "inspections_of",
    "joined_to",
    "last_arrival",
    "last_checkpoint",
    "last_grant",
    "last_hash",
    "last_hashes",
    "last_lapse",
    "last_line",
    "ledger_id_of",
    "line_at",
    "lines_of",
    "names_of",
    "needs_two_people",
    "open_requests",
    "parts_of",
    "reservations_of",
    "stops_of",
    "unfinished_releases",
    "unfinished_steps",
    "veil_of",
]

EVER = 2**62  # after every line
_PORTION = 2_000
PERIOD_END = '{"until":'  # how a lapse at the end of a period begins to say so


def append(
    connection: Connection,
    kind: str,
    dataset: str,
    said: Mapping[str, object],
    *,
    release: str | None = None,
    amount: Charge = NOTHING,
    heuristic: bool = False,
    protects: str | None = None,
    fingerprint: str | None = None,
    veil: str | None = None,
    other: str | None = None,
    part: TablePart | None = None,
    over: bool = False,
    clock: int | None = None,
) -> LedgerLine:
    """Write the next line, with the balance it leads to, at a time that was looked at or now.

    A clock that went back does not bring an ended period back: no line is older than the last.
    """
    last, head = last_line(connection)
    line = next_line(
        (last.sequence, head),
        balance_of(connection, dataset) or Balance(),
        kind,
        dataset,
        written(said),
        clock=max(connection.clock if clock is None else clock, last.clock),
        who=connection.who,
        release=release,
        amount=amount,
        heuristic=heuristic,
        protects=protects,
        fingerprint=fingerprint,
        veil=veil,
        other=other,
        part=part,
        over=over,
    )
    insert(connection, line)
    return line


def insert(connection: Connection, line: LedgerLine) -> None:
    """Put a finished line at the end."""
    row = (*line, hash_of(line))
    marks = ", ".join("?" * len(row))
    connection.execute(f"INSERT INTO event VALUES ({marks})", row)  # noqa: S608  only marks


def ledger_id_of(connection: Connection) -> str:
    """The public name of the ledger; that the chain hangs on it is for the auditor."""
    return str(_said_by_the_first(connection)["ledger"])


def needs_two_people(connection: Connection) -> bool:
    """Whether a grant must be asked for by one and approved by another."""
    return bool(_said_by_the_first(connection).get("two people", False))


def _said_by_the_first(connection: Connection) -> dict[str, object]:
    query = "SELECT * FROM event WHERE sequence = 1"
    for line in checked(connection.execute(query)):
        found = json.loads(line.detail)
        if isinstance(found, dict) and "ledger" in found:
            return found
    raise LedgerError("the ledger is damaged: its first event is missing")


def committed_key(connection: Connection) -> str:
    """What the ledger says of its fingerprint key."""
    query = "SELECT * FROM event WHERE kind IN ('create', 'new-key') ORDER BY sequence DESC LIMIT 1"
    for line in checked(connection.execute(query)):
        return str(json.loads(line.detail)["key"])
    raise LedgerError("the ledger is damaged: its first event is missing")


def last_line(connection: Connection) -> tuple[LedgerLine, str]:
    """The line that the next one must follow, and its hash."""
    query = "SELECT * FROM event ORDER BY sequence DESC LIMIT 1"
    rows = connection.execute(query).fetchall()
    for line in checked(rows):
        return line, rows[0][-1]  # which was just computed again
    raise LedgerError("the ledger is damaged: its first event is missing")


def balance_of(connection: Connection, dataset: str, until: int = EVER) -> Balance | None:
    """The balance on the data set's last line, or None if it was never granted anything."""
    query = "SELECT * FROM event WHERE dataset = ? AND sequence <= ? ORDER BY sequence DESC LIMIT 1"
    for line in checked(connection.execute(query, (dataset, until))):
        return line.balance
    return None


def lines_of(connection: Connection, release: str, until: int = EVER) -> list[LedgerLine]:
    """The steps of a release, in order; that somebody looked at it is no step."""
    query = "SELECT * FROM event WHERE release = ? AND kind <> 'inspect' AND sequence + 0 <= ?"
    found = checked(connection.execute(query, (release, until)))
    return sorted(found, key=lambda line: line.sequence)


def parts_of(connection: Connection, series: str, until: int = EVER) -> int:
    """How many parts of a series were begun after its first one."""
    query = "SELECT count(*) FROM event WHERE other = ? AND kind = 'part' AND sequence <= ?"
    (found,) = connection.execute(query, (series, until)).fetchone()
    return int(found)


def inspections_of(connection: Connection, dataset: str) -> list[LedgerLine]:
    """Every time the records were looked at without noise, in order."""
    query = "SELECT * FROM event WHERE dataset = ? AND kind = 'inspect' ORDER BY sequence"
    return list(checked(connection.execute(query, (dataset,))))


def history_of(connection: Connection, dataset: str) -> list[LedgerLine]:
    """Every line about a data set and its clients, in order: to be shown.

    Another data set may name it as the same data.
    """
    query = (
        "SELECT * FROM event WHERE dataset = :name OR (dataset > :first AND dataset < :last)"
        " OR (kind = 'same-data' AND other = :name) ORDER BY sequence"
    )
    names = {"name": dataset} | dict(zip(("first", "last"), accounts_within(dataset), strict=True))
    return list(checked(connection.execute(query, names)))


def all_lines(connection: Connection) -> list[LedgerLine]:
    """Every line there is, in order: to be shown."""
    return list(checked(connection.execute("SELECT * FROM event ORDER BY sequence")))


def reservations_of(connection: Connection, dataset: str) -> list[LedgerLine]:
    """Every charge of a data set, in order: to be shown, for it takes as long as the history is."""
    query = "SELECT * FROM event WHERE dataset = ? AND kind = 'reserve' ORDER BY sequence"
    return list(checked(connection.execute(query, (dataset,))))


def stops_of(connection: Connection, dataset: str) -> list[LedgerLine]:
    """Every release that stopped after its first step, in order: to be shown, as above."""
    query = "SELECT * FROM event WHERE dataset = ? AND kind = 'stop' ORDER BY sequence"
    return list(checked(connection.execute(query, (dataset,))))


def every_line(connection: Connection, after: int = 0) -> Iterator[tuple[LedgerLine, str]]:
    """The history after a line, with the stored hashes, unchecked: for the auditor.

    Read in portions, so that nobody who wants to write waits for the end of a long history.
    """
    query = "SELECT * FROM event WHERE sequence > ? ORDER BY sequence LIMIT ?"
    while rows := connection.execute(query, (after, _PORTION)).fetchall():
        for row in rows:
            yield LedgerLine._make(row[:-1]), row[-1]
        after = rows[-1][0]


def last_checkpoint(connection: Connection, until: int = EVER) -> LedgerLine | None:
    """The newest line up to `until` that sums up the accounts before it."""
    query = (
        "SELECT * FROM event WHERE kind = 'checkpoint' AND sequence <= ?"
        " ORDER BY sequence DESC LIMIT 1"
    )
    return next(checked(connection.execute(query, (until,))), None)


def last_arrival(connection: Connection, until: int = EVER) -> int:
    """The line with which the ledger came to where it is, or 0.  Nobody moves it often."""
    query = "SELECT coalesce(max(sequence), 0) FROM event WHERE kind = 'arrive' AND sequence <= ?"
    return int(connection.execute(query, (until,)).fetchone()[0])


def last_hash(connection: Connection, dataset: str, until: int = EVER) -> str | None:
    """The stored hash of a data set's last line up to `until`."""
    query = (
        "SELECT hash FROM event WHERE dataset = ? AND sequence <= ? ORDER BY sequence DESC LIMIT 1"
    )
    found: tuple[str] | None = connection.execute(query, (dataset, until)).fetchone()
    return found and found[0]


def last_hashes(connection: Connection, until: int = EVER) -> Iterator[tuple[str, str]]:
    """Every data set with the hash of its last line up to `until`, by name."""
    for name in accounts(connection):
        if found := last_hash(connection, name, until):
            yield name, found


def hash_at(connection: Connection, sequence: int) -> str | None:
    """The stored hash of a line, or None if it is not there."""
    query = "SELECT hash FROM event WHERE sequence = ?"
    found: tuple[str] | None = connection.execute(query, (sequence,)).fetchone()
    return found and found[0]


def holds(connection: Connection, head: str) -> bool:
    """Whether some line has this hash."""
    query = "SELECT 1 FROM event WHERE hash = ?"
    return connection.execute(query, (head,)).fetchone() is not None


def names_of(connection: Connection, fingerprint: str, until: int = EVER) -> set[str]:
    """Names under which this data was drawn."""
    query = "SELECT dataset FROM event WHERE fingerprint = ? AND sequence + 0 <= ?"
    return {name for (name,) in connection.execute(query, (fingerprint, until))}


def joined_to(connection: Connection, dataset: str, until: int = EVER) -> set[str]:
    """Names that a decision joined to this one."""
    query = (
        "SELECT other FROM event WHERE kind = 'same-data' AND dataset = :name"
        " AND sequence <= :until UNION SELECT dataset FROM event"
        " WHERE other = :name AND kind = 'same-data' AND sequence <= :until"
    )
    return {name for (name,) in connection.execute(query, {"name": dataset, "until": until})}


def accounts(connection: Connection) -> list[str]:
    """Every name that has an account, clients too; found name by name, not line by line."""
    query = (
        "WITH RECURSIVE known(name) AS (SELECT min(dataset) FROM event WHERE dataset > ''"
        " UNION ALL SELECT (SELECT min(dataset) FROM event WHERE dataset > name) FROM known"
        " WHERE name IS NOT NULL) SELECT name FROM known WHERE name IS NOT NULL"
    )
    return [name for (name,) in connection.execute(query)]


def granted_datasets(connection: Connection) -> list[str]:
    """Every data set that has an account."""
    return [name for name in accounts(connection) if client_of(name) is None]


def grants_of(connection: Connection, dataset: str) -> list[LedgerLine]:
    """Grants and the ends of periods, in order."""
    query = (
        "SELECT * FROM event WHERE dataset = ? AND kind IN ('grant', 'approve', 'lapse')"
        " ORDER BY sequence"
    )
    return list(checked(connection.execute(query, (dataset,))))


def last_grant(connection: Connection, dataset: str, until: int = EVER) -> LedgerLine | None:
    """The newest grant of a data set, which says how long its budget is for.

    The kinds stand here as they do in the index: SQLite does not find it by fewer of them, and
    would look through all that was charged since.
    """
    query = (
        "SELECT * FROM event WHERE dataset = ? AND kind IN ('grant', 'approve', 'lapse')"
        " AND kind <> 'lapse' AND sequence <= ? ORDER BY sequence DESC LIMIT 1"
    )
    return next(checked(connection.execute(query, (dataset, until))), None)


def last_lapse(connection: Connection, dataset: str, until: int = EVER) -> int:
    """The line at which a period of a data set ended last; 0 if none did.

    What a refund after that gave back is taken back by a line of its own, which ends no period.
    """
    query = (
        "SELECT sequence FROM event WHERE dataset = ? AND kind IN ('grant', 'approve', 'lapse')"
        " AND kind = 'lapse' AND detail LIKE ? AND sequence <= ? ORDER BY sequence DESC LIMIT 1"
    )
    found: tuple[int] | None = connection.execute(
        query, (dataset, PERIOD_END + "%", until)
    ).fetchone()
    return found[0] if found else 0


def line_at(connection: Connection, sequence: int) -> LedgerLine | None:
    """One line by its number."""
    query = "SELECT * FROM event WHERE sequence = ?"
    return next(checked(connection.execute(query, (sequence,))), None)


def answered(connection: Connection, request: int, until: int = EVER) -> str | None:
    """What became of a request: approve, decline, or nothing yet."""
    query = (
        "SELECT kind FROM event WHERE other = ? AND kind IN ('approve', 'decline')"
        " AND sequence <= ?"
    )
    found: tuple[str] | None = connection.execute(query, (str(request), until)).fetchone()
    return found and found[0]


def open_requests(connection: Connection) -> list[LedgerLine]:
    """Requests that nobody has answered, oldest first."""
    query = "SELECT * FROM event WHERE kind = 'request' ORDER BY sequence"
    found = list(checked(connection.execute(query)))
    return [line for line in found if answered(connection, line.sequence) is None]


def veil_of(connection: Connection, dataset: str, fingerprint: str) -> str | None:
    """The veil under which this data was drawn under this name before."""
    query = (
        "SELECT veil FROM event WHERE fingerprint = ? AND dataset = ? AND veil IS NOT NULL LIMIT 1"
    )
    found: tuple[str] | None = connection.execute(query, (fingerprint, dataset)).fetchone()
    return found and found[0]


def unfinished_releases(connection: Connection, dataset: str | None) -> list[str]:
    """Reserved, and neither settled, stopped nor refunded; oldest first."""
    query = "SELECT release FROM unfinished ORDER BY sequence"
    if dataset is None:
        return [release for (release,) in connection.execute(query)]
    query = "SELECT release FROM unfinished WHERE dataset = ? ORDER BY sequence"
    return [release for (release,) in connection.execute(query, (dataset,))]


def unfinished_steps(connection: Connection) -> dict[str, tuple[str, bool]]:
    """What the table of releases under way says: data set, and whether noise was drawn."""
    rows = connection.execute("SELECT release, dataset, drawn FROM unfinished")
    return {release: (dataset, bool(drawn)) for release, dataset, drawn in rows}


def checked(rows: Iterable[Any]) -> Iterator[LedgerLine]:
    """The lines that were found, each hashed again before anything rests on it."""
    for row in rows:
        line, stored = LedgerLine(*row[:-1]), row[-1]
        try:
            intact = hash_of(line) == stored
        except TypeError:  # a column holds what its type forbids
            intact = False
        if not intact:
            raise LedgerError("the ledger is damaged: a line was changed after it was written")
        yield line
