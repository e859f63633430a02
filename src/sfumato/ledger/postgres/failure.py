"""What went wrong in a database, in our words; of the server's own only what our rules say.

Texts of the server may quote a line, and those of the driver what was typed.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg

from sfumato.errors import LedgerError
from sfumato.ledger.backend import ConnectionLost
from sfumato.ledger.postgres.address import LedgerAddress
from sfumato.ledger.postgres.connection import PATIENCE

__all__ = ["explain", "lost", "quoted"]

_REPEAT = "this was not recorded: repeat it, under the same release id"
_SENTENCES = {
    "55P03": f"another process has held it for {PATIENCE} s: try again later",
    "40001": f"another write came between: {_REPEAT}",
    "40P01": f"another write came between: {_REPEAT}",
    "25006": f"the server takes no writes (a standby, or read only): {_REPEAT} on the primary",
    "0A000": f"the server takes no writes (a standby, or read only): {_REPEAT} on the primary",
    "57014": f"the server ended a statement, by its limit of time or by hand: {_REPEAT}",
    "25P03": f"this process stopped for too long in the middle of a write: {_REPEAT}",
    "22P05": "its database cannot hold such letters: move it to one made with ENCODING 'UTF8'",
    "53100": "the server's disk is full: free some space there and repeat",
    "42704": "its roles are missing: restore them, they are named after its schema",
}
_CLASSES = {
    "XX": "the database is damaged: restore a copy and verify that against the head you kept",
    "53": "the server has no more connections or memory to give: try again later",
    "58": "the server's disk failed: check it, and look the release up before you repeat",
    "22": "the ledger is damaged, or of a newer kind: a line holds what cannot be read",
}
_SIMPLE = re.compile("[a-z_][a-z0-9_]*")
_RULES = ("23514", "23505")  # of check_violation, by which our functions refuse, and uniqueness
_RIGHTS = "42501"
_NOT_SEEN = ("3F000", "42P01")


def quoted(name: str) -> str:
    """A name as it is written in a statement.

    >>> quoted("anna"), quoted('Anna "the" owner')
    ('anna', '"Anna ""the"" owner"')
    """
    return name if _SIMPLE.fullmatch(name) else '"' + name.replace('"', '""') + '"'


def lost(raw: "psycopg.Connection[object]") -> bool:
    """Whether the connection is gone."""
    return bool(raw.closed or raw.broken)


@contextmanager
def explain(address: LedgerAddress, user: str) -> Iterator[None]:
    """Turn the database's errors into a `LedgerError` that says what to do."""
    try:
        yield
    except ConnectionLost:
        raise LedgerError(
            f"ledger {address.name}: the connection was lost while this was being recorded, and "
            "the server has not come back, so it is not known whether it was: repeat it when the "
            "server is there, under the same release id, which is never charged twice"
        ) from None
    except psycopg.Error as error:
        raise LedgerError(f"ledger {address.name}: {_sentence(error, address, user)}") from None


def _sentence(error: psycopg.Error, address: LedgerAddress, user: str) -> str:
    code = error.sqlstate or ""
    own = error.diag.message_primary or ""
    if code == _RIGHTS and own == "it needs whoever made it":
        return (
            f"the database role {user} may not do this: only whoever made the ledger moves it; "
            "nothing was recorded"
        )
    if code == _RIGHTS:
        needed = own.removeprefix("it needs the role ")
        if needed == own:  # the server's own words, which do not say what for
            owner, publisher = address.role("owner"), address.role("publisher")
            return (
                f"the database role {user} may not do this: to grant it needs the role {owner} "
                f"(GRANT {owner} TO {quoted(user)}), to publish {publisher} (GRANT {publisher} TO "
                f"{quoted(user)}); nothing was recorded"
            )
        return (
            f"the database role {user} may not do this: it needs the role {needed} (GRANT "
            f"{needed.split(' or ')[-1]} TO {quoted(user)}); nothing was recorded"
        )
    if code in _NOT_SEEN:
        return (
            f"there is no ledger here that the database role {user} may see: make one with "
            f"`sfumato ledger create`, or ask for a role in it (GRANT {address.role('publisher')} "
            f"TO {quoted(user)})"
        )
    if code in _RULES:
        rule = own if code == _RULES[0] and not own.startswith("new row") else "a step comes twice"
        return f"its own rules refuse this entry: {rule}"
    if code in _SENTENCES:
        return _SENTENCES[code]
    if code[:2] in _CLASSES:
        return _CLASSES[code[:2]]
    if isinstance(error, psycopg.OperationalError | psycopg.InterfaceError):
        return f"the server went away: {_REPEAT}"
    return f"the server refused a statement (SQLSTATE {code or 'unknown'}): {_REPEAT}"
