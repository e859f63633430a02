"""The key of the fingerprints: a file by itself, with whoever publishes and nobody else.

A fingerprint together with its key lets anyone test a guess about the whole data, and so about
the last record that he does not know.  So the two never lie in one place: the ledger holds
fingerprints and a commitment to the key, this file holds the key.  Whoever checks a ledger needs
no key; whoever publishes from it does, so that data is known again under another name.
"""

import os
import secrets
from contextlib import suppress
from glob import escape
from pathlib import Path
from shlex import quote

from sfumato.durable import flush
from sfumato.errors import LedgerError
from sfumato.ledger.chain import commitment, written
from sfumato.untrusted.plain_file import content
from sfumato.untrusted.strict_json import parsed

__all__ = ["KEY_VARIABLE", "find_key", "kept_key_file", "new_key", "new_key_file", "write_key"]

KEY_VARIABLE = "SFUMATO_LEDGER_KEY"
_LONGEST = 4096
_NEW = os.O_CREAT | os.O_EXCL | os.O_WRONLY


def new_key() -> bytes:
    """256 random bits."""
    return secrets.token_bytes(32)


def kept_key_file(ledger_id: str) -> str:
    """Where a user's key for a ledger lies that has no folder of its own."""
    if (stated := os.environ.get("XDG_DATA_HOME", "")) and Path(stated).is_absolute():
        home = Path(stated)
    elif os.name == "nt" and (local := os.environ.get("LOCALAPPDATA")):
        home = Path(local)
    else:
        home = Path(os.path.expanduser("~")) / ".local" / "share"  # noqa: PTH111  never raises
    return str(home / "sfumato" / "keys" / f"{ledger_id}.key")


def new_key_file(ledger_id: str, beside: str | None) -> str:
    """Where a new key goes: where the variable says, or beside the ledger, or to the user's keys.

    The variable names the file, or a folder for the keys of several ledgers.
    """
    stated = os.environ.get(KEY_VARIABLE)
    if stated and Path(stated).is_dir():
        return str(Path(stated) / f"{ledger_id}.key")
    return stated or beside or kept_key_file(ledger_id)


def write_key(file: str, ledger_id: str, key: bytes) -> None:
    """Keep a key, readable by its owner only; a file that is there stays, unless it is the same."""
    text = written({"ledger": ledger_id, "key": key.hex()}).encode("ascii") + b"\n"
    path = Path(file)
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        for left in path.parent.glob(f"{escape(path.name)}.{'[0-9a-f]' * 8}.draft"):
            left.unlink(missing_ok=True)  # whoever wrote it was stopped in the middle
        draft = path.with_name(f"{path.name}.{secrets.token_hex(4)}.draft")
        handle = os.open(draft, _NEW, 0o600)
        try:
            with os.fdopen(handle, "wb") as out:
                if os.name == "posix":
                    os.fchmod(out.fileno(), 0o600)  # whatever this process masks
                out.write(text)
                out.flush()
                os.fsync(out.fileno())
            with suppress(FileExistsError):
                os.link(draft, path)
        finally:
            draft.unlink(missing_ok=True)
        flush(path.parent)  # also where a run before was stopped before it did
        same = path.is_file() and path.read_bytes() == text
    except OSError as error:
        raise LedgerError(f"the key {file} cannot be written: {error.strerror}") from None
    if not same:
        raise LedgerError(
            f"{file} exists: it is the key of another ledger, or of one that was never "
            "finished: move it away"
        )


def find_key(ledger_id: str, committed: str, beside: str | None) -> bytes:
    """The key that the ledger is committed to, from the first of its places that is there."""
    first = new_key_file(ledger_id, beside)
    for file in (first, kept_key_file(ledger_id)):
        if os.path.lexists(file):
            return _read(file, ledger_id, committed)
    raise LedgerError(
        f"the fingerprint key of this ledger is not here, and publishing needs it: {first} is "
        f"missing. Copy it from where the ledger was made, or name it in {KEY_VARIABLE}; if it is "
        "lost, `sfumato ledger new-key --reason …` makes another"
    )


def _read(file: str, ledger_id: str, committed: str) -> bytes:
    try:
        found = parsed(content(Path(file), _LONGEST, follow=True))
        of, key = found["ledger"], bytes.fromhex(found["key"])
    except OSError as error:
        raise LedgerError(f"the key {file} cannot be read: {error.strerror}") from None
    except (LookupError, TypeError, ValueError):
        raise LedgerError(f"{file} is not the key of a ledger: find the right file") from None
    if os.name == "posix" and Path(file).stat().st_mode & 0o077:
        raise LedgerError(
            f"the key {file} can be read by others: chmod 600 {quote(file)}, and consider who may "
            "have read it"
        )
    if of != ledger_id or commitment(key) != committed:
        raise LedgerError(
            f"{file} is the key of another ledger, or an older key of this one: find the right one"
        )
    return key
