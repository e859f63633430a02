"""Where a ledger in PostgreSQL is: the address of the database, and the schema in it.

>>> place = LedgerAddress.of("postgresql://anna@db.example/registry?sslmode=verify-full")
>>> place.name, place.schema
('postgresql://db.example/registry', 'sfumato')
"""

import os
import re
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, urlencode

from sfumato.database.url import PostgresUrl, read_url
from sfumato.errors import ParameterError

__all__ = ["LedgerAddress"]

_PORT = re.compile(":([0-9]+)$")
_PORTS = re.compile("[0-9]+(?:,[0-9]+)*")
_SCHEMA = re.compile("[a-z][a-z0-9_]{0,40}")  # its roles bear its name and an ending


@dataclass(frozen=True)
class LedgerAddress:
    """A database without a password, and the schema that holds the ledger."""

    url: PostgresUrl = field(repr=False)
    schema: str = "sfumato"

    @classmethod
    def of(cls, text: str) -> "LedgerAddress":
        """From what a person typed: `?schema=…` names another schema than `sfumato`."""
        place, mark, query = text.partition("?")
        settings = dict(parse_qsl(query, keep_blank_values=True))
        schema = settings.pop("schema", "sfumato")
        if not _SCHEMA.fullmatch(schema):
            raise ParameterError(
                "the schema of a ledger is a short name of small letters, digits and _"
            )
        if "#" in text:
            raise ParameterError("the address of a ledger names no table: drop what begins with #")
        rest = f"{place}{mark}{urlencode(settings)}" if "schema=" in query else text
        found, _ = read_url(rest.removesuffix("?"))
        if not isinstance(found, PostgresUrl):
            raise ParameterError(
                "a ledger lies in a file of its own or in PostgreSQL: give a path, or an address "
                "like postgresql://user@host/database"
            )
        return cls(found, schema)

    @property
    def name(self) -> str:
        """As messages name it: without user and settings."""
        return self.named(self.url.host, self._port, self.url.database)

    def named(self, host: str, port: str, database: str) -> str:
        """The same for a server and a database that were found."""
        other = "" if self.schema == "sfumato" else f"?schema={self.schema}"
        return f"postgresql://{host}{port}/{database}{other}"

    @property
    def _port(self) -> str:
        """Two servers of one host are two places."""
        server = self.url.text.partition("://")[2].partition("?")[0].partition("/")[0]
        settings = dict(parse_qsl(self.url.text.partition("?")[2]))
        stated = _PORT.search(server)
        port = stated[1] if stated else settings.get("port") or os.environ.get("PGPORT", "")
        # What is no port is not repeated: it may be a password in the wrong place.
        return "" if port == "5432" or not _PORTS.fullmatch(port) else f":{port}"

    def role(self, duty: str) -> str:
        """The database role of owners, publishers or auditors."""
        return f"{self.schema}_{duty}"
