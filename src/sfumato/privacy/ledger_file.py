"""Where a ledger file may lie, how it is made and opened, and how it fails.

Write-ahead log with synchronous=FULL: a commit returns once the log is on the disk.  The
log is folded back only when the last connection closes or under the write lock: a fold
beside a commit is what SQLite before 3.51.3 could lose data by (its "WAL-reset bug").

Only SQLite opens the file: closing any other handle on it would drop the locks that this
process holds.
"""

import os
import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from shlex import quote

from sfumato.errors import LedgerError
from sfumato.privacy.ledger_schema import FORMAT, format_of, statements

__all__ = ["build", "explain", "fatal", "fold", "known_format", "opened"]

APPLICATION = 0x5366756D  # "Sfum" in the header of the file
WAIT = 30.0  # seconds for another process to finish its write
FOLD = 4 * 2**20  # bytes of log after which the next write folds it back first
MOUNTS = Path("/proc/self/mountinfo")
_NEW = os.O_CREAT | os.O_EXCL | os.O_WRONLY

# The log's index is memory that the processes of one host share; these are not one host.
REMOTE = re.compile(
    r"9p|afs|beegfs|ceph|cifs|coda|davfs|drvfs|glusterfs|gpfs|lustre|ncpfs|nfs4?|ocfs2|orangefs"
    r"|prl_fs|smb[23]|smbfs|vboxsf|virtiofs"
    r"|fuse\.(ceph|davfs2?|glusterfs|rclone|s3fs|sshfs|vmhgfs-fuse)"
)

_FULL = "the disk is full: free some space, open the ledger again and repeat"
_SENTENCES = {
    sqlite3.SQLITE_BUSY: f"another process has held it for {WAIT:.0f} s: try again later",
    sqlite3.SQLITE_LOCKED: "another part of this program holds it: try again later",
    sqlite3.SQLITE_FULL: _FULL,
    sqlite3.SQLITE_IOERR_SHMSIZE: _FULL,  # no room for the index of the log
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


def build(path: Path, fill: Callable[[sqlite3.Connection], None]) -> None:
    """Make the file whole or not at all; `fill` writes the first rows.

    An empty file takes the name first, so of two makers one is refused; the finished
    draft then replaces it in one step.
    """
    _require_place(path.parent)
    left_over = [f for f in (path, *_side_files(path)) if os.path.lexists(f)]
    if left_over:
        raise LedgerError(f"{left_over[0]} is in the way: a ledger is never made over another file")
    try:
        os.close(os.open(path, _NEW, 0o600))
        draft = path.with_name(path.name + ".draft")
        try:
            _write_draft(draft, fill)
            draft.replace(path)
        except BaseException:
            for file in (path, draft, *_side_files(draft)):
                file.unlink(missing_ok=True)
            raise
        _sync_folder(path.parent)
    except OSError as error:
        raise LedgerError(f"ledger {path} cannot be made: {error.strerror}") from error


def _write_draft(draft: Path, fill: Callable[[sqlite3.Connection], None]) -> None:
    for file in (draft, *_side_files(draft)):
        file.unlink(missing_ok=True)
    os.close(os.open(draft, _NEW, 0o600))
    with explain(draft):
        connection = _connect(draft)
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("BEGIN")
            for statement in statements():
                connection.execute(statement)
            connection.execute("COMMIT")
            connection.execute(f"PRAGMA application_id = {APPLICATION}")
            connection.execute(f"PRAGMA user_version = {FORMAT}")
            fill(connection)
        finally:
            connection.close()


def opened(path: Path) -> sqlite3.Connection:
    """A connection to an existing ledger of a known format, with every commit on the disk."""
    try:
        _require_file(path)
        with explain(path):
            connection = _connect(path)
            try:
                _require_ours(connection, path)
                connection.execute("PRAGMA journal_mode = WAL")
                _sync_folder(path.parent)  # the log's name; SQLite would overlook a failure here
            except BaseException:
                connection.close()
                raise
    except OSError as error:
        raise LedgerError(f"ledger {path} cannot be opened: {error.strerror}") from error
    return connection


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


def fold(connection: sqlite3.Connection, path: Path) -> None:
    """Fold a long log back into the file, under the write lock."""
    log, _ = _side_files(path)
    with suppress(FileNotFoundError):  # SQLite makes the log at the first write
        if log.stat().st_size > FOLD:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


def _connect(path: Path) -> sqlite3.Connection:
    if sqlite3.sqlite_version_info < (3, 37):
        raise LedgerError(f"the ledger needs SQLite 3.37, this Python has {sqlite3.sqlite_version}")
    connection = sqlite3.connect(
        f"{path.as_uri()}?mode=rw",
        uri=True,
        timeout=WAIT,
        isolation_level=None,
        check_same_thread=False,
    )
    try:
        connection.executescript(
            "PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON;"
            " PRAGMA wal_autocheckpoint = 0; PRAGMA cell_size_check = ON;"
            " PRAGMA trusted_schema = OFF"
        )
    except BaseException:
        connection.close()
        raise
    return connection


def _require_place(folder: Path) -> None:
    """Refuse folders where the write-ahead log is not safe or cannot be written."""
    if not folder.is_dir():
        raise LedgerError(f"there is no folder {folder}: make it first")
    device = folder.stat().st_dev
    number = f"{os.major(device)}:{os.minor(device)}"
    for line in MOUNTS.read_text(errors="replace").splitlines() if MOUNTS.exists() else ():
        left, _, right = line.partition(" - ")
        if left.split()[2] == number and REMOTE.fullmatch(kind := right.split()[0]):
            raise LedgerError(
                f"{folder} is on a network or shared file system ({kind}), where two hosts could"
                " charge past each other: keep the ledger on a local disk"
            )
    if not os.access(folder, os.W_OK | os.X_OK):
        raise LedgerError(f"{folder} cannot be written (permissions or a read-only mount)")


def _require_file(path: Path) -> None:
    if not path.exists():
        remedy = f"make it with `sfumato ledger create --ledger {quote(str(path))}`"
        raise LedgerError(f"there is no ledger at {path}: {remedy}")
    if not path.is_file():
        raise LedgerError(f"{path} is not a file, so not a ledger")
    _require_place(path.parent)
    if not os.access(path, os.W_OK):
        raise LedgerError(f"{path} cannot be written (permissions or a read-only mount)")
    about = path.stat()
    if about.st_size == 0:
        raise LedgerError(f"{path} is empty: remove it and create the ledger again")
    if about.st_nlink > 1:
        raise LedgerError(
            f"{path} has a second name (hard link): each name would get a log of its own, so"
            " remove the other name first"
        )


def _require_ours(connection: sqlite3.Connection, path: Path) -> None:
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    if application != APPLICATION:
        raise LedgerError(f"{path} is a database of another program, not a ledger")
    known_format(connection, path)


def _class(error: BaseException) -> int:
    """What failed; text that cannot be decoded has no code and counts as damage."""
    code: int = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT)
    return code if code in _SENTENCES else code & 0xFF  # the low byte is the general case


def _side_files(path: Path) -> tuple[Path, Path]:
    return path.with_name(path.name + "-wal"), path.with_name(path.name + "-shm")


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
