"""What a column may be by its name alone: put into its fields, to be checked by a person.

>>> proposed("age").kind, proposed("age").facts, proposed("age").proposed
('integer', '0..120', True)
>>> proposed("age").source, proposed("sys_bp").source
('people live for 0 to 120 years', 'only a guess: usual for a systolic pressure in mmHg')
>>> proposed("xq7").kind
''
"""

from datetime import UTC, datetime
from typing import Any

from sfumato.schema.wizard.preset import Preset, suggested
from sfumato.studio.draft import TypedColumn
from sfumato.studio.facts import written_facts
from sfumato.studio.guess import guessed

__all__ = ["proposed"]


def proposed(name: str, stored: str | None = None) -> TypedColumn:
    """The column as its name, and the kind that its file declares, suggest it."""
    found = suggested(name, stored)
    line = _line(found) if found else ""
    guess = guessed(name) if not line and stored in (None, "integer", "number") else None
    if guess and (found is None or found.kind not in ("id", "boolean")):
        kind = stored or "number"
        line = written_facts(kind, guess.facts)
        return TypedColumn(name, kind, line, source=guess.source, proposed=True)
    if found is None:
        return TypedColumn(name)
    kind = "category" if found.kind == "code" else found.kind
    return TypedColumn(name, kind, line, source=found.source or "", proposed=True)


def _line(found: Preset) -> str:
    """The facts of a preset as they are typed; nothing where an end is open."""
    this_year = datetime.now(UTC).year
    said = {"next year": this_year + 1, "end of this year": datetime(this_year, 12, 31)}  # noqa: DTZ001  a day
    facts: dict[str, Any] = {
        fact: said.get(value, value) if isinstance(value, str) else value
        for fact, value in found.facts.items()
        if fact != "kind" and value is not None
    }
    if found.kind == "code":
        return written_facts("category", facts and {**facts, "other": "other"})
    return written_facts(found.kind, facts)
