"""Tokens by which the service knows its clients.

A token is 256 random bits.  It is shown once; the ledger holds its SHA-256 alone, which is enough
for what nobody can guess, and a copy of the ledger lets nobody ask.
"""

import errno
import hashlib
import os
import re
import secrets
from pathlib import Path

from sfumato.errors import ParameterError
from sfumato.untrusted.plain_file import opened

__all__ = ["ENVIRONMENT", "checked_token", "new_token", "read_token", "token_digest", "write_token"]

ENVIRONMENT = "SFUMATO_QUERY_TOKEN"
_TOKEN = re.compile(r"sfq_[A-Za-z0-9_-]{43}")
_LARGEST = 4096


def new_token() -> str:
    """A fresh one.

    >>> token = new_token()
    >>> len(token), token[:4], checked_token(f"{token} ") == token, token == new_token()
    (47, 'sfq_', True, False)
    """
    return f"sfq_{secrets.token_urlsafe(32)}"


def token_digest(token: str) -> str:
    """What the ledger keeps of it."""
    return hashlib.sha256(token.encode()).hexdigest()


def checked_token(text: str, where: str = "token") -> str:
    """The token in a text, without the blanks about it; the text itself is never repeated."""
    found = text.strip()
    if not _TOKEN.fullmatch(found):
        raise ParameterError(
            f"{where} holds no token: one is sfq_ and 43 letters, digits, - or _, as "
            "`sfumato query client add` prints it"
        )
    return found


def read_token(path: str | Path) -> str:
    """The token in a plain file: a pipe or a terminal might never say a word."""
    try:
        with opened(_named(path), follow=True) as file:
            text = file.read(_LARGEST).decode("ascii", "replace")
    except OSError as error:
        raise ParameterError(
            f"token file {path} cannot be read: {error.strerror}; name a file, or put the token "
            f"into {ENVIRONMENT}"
        ) from None
    return checked_token(text, f"token file {path}")


def write_token(path: str | Path, token: str) -> None:
    """Keep a token in a new file that its owner alone can read."""
    try:
        handle = os.open(_named(path), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError as error:
        raise ParameterError(
            f"token file {path} cannot be made: {error.strerror}; name a file that is not there"
        ) from None
    with os.fdopen(handle, "w") as file:
        file.write(f"{token}\n")


def _named(path: str | Path) -> Path:
    """The file, unless it is the dash by which others mean the terminal."""
    if str(path) == "-":
        raise OSError(errno.EINVAL, "- is no file here")
    return Path(path)
