"""Where a database is, as a URL: of PostgreSQL, or of a DuckDB file.

What stands behind # is the table, as with sheets of a workbook.  A password in a URL is refused:
every user of the machine sees it in the list of processes, and histories and logs keep it.  No
message repeats a URL, since one that cannot be read may hold a password all the same.
"""

import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import parse_qsl, unquote

from sfumato.errors import ParameterError

__all__ = ["PASSWORDS", "PostgresUrl", "is_url", "read_url"]

PASSWORDS = "PGPASSWORD, ~/.pgpass or a service file"
_SCHEME = re.compile(r"\s*[A-Za-z][A-Za-z0-9+.:-]*://")
_FLATTENED = re.compile(r"(postgresql|postgres|duckdb):/")
# What was meant as a database, and may hold a password: never taken for a path, which is repeated.
_MISSPELT = re.compile(
    r"\s*['\"]?(?:jdbc:)?(?:postgresql|postgres|duckdb):(?!//)|(?:.*\s)?password\s*=", re.I | re.S
)
# A name, a colon and an @ before a host: an address without its beginning. C:\ is a drive.
_TORN = re.compile(r"(?:^|/)['\"\s]*[^/\\:@]+:(?![/\\])[^@\\]*@[^/]*")
_PORTS = re.compile("[0-9]{0,5}(?:,[0-9]{0,5})*")
_HOST = r"(?:\[[0-9A-Fa-f:.]+\]|[^\[\]:@,/]*)(?::[0-9]*)?"
_HOSTS, _PORT, _MARKS = (
    re.compile(rf"{_HOST}(?:,{_HOST})*"),
    re.compile(r":[0-9]+$"),
    re.compile("[@/:]"),
)
_SECONDS_TO_CONNECT = 15
# What libpq knows, without what is secret or would change how records are sent.
_SETTINGS = frozenset(
    {
        *("application_name", "channel_binding", "connect_timeout", "dbname", "gssencmode"),
        *("host", "hostaddr", "keepalives", "keepalives_count", "keepalives_idle", "service"),
        *("keepalives_interval", "krbsrvname", "load_balance_hosts", "options", "passfile"),
        *("port", "require_auth", "requirepeer", "sslcert", "sslcrl", "sslkey", "sslmode"),
        *("sslnegotiation", "sslrootcert", "target_session_attrs", "tcp_user_timeout", "user"),
    }
)


@dataclass(frozen=True)
class PostgresUrl:
    """A database on a server, without a password."""

    text: str = field(repr=False)
    host: str
    database: str

    @property
    def with_limit(self) -> str:
        """The URL, with an end to waiting for a server that does not answer."""
        if "connect_timeout=" in self.text or "PGCONNECT_TIMEOUT" in os.environ:
            return self.text
        mark = "&" if "?" in self.text else "?"
        return f"{self.text}{mark}connect_timeout={_SECONDS_TO_CONNECT}"


def is_url(data: object) -> bool:
    """Whether this is a URL, and no path.

    >>> is_url("postgresql://reader@host/clinic"), is_url("visits.csv"), is_url(Path("a"))
    (True, False, False)
    """
    if isinstance(data, Path) and _FLATTENED.match(str(data)):
        raise ParameterError("a URL is given as a text, not as a Path, which spoils its slashes")
    if isinstance(data, str) and _MISSPELT.match(data):
        raise ParameterError(_UNREADABLE)
    if isinstance(data, str | Path) and _is_torn(str(data)):
        raise ParameterError(_NO_PATH)
    return isinstance(data, str) and _SCHEME.match(data) is not None


def _is_torn(text: str) -> bool:
    """Whether it reads as an address without its beginning, and there is no such file or folder."""
    found = None if _SCHEME.match(text) else _TORN.search(text)
    return found is not None and not os.path.lexists(text[: found.end()])


def read_url(text: str) -> tuple[PostgresUrl | Path, str | None]:
    """The database, on a server or in a file of DuckDB, and the table that stands behind #.

    >>> read_url("postgresql://reader@host/clinic?sslmode=require#visits")
    (PostgresUrl(host='host', database='clinic'), 'visits')
    >>> read_url("duckdb:///clinic.db#visits")[0].name
    'clinic.db'
    >>> read_url("postgresql://reader:secret@host/clinic")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    sfumato.errors.ParameterError: the URL of the database holds a password, which ...
    """
    where, _, table = text.partition("#")
    scheme, _, rest = where.partition("://")
    scheme = scheme.strip()
    if scheme.lower() == "duckdb":
        return _duckdb(rest), table or None
    if scheme.lower() not in ("postgresql", "postgres"):
        raise ParameterError(
            "of URLs, postgresql:// and duckdb:/// are read: save a table from elsewhere as a "
            "file, or give an open ADBC connection in Python"
        )
    return _postgres(rest), table or None


def _duckdb(rest: str) -> Path:
    if not rest.startswith("/") or not rest.strip("/"):
        raise ParameterError(
            "the URL of a DuckDB file has three slashes before a path from here, and four before "
            "one from the root: duckdb:///clinic.duckdb, duckdb:////data/clinic.duckdb"
        )
    return Path(unquote(rest[1:]))


def _postgres(rest: str) -> PostgresUrl:
    place, _, query = rest.partition("?")
    server, _, database = place.partition("/")
    user, _, hosts = server.rpartition("@")
    settings = dict(parse_qsl(query, keep_blank_values=True))
    if ":" in user or any("password" in name.lower() for name in settings):
        raise ParameterError(_PASSWORD)
    decoded = unquote(hosts)  # %3A and %40 may hide a password, and a refusal names the host
    whole = _HOSTS.fullmatch(hosts) and (decoded[:1] == "/" or _HOSTS.fullmatch(decoded))
    named = (settings.get("host", ""), settings.get("hostaddr", ""))
    if not whole or _MARKS.search(database) or any("@" in name for name in named):
        raise ParameterError(_UNREADABLE)
    if unknown := set(settings) - _SETTINGS:  # unnamed: a torn password may look like a name
        raise ParameterError(
            f"the URL of the database has settings that are not known here ({len(unknown)}): leave "
            "them out"
        )
    _check_port(hosts, settings)
    host = _PORT.sub("", decoded) or settings.get("host") or settings.get("hostaddr") or ""
    name = unquote(database) or settings.get("dbname") or ""
    return PostgresUrl(f"postgresql://{rest}", host, name)


def _check_port(hosts: str, settings: dict[str, str]) -> None:
    """Refuse what is no number unseen: in the wrong place it may be a password."""
    if _PORT.search(hosts):
        return  # which is a number, and goes first
    served = "service" in settings or "PGSERVICE" in os.environ  # and may have a port of its own
    port = settings.get("port") or ("" if served else os.environ.get("PGPORT", ""))
    if not _PORTS.fullmatch(port):
        where = "port=" if settings.get("port") else "the variable PGPORT"
        raise ParameterError(
            f"the port of the database is a number up to 65535, and {where} holds none: correct it"
        )


_PASSWORD = (
    "the URL of the database holds a password, which others see in the list of processes: leave it "
    f"out and change it; it is read from {PASSWORDS}"
)
_UNREADABLE = (
    "the URL of the database cannot be read: write it as postgresql://user@host:port/database, "
    f"with other settings behind ?; the password is read from {PASSWORDS}"
)
_NO_PATH = (
    "this reads as the address of a database with a password in it, and there is no such file: "
    "write it as postgresql://user@host:port/database, without the password, which is read from "
    f"{PASSWORDS}; the name of a file that is to be made has no : before an @"
)
