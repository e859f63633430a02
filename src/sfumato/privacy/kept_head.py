"""The last head that was seen of each ledger, kept in a second place.

A copy of yesterday put back over a ledger is a whole and consistent history: nothing in the
file shows it.  So each charge notes the line and hash it led to in the user's state folder,
and a ledger that does not hold that line is refused.  The note is a help and no part of the
promise: where the folder cannot be written, or another user or machine opens the copy, only a
head that somebody kept elsewhere shows it.
"""

import json
import os
import secrets
from contextlib import suppress
from pathlib import Path

__all__ = ["note_file", "noted", "take_note"]


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
        found = json.loads(note_file(ledger_id).read_text("utf-8"))
        line, head = found["line"], found["head"]
    except (OSError, ValueError, TypeError, KeyError):
        return None
    return (line, head) if isinstance(line, int) and isinstance(head, str) else None


def take_note(ledger_id: str, line: int, head: str) -> None:
    """Note the last line; where that cannot be done, the ledger works without."""
    file = note_file(ledger_id)
    before = noted(ledger_id)
    if before is not None and before[0] >= line:
        return  # another process was faster and has seen more
    draft = file.with_name(f"{file.name}.{secrets.token_hex(4)}")
    with suppress(OSError):
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            with open(draft, "x", encoding="utf-8", opener=_private) as out:
                json.dump({"line": line, "head": head}, out)
            draft.replace(file)
        finally:
            draft.unlink(missing_ok=True)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
