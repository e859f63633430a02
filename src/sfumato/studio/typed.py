"""Facts of a schema as fields of a page, and the fields as facts of a schema.

>>> age = typed_column("age", {"kind": "integer", "low": 0, "high": 110, "source": "manual"})
>>> age.facts, age.source, stated_facts(age)
('0..110', 'manual', {'kind': 'integer', 'low': 0, 'high': 110, 'source': 'manual'})
"""

import re
from collections.abc import Mapping
from typing import Any

from sfumato.errors import ParameterError
from sfumato.studio.draft import TypedColumn
from sfumato.studio.facts import read_facts, written_facts
from sfumato.studio.words import KINDS

__all__ = ["kind_of", "stated_facts", "typed_column"]

_OWN = ("kind", "missing", "per", "role", "source")  # each has a field of its own


def typed_column(name: str, facts: Mapping[str, Any]) -> TypedColumn:
    """A column whose facts were declared elsewhere; what has no field is kept beside them."""
    kind = str(facts.get("kind") or "")
    rest = {fact: value for fact, value in facts.items() if fact not in _OWN and value is not None}
    if kind == "code":
        kind = "category"
    if kind not in KINDS:
        kind, rest = "", {}
    if not isinstance(rest.get("values", []), list | tuple):
        del rest["values"]
    try:
        line = written_facts(kind, rest)
        shown = read_facts(kind, line) if kind else {}
        beyond = {fact: rest[fact] for fact in rest if fact not in shown and fact != "step"}
    except ParameterError:  # an end or a list is blank: what depends on it would not fit
        line, beyond = "", {}
    if facts.get("role") == "group":
        beyond["role"] = "group"
    return TypedColumn(
        name,
        kind,
        line,
        missing=facts.get("missing") == "allowed",
        per_person=facts.get("per") == "person",
        source=str(facts.get("source") or ""),
        beyond=beyond,
    )


def stated_facts(column: TypedColumn) -> dict[str, Any]:
    """What the fields of a column say, as a schema takes it."""
    if column.kind not in KINDS:
        raise ParameterError("choose what it is")
    if column.kind == "id":
        return {"kind": "id"}
    found = {"kind": column.kind, **column.beyond, **read_facts(column.kind, column.facts)}
    if column.kind == "category" and "book" in found:
        found["kind"] = "code"
    elif column.kind == "category" and "other" not in found:
        raise ParameterError(
            "say what a value becomes that is not in the list: add `; other: elsewhere`, or "
            "`; other: none` where nothing else occurs"
        )
    if column.missing:
        found["missing"] = "allowed"
    if column.per_person:
        found["per"] = "person"
    if column.source:
        found["source"] = column.source
    return found


def kind_of(facts: str) -> str:
    """What a column is, by how its facts are written; nothing where there are none.

    >>> [kind_of(one) for one in ("0..9", "0..9 by 0.5", "2024-01-01..2024-12-31", "a, b", "")]
    ['integer', 'number', 'date', 'category', '']
    """
    if not facts:
        return ""
    head = facts.partition(";")[0]
    if "," in head and not re.search(r"\.\.|:", head):  # a long list is told without reading it
        return "category"
    for kind in ("integer", "number", "date", "boolean"):
        try:
            read_facts(kind, facts)
        except ParameterError:
            continue
        return kind
    if ".." not in facts.partition(",")[0]:
        return "category"
    return "date" if re.match(r"[0-9]{4}-", facts) else "number"  # a range with a mistake in it
