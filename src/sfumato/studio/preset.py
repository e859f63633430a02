"""What a column may be by its name alone: put into its fields, to be checked by a person.

>>> proposed("age").kind, proposed("age").facts, proposed("age").proposed
('integer', '0..120', True)
>>> proposed("xq7").kind
''
"""

from datetime import UTC, datetime
from typing import Any

from sfumato.schema.wizard.preset import suggested
from sfumato.studio.draft import TypedColumn
from sfumato.studio.facts import written_facts

__all__ = ["proposed"]


def proposed(name: str, stored: str | None = None) -> TypedColumn:
    """The column as its name, and the kind that its file declares, suggest it."""
    found = suggested(name, stored)
    if found is None:
        return TypedColumn(name)
    this_year = datetime.now(UTC).year
    said = {"next year": this_year + 1, "end of this year": datetime(this_year, 12, 31)}  # noqa: DTZ001  a day
    facts: dict[str, Any] = {
        fact: said.get(value, value) if isinstance(value, str) else value
        for fact, value in found.facts.items()
        if fact != "kind" and value is not None
    }
    kind = found.kind
    if kind == "code":
        kind, facts = "category", facts and {**facts, "other": "other"}
    return TypedColumn(name, kind, written_facts(kind, facts), proposed=True)
