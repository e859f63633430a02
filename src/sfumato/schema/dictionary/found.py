"""What a dictionary says of a table and its columns, in the words of a schema.

>>> age = FoundColumn("age", "dictionary d.csv")
>>> age.range("integer", "18", None)
>>> age.facts
{'kind': 'integer', 'low': 18, 'high': None, 'source': 'dictionary d.csv'}
"""

import re
from dataclasses import dataclass, field
from datetime import datetime
from math import isfinite
from typing import Any

from sfumato.schema.column_guess import other_word
from sfumato.schema.drafted import DraftedColumn

__all__ = ["Dictionary", "FoundColumn", "moment", "number", "texts"]

_NUMBER = re.compile(r"[-+]?[0-9]{1,300}([.][0-9]{1,300})?([eE][-+]?[0-9]{1,3})?")
_LONGEST = 200  # characters of a remark


def number(value: Any) -> int | float | None:
    """A number as JSON has it, or a text that is one; else None."""
    if isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
        value = float(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if not isfinite(value) or abs(value) > 1e300:
        return None
    return int(value) if float(value).is_integer() and abs(value) <= 2**53 else value


def moment(value: Any) -> datetime | None:
    """A date or a time as ISO 8601 has it, without a zone; else None."""
    try:
        found = datetime.fromisoformat(value.strip()) if isinstance(value, str) else None
    except ValueError:
        return None
    return found if found is None or found.tzinfo is None else None


def texts(values: Any) -> list[str]:
    """The texts of a list, or of one text; numbers as they are written."""
    if not isinstance(values, list):
        values = [values]
    return [str(v) for v in values if isinstance(v, str | int | float) and not isinstance(v, bool)]


@dataclass
class FoundColumn:
    """One column: facts, None where a person must fill one in, and remarks."""

    name: str
    source: str
    facts: dict[str, Any] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.source = self.source[:_LONGEST]

    def remark(self, text: str) -> None:
        """A remark for whoever finishes the schema."""
        self.remarks.append(text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…")

    def range(self, kind: str, low: Any, high: Any) -> None:
        """Two ends as the dictionary has them; what it does not have is blank."""
        self.facts = {"kind": kind}
        for end, said in (("low", low), ("high", high)):
            found = moment(said) if kind == "date" else number(said)
            if kind == "integer" and isinstance(found, float):
                found = None
            if found is None and said not in (None, ""):
                self.remark(f"{end}: what the dictionary says is no plain {kind}: fill it in")
            self.facts[end] = found
        if any(self.facts[end] is not None for end in ("low", "high")):
            self.facts["source"] = self.source

    def values(self, values: list[Any]) -> None:
        """A list that the dictionary calls complete."""
        listed = list(dict.fromkeys(v if isinstance(v, int) else str(v).strip() for v in values))
        self.facts = {"kind": "category", "values": listed, "other": "none", "source": self.source}

    def unlisted(self) -> None:
        """A text of which no values are listed."""
        self.facts = {"kind": "category", "values": None, "other": other_word([])}
        self.remark("or kind: id, which is never read; or number or date where the texts are")

    def never_read(self, why: str) -> None:
        """A column that is not released."""
        self.facts = {"kind": "id"}
        self.remark(f"{why}: never read, never released")

    def unknown(self, why: str) -> None:
        """A column of which not even the kind can be said."""
        self.facts = {"kind": None}
        self.remark(f"{why}: number, integer, category, boolean, date or id")

    def drafted(self) -> DraftedColumn:
        """For the schema that is written."""
        return DraftedColumn(self.name, self.facts, tuple(self.remarks))


@dataclass
class Dictionary:
    """A table as its dictionary describes it."""

    standard: str
    name: str | None
    columns: list[FoundColumn]
    file: dict[str, Any] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)
