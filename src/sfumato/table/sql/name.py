"""Names of tables, and how SQL is told names: always in quotes, never as it was typed."""

import re
from dataclasses import dataclass
from pathlib import Path

from sfumato.errors import ParameterError

__all__ = ["TableName", "quoted", "table_in"]

_PART = r'"(?:[^"]|"")+"|[^".]+'
_NAME = re.compile(rf"(?:{_PART})(?:\.(?:{_PART}))*")
_IN_DATABASE = re.compile(r"(?:\w+://[^#]*|.*\.(?:duckdb|ddb|db))#(.+)", re.I | re.S)
_MOST_PARTS = 3  # catalog, schema, table


def quoted(name: str) -> str:
    """A name as SQL reads it, whatever characters it has.

    >>> quoted('a "b" c')
    '"a ""b"" c"'
    """
    return '"' + name.replace('"', '""') + '"'


def table_in(data: object) -> str | None:
    """The own name of a table that stands behind the URL or the path of a database.

    >>> table_in("postgresql://ann@host/db#clinic.visits"), table_in("visits.xlsx#2024")
    ('visits', None)
    """
    found = _IN_DATABASE.fullmatch(str(data)) if isinstance(data, str | Path) else None
    return None if found is None else TableName.of(found[1]).last


@dataclass(frozen=True)
class TableName:
    """The name of a table or view, with its schema before it where there is one.

    >>> TableName.of("clinic.visits").quoted, TableName.of('"odd.name"').parts
    ('"clinic"."visits"', ('odd.name',))
    """

    parts: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> "TableName":
        """As it was typed: a dot parts schema and table, capitals count, quotes keep a dot."""
        if not isinstance(text, str) or "\0" in text or not _NAME.fullmatch(text):
            raise ParameterError(
                "table must be the name of a table or view, as visits or clinic.visits: put a name "
                'with a dot of its own in double quotes, as "odd.name"'
            )
        found = tuple(
            part[1:-1].replace('""', '"') if part.startswith('"') else part
            for part in re.findall(_PART, text)
        )
        if len(found) > _MOST_PARTS:
            raise ParameterError(
                "table has more than catalog, schema and name: put a name with a dot of its own in "
                'double quotes, as "odd.name"'
            )
        return cls(found)

    @property
    def last(self) -> str:
        """The name of the table itself."""
        return self.parts[-1]

    @property
    def quoted(self) -> str:
        """All of it, as SQL reads it."""
        return ".".join(map(quoted, self.parts))

    def __str__(self) -> str:
        return ".".join(self.parts)
