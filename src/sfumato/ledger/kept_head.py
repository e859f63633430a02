"""The last head that was seen of each ledger, kept in a second place.

A copy of yesterday put back over a ledger is a whole and consistent history: nothing in the
file shows it.  So each charge notes the line and hash it led to in the user's state folder,
and a ledger that does not hold that line is refused.  The note is a help and no part of the
promise: where the folder cannot be written, or another user or machine opens the copy, only a
head that somebody kept elsewhere shows it.
"""

import json
import os
from contextlib import suppress
from pathlib import Path

__all__ = ["note_file", "noted", "take_note"]

_LENGTH = 120  # every note is as long, so that one over another leaves nothing of it
_LONGEST = 4096
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)


def note_file(ledger_id: str) -> Path:
    """Where the last head of a ledger is noted."""
    if (stated := os.environ.get("XDG_STATE_HOME", "")) and Path(stated).is_absolute():
        state = Path(stated)
    elif os.name == "nt" and (local := os.environ.get("LOCALAPPDATA")):
        state = Path(local)
    else:
        state = Path(os.path.expanduser("~")) / ".local" / "state"  # noqa: PTH111  never raises
    return state / "sfumato" / "ledgers" / f"{ledger_id}.json"


def noted(ledger_id: str) -> tuple[int, str] | None:
    """The number and hash of the last line that was seen, if they were noted."""
    try:
        return _read(note_file(ledger_id).read_bytes())
    except OSError:
        return None


def take_note(ledger_id: str, line: int, head: str) -> None:
    """Note the last line; where that cannot be done, the ledger works without.

    Written in place: a rename would make the file system flush, which takes longer than all
    the rest, and a note that was torn is no note.
    """
    file = note_file(ledger_id)
    with suppress(OSError):
        try:
            handle = _opened(file)
        except FileNotFoundError:  # the first note of this user
            file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle = _opened(file)
        try:
            before = _read(os.read(handle, _LONGEST))
            if before is None:
                os.ftruncate(handle, 0)  # of whatever it is
            if before is None or before[0] < line:  # else another process has seen more
                text = json.dumps({"line": line, "head": head}).ljust(_LENGTH) + "\n"
                os.lseek(handle, 0, os.SEEK_SET)
                os.write(handle, text.encode("ascii"))
        finally:
            os.close(handle)


def _opened(file: Path) -> int:
    return os.open(file, os.O_RDWR | os.O_CREAT | _NO_LINK, 0o600)


def _read(content: bytes) -> tuple[int, str] | None:
    try:
        found = json.loads(content)
        line, head = found["line"], found["head"]
    except (ValueError, TypeError, KeyError):
        return None
    return (line, head) if isinstance(line, int) and isinstance(head, str) else None
