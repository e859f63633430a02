"""How a ledger file is made and opened, and how it fails.

Rollback journal with synchronous=EXTRA: when a commit returns, its line is in the file itself
and the journal is gone, both on the disk.  So what was charged never lies in a second file
that can be lost, and a journal that is left by a kill only takes back what was not committed.

Only SQLite opens the file: closing any other handle on it would drop the locks that this
process holds.
"""

import os
import secrets
import sqlite3
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sfumato.durable import flush
from sfumato.errors import LedgerError
from sfumato.ledger.sqlite.connection import FileConnection
from sfumato.ledger.sqlite.place import require_file, require_folder
from sfumato.ledger.sqlite.tables import (
    EVENT_RULES,
    EVENT_TABLE,
    FILL_UNFINISHED,
    FORMAT,
    UNFINISHED_TABLE,
    format_of,
)

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

__all__ = ["building_in_file", "explain", "fatal", "in_rollback_mode", "known_format", "opened"]

APPLICATION = 0x5366756D  # "Sfum" in the header of the file
WAIT = 30.0  # seconds for another process to finish its write
_WITHOUT_LOG = 3  # the first format that never lies in a write-ahead log
_NEW = os.O_CREAT | os.O_EXCL | os.O_WRONLY

_SENTENCES = {
    sqlite3.SQLITE_BUSY: f"another process has held it for {WAIT:.0f} s: try again later",
    sqlite3.SQLITE_LOCKED: "another part of this program holds it: try again later",
    sqlite3.SQLITE_FULL: "the disk is full: free some space, open the ledger again and repeat",
    sqlite3.SQLITE_IOERR: (
        "the disk failed to read or write; the change may or may not have been recorded:"
        " check the disk and its free space, open the ledger again and look the release up"
    ),
    sqlite3.SQLITE_READONLY: "it cannot be written: check the permissions and the mount",
    sqlite3.SQLITE_PERM: "it cannot be written: check the permissions and the mount",
    sqlite3.SQLITE_CANTOPEN: "it cannot be opened: check the permissions of the file and folder",
    sqlite3.SQLITE_NOTADB: "it is not a ledger, or its first page is damaged",
    sqlite3.SQLITE_CONSTRAINT: "its own rules refuse this entry",
}
# A damaged page can hold what is no text; the binding raises either kind on it.
FAILURES = (sqlite3.Error, UnicodeDecodeError)
_DAMAGED = "it is damaged: restore a copy and verify that against the head you kept"


def fatal(error: BaseException) -> bool:
    """Whether SQLite failed in a way after which this connection must not be used again."""
    harmless = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_CONSTRAINT)
    return isinstance(error, FAILURES) and _class(error) not in harmless


@contextmanager
def explain(path: Path) -> Iterator[None]:
    """Turn SQLite's errors into a `LedgerError` that says what to do."""
    try:
        yield
    except FAILURES as error:
        sentence = _SENTENCES.get(_class(error), _DAMAGED)
        raise LedgerError(f"ledger {path}: {sentence} (SQLite: {error})") from error


@contextmanager
def building_in_file(path: Path) -> Iterator[FileConnection]:
    """Make the file whole or not at all: tables for the first lines, then the rules around them.

    An empty file takes the name first, so of two makers one is refused; the finished
    draft then replaces it in one step.  What a killed maker left is taken over.
    """
    require_folder(path.parent)
    try:
        with _name_taken(path):
            draft = path.with_name(path.name + ".draft")
            try:
                with _writing_draft(draft) as connection:
                    yield connection
                draft.replace(path)
            except BaseException:
                for file in (path, draft, *_side_files(draft)):
                    file.unlink(missing_ok=True)
                raise
        flush(path.parent)
    except OSError as error:
        raise LedgerError(f"ledger {path} cannot be made: {error.strerror}") from error


@contextmanager
def _name_taken(path: Path) -> Iterator[None]:
    """Hold the name, as an empty file that is locked; without locks a left one is refused."""
    begun = fcntl is not None and os.path.lexists(path) and _is_empty(path)
    left_over = [f for f in (path, *_side_files(path)) if os.path.lexists(f)]
    if left_over and (not begun or left_over != [path]):
        raise _exists(left_over[0])
    handle = os.open(path, os.O_RDWR if begun else _NEW, 0o600)
    try:
        if fcntl is not None:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise _exists(path) from None
            about, named = os.fstat(handle), os.lstat(path)
            if (about.st_dev, about.st_ino) != (named.st_dev, named.st_ino) or about.st_size:
                raise _exists(path)  # another maker has finished
        else:
            os.close(handle)  # an open file cannot be replaced there
            handle = -1
        yield
    finally:
        if handle >= 0:
            os.close(handle)


def _is_empty(path: Path) -> bool:
    about = path.lstat()
    return stat.S_ISREG(about.st_mode) and about.st_size == 0 and about.st_nlink == 1


def _exists(path: Path) -> LedgerError:
    return LedgerError(f"{path} exists: choose another name, a ledger never replaces a file")


