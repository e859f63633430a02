"""Where the lines of a ledger lie: what a file of SQLite and a database of PostgreSQL both offer.

The lines, the chain, the rules and the auditor are the same in both (`chain`, `rules`, `audit`),
and so are the statements that read and add lines (`sql`).  A backend opens, locks, commits, and
says in our words what went wrong.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol

__all__ = ["Backend", "Connection", "ConnectionLost", "Place", "Rows"]


class ConnectionLost(Exception):
    """The server went away in the middle: what was asked of it last may have been done or not."""


@dataclass(frozen=True, slots=True)
class Place:
    """What a ledger lies on, and what is to be said about it."""

    kind: str | None  # None where the system does not tell
    caution: str | None = None
    roles: tuple[str, str, str] | None = None  # of owners, publishers and auditors


class Rows(Protocol):
    """What a statement found."""

    def fetchone(self) -> Any:
        """The next row, or None."""

    def fetchall(self) -> list[Any]:
        """All that are left."""

    def __iter__(self) -> Iterator[Any]: ...


class Connection(Protocol):
    """What statements run on; marks are written as SQLite does, `?` and `:name`."""

    @property
    def who(self) -> str:
        """Who writes: the operating-system user, or the database role."""

    @property
    def clock(self) -> int:
        """Seconds since 1970, for people and for periods: by the server, where there is one."""

    def execute(self, query: str, values: Sequence[Any] | Mapping[str, Any] = (), /) -> Rows:
        """Run one statement."""

    def executemany(self, query: str, rows: Iterable[Sequence[Any]], /) -> object:
        """Run one statement for each of these."""


class Backend(Protocol):
    """An open place for the lines of one ledger."""

    name: str  # as messages name it: a path, or an address without its user
    by_hand: bool  # whether others may add lines by hand and not change those that are there

    @property
    def connection(self) -> Connection:
        """What statements run on."""

    def ready(self) -> None:
        """Before anything is asked: a lost connection is made anew, a file that is gone refused."""

    def read(self) -> None:
        """Begin to read all in one state."""

    def write(self, *, long: bool = False) -> None:
        """Begin to write, alone; refused where the rules are newer than this program.

        Where `long` is said, whoever waits does so until this ends by itself.
        """

    def commit(self) -> None:
        """What was written is on the disk when this returns; `ConnectionLost` if nobody knows."""

    def roll_back(self) -> None:
        """Forget what was begun; never raises."""

    def after_loss(self, sequence: int) -> str | None:
        """The hash of a line, asked when what was cut off by `ConnectionLost` has ended for good.

        Raises `ConnectionLost` again where the server does not come back.
        """

    def explain(self) -> AbstractContextManager[None]:
        """Turn the database's errors into a `LedgerError` that says what to do."""

    def fatal(self, error: BaseException) -> bool:
        """Whether this connection must not be used again after such an error."""

    def upgrade(self) -> None:
        """Bring the rules of an older format up to date, in one transaction."""

    def check_pages(self) -> None:
        """Whatever the database can check by itself."""

    def check_rules(self) -> None:
        """Refuse tables, indexes and triggers that are not as they were made."""

    @property
    def place(self) -> Place:
        """What it lies on."""

    @property
    def key_file(self) -> str | None:
        """Where the fingerprint key lies, where the ledger has a folder of its own."""

    def close(self) -> None:
        """Let go."""
