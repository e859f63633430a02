"""Why a server of PostgreSQL lets nobody in, in our words: its own may hold what was typed."""

from sfumato.database.url import PASSWORDS

__all__ = ["why_refused"]

_REFUSALS = (
    (
        ("invalid port", "percent-encoded"),
        "cannot be looked for: its address holds an impossible port, or a % that begins no letter",
    ),
    (
        (
            *("starting up", "shutting down", "recovery mode"),
            *("not accepting", "not yet accepting", "unexpectedly"),
        ),
        "is starting or stopping: try again in a moment",
    ),
    (("too many", "connection slots"), "has no connection left to give: try again later"),
    (
        ("refused", "no such file", "translate", "timeout", "timed out", "unreachable", "resolve"),
        "does not answer: check host and port, and that it runs",
    ),
    (
        ("password", "authentication", "role "),
        "does not accept the user or the password: check the user; the password is read from "
        f"{PASSWORDS}",
    ),
    (("pg_hba.conf",), "does not let this user in from here: its pg_hba.conf decides"),
    (("database ",), "has no such database, or none that this user may open: check its name"),
    (("ssl", "certificate"), "asks for another kind of encryption: see sslmode and sslrootcert"),
)


def why_refused(said: str) -> str:
    """By the words of the driver, none of which are repeated.

    >>> why_refused("connection to server failed: Connection refused")
    'does not answer: check host and port, and that it runs'
    >>> why_refused('invalid port number: "99999"')[:23]
    'cannot be looked for: i'
    """
    said = said.lower()
    known = (told for words, told in _REFUSALS if any(word in said for word in words))
    return next(known, "does not let you in: try psql with the same URL")