@contextmanager
def _writing_draft(draft: Path) -> Iterator[FileConnection]:
    for file in (draft, *_side_files(draft)):
        file.unlink(missing_ok=True)
    os.close(os.open(draft, _NEW, 0o600))
    with explain(draft):
        connection = _connect(draft)
        try:
            connection.execute("BEGIN")
            connection.execute(EVENT_TABLE)
            connection.execute(UNFINISHED_TABLE)
            yield connection
            for statement in (FILL_UNFINISHED, *EVENT_RULES):
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {APPLICATION}")
            connection.execute(f"PRAGMA user_version = {FORMAT}")
            connection.execute("COMMIT")
        finally:
            connection.close()


def opened(path: Path) -> FileConnection:
    """A connection to an existing ledger of a known format, with every commit on the disk."""
    until = time.monotonic() + WAIT
    try:
        require_file(path)
        while True:
            with explain(path):
                _refuse_stray_log(path)
                connection = _connect(path)
                try:
                    _require_ours(connection, path)
                    ready = in_rollback_mode(connection)
                    flush(path.parent)  # the file's own name may be new
                except BaseException:
                    connection.close()
                    raise
            if ready:
                return connection
            connection.close()  # whoever keeps it open keeps the others from changing its mode
            if time.monotonic() > until:
                raise LedgerError(
                    f"ledger {path}: another program has kept it busy for {WAIT:.0f} s, or has it"
                    " open in write-ahead mode: close that program, and try again"
                )
            time.sleep(0.001 * (1 + secrets.randbelow(50)))
    except OSError as error:
        raise LedgerError(f"ledger {path} cannot be opened: {error.strerror}") from error


def known_format(connection: sqlite3.Connection, path: Path) -> int:
    """The format of the file, refused where this program does not know its rules.

    Asked at every write and audit too: a newer program may give the file newer rules while this
    one has it open, and lines by the older ones would then be added against them.
    """
    version = format_of(connection)
    if version > FORMAT:
        raise LedgerError(
            f"{path} was written by a newer Sfumato (format {version}, this one knows"
            f" {FORMAT}): upgrade Sfumato; nothing was changed"
        )
    if version < 1:
        raise LedgerError(f"{path} has the unknown format {version}: {_DAMAGED}")
    return version


def in_rollback_mode(connection: sqlite3.Connection) -> bool:
    """Take a file of an older format out of write-ahead mode, which folds its log back.

    A newer file that is in that mode was put into it by another program.  False if
    others have it open: then nobody can, and waiting with it open would wait for one another.
    """
    connection.execute("PRAGMA busy_timeout = 0")
    try:
        (mode,) = connection.execute("PRAGMA journal_mode = DELETE").fetchone()
    except sqlite3.OperationalError as error:
        if _class(error) != sqlite3.SQLITE_BUSY:
            raise
        return False
    finally:
        connection.execute(f"PRAGMA busy_timeout = {round(1000 * WAIT)}")
    return bool(mode == "delete")


def _refuse_stray_log(path: Path) -> None:
    """Refuse a write-ahead log beside a ledger of a format that never has one.

    SQLite would read it as the latest history of the file.  Looked at read-only, because the
    last writer that closes such a file folds the log in.
    """
    log = path.with_name(path.name + "-wal")
    if not os.path.lexists(log):
        return
    connection = _connect(path, "ro")
    try:
        # Looked for again: another process may have brought an older file up to date meanwhile,
        # which takes its log away first.
        if format_of(connection) >= _WITHOUT_LOG and os.path.lexists(log):
            raise LedgerError(
                f"{log.name} beside {path} is not of this ledger, and would change its history:"
                " find out where it came from, and move it away"
            )
    finally:
        connection.close()


def _connect(path: Path, mode: str = "rw") -> FileConnection:
    if sqlite3.sqlite_version_info < (3, 37):
        raise LedgerError(f"the ledger needs SQLite 3.37, this Python has {sqlite3.sqlite_version}")
    connection = sqlite3.connect(
        f"{path.as_uri()}?mode={mode}",
        uri=True,
        timeout=WAIT,
        isolation_level=None,
        check_same_thread=False,
        factory=FileConnection,
    )
    try:
        connection.executescript(
            "PRAGMA synchronous = EXTRA; PRAGMA fullfsync = ON; PRAGMA cell_size_check = ON;"
            " PRAGMA trusted_schema = OFF; PRAGMA secure_delete = ON"
        )
    except BaseException:
        connection.close()
        raise
    return connection


def _require_ours(connection: sqlite3.Connection, path: Path) -> None:
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    if application != APPLICATION:
        raise LedgerError(f"{path} is a database of another program, not a ledger")
    known_format(connection, path)


def _class(error: BaseException) -> int:
    """What failed; text that cannot be decoded has no code and counts as damage."""
    code: int = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT)
    return code if code in _SENTENCES else code & 0xFF  # the low byte is the general case


def _side_files(path: Path) -> list[Path]:
    """Files by which SQLite would take back, or add, what is not in the ledger itself."""
    return [path.with_name(path.name + end) for end in ("-journal", "-wal", "-shm")]
