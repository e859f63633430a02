"""A schema to be read and finished by a person: facts, blanks and remarks, as YAML.

>>> age = DraftedColumn("age", {"kind": "integer", "low": 0, "high": None}, ("years",))
>>> print(yaml_text(["Drafted."], "clinic", [age]), end="")
# Drafted.
name: clinic
columns:
  age:
    # years
    kind: integer
    low: 0
    high:  # declare from public knowledge
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any

import yaml

from sfumato.schema.column_guess import scalar
from sfumato.untrusted.visible import visible

__all__ = ["BLANK", "DraftedColumn", "yaml_text"]

BLANK = "  # declare from public knowledge"
_LINE = 80


@dataclass(frozen=True)
class DraftedColumn:
    """Facts of one column, None where a person must fill one in, and remarks."""

    name: str
    facts: Mapping[str, Any]
    remarks: tuple[str, ...] = field(default=())


def yaml_text(
    head: Iterable[str],
    name: str,
    columns: Iterable[DraftedColumn],
    *,
    facts: Mapping[str, Any] | None = None,
) -> str:
    """The schema with a comment above; `facts` are those of the whole file."""
    lines = [_remark(line) for line in head]
    lines.append(f"name: {scalar(name)}")
    for fact, value in (facts or {}).items():
        lines += _written(fact, value)
    lines.append("columns:")
    for column in columns:
        lines.append(f"  {scalar(column.name)}:")
        lines += [f"    {_remark(remark)}" for remark in column.remarks]
        for fact, value in column.facts.items():
            lines += [f"    {line}" for line in _written(fact, value)]
    return "\n".join(lines) + "\n"


def _remark(text: str) -> str:
    return f"# {visible(text)}"  # on one line: what follows a line break would be a fact


def _written(fact: str, value: Any) -> list[str]:
    name = scalar(fact)
    if value is None:
        return [f"{name}:{BLANK}"]
    if isinstance(value, Mapping):
        return [f"{name}:", *(f"  {line}" for f, v in value.items() for line in _written(f, v))]
    if isinstance(value, list | tuple):
        items = [_single(item) for item in value]
        line = f"{name}: [{', '.join(items)}]"
        return [line] if len(line) <= _LINE else [f"{name}:", *(f"  - {item}" for item in items)]
    return [f"{name}: {_single(value)}"]


def _single(value: Any) -> str:
    if isinstance(value, str):
        return scalar(value)
    if isinstance(value, date):
        return value.isoformat().removesuffix("T00:00:00")
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    return yaml.safe_dump([value], default_flow_style=True).strip()[1:-1]
