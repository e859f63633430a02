"""A schema with blanks: kinds are declared, and what is left blank is to be bought.

What is declared is held to the rules of `Schema`: the blanks are filled with placeholders, and
what comes of that must be a schema.  So whatever a schema may state of a column, a partial one
may state, too, and it is passed on.

>>> partial = PartialSchema.of({"name": "t", "columns": {
...     "age": {"kind": "integer", "low": 0},
...     "ward": {"kind": "category", "values": None},
...     "smoker": {"kind": "boolean"}}})
>>> partial.ranges, partial.categories
((('age',),), ('ward',))
>>> partial.completed({"age": {"high": 90}, "ward": {"values": ["a"], "other": "else"}}).label
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from fractions import Fraction
from pathlib import Path
from typing import Any

from sfumato.errors import SchemaError
from sfumato.schema.schema import Schema
from sfumato.schema.shorthand import OTHER
from sfumato.schema.strict_yaml import load
from sfumato.untrusted.plain_file import content

__all__ = ["SAME_RANGE", "PartialSchema"]

SAME_RANGE = "same_range_as"
_ENDS = ("low", "high")
_RANGED = ("number", "integer", "date")
_LARGEST = 2**26  # bytes of a file
_PLACEHOLDERS = ("987654321", "True")  # two, as a label needs, which numbers and truth values spell
_DAY = date(2000, 1, 1)


@dataclass(frozen=True)
class PartialSchema:
    """Kinds of all columns, what is declared of them, and which of them share a range."""

    facts: Mapping[str, Any]  # of the schema as it was written, without blanks
    template: Schema  # with placeholders in the blanks
    ranges: tuple[tuple[str, ...], ...]  # columns whose range is bought; each group shares one
    categories: tuple[str, ...]  # columns whose values are bought

    @classmethod
    def read(cls, path: str | Path, groups: Iterable[Sequence[str]] = ()) -> "PartialSchema":
        """A partial schema from a YAML or JSON file."""
        try:
            text = content(Path(path), _LARGEST, follow=True).decode("utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
            raise SchemaError(f"schema {path} cannot be read: {reason}") from None
        found = load(text, where=str(path))
        return cls.of(found, groups, where=str(path), folder=Path(path).parent)

    @classmethod
    def of(
        cls,
        given: object,
        groups: Iterable[Sequence[str]] = (),
        *,
        where: str = "schema",
        folder: Path | None = None,
    ) -> "PartialSchema":
        """A partial schema from a mapping; `groups` are columns that share one range.

        `folder` is where code books that are files lie.
        """
        if isinstance(given, Schema):
            given = given.to_json()
        columns = given.get("columns") if isinstance(given, Mapping) else None
        if not isinstance(given, Mapping) or not isinstance(columns, Mapping):
            raise SchemaError(f"{where}: a schema is a mapping with name and columns")
        same, facts, filled = {}, {}, {}
        for name, column in columns.items():
            stated, filled[name] = column, column
            if isinstance(column, Mapping):
                _check_kind(name, column, where)
                stated = {key: fact for key, fact in column.items() if fact is not None}
                if SAME_RANGE in stated:
                    same[name] = str(stated.pop(SAME_RANGE))
                filled[name] = stated | _placeholders(stated)
            facts[name] = stated
        template = Schema.of({**given, "columns": filled}, where=where, folder=folder)
        bought = [
            name
            for name, column in template.columns.items()
            if column.kind in _RANGED and not all(end in facts[name] for end in _ENDS)
        ]
        categories = [
            name
            for name, column in template.columns.items()
            if column.kind == "category" and "values" not in facts[name]
        ]
        shared = _shared(facts, bought, same, groups, where)
        return cls({**given, "columns": facts}, template, shared, tuple(categories))

    def declared(self, name: str, fact: str) -> Any:
        """A fact that was declared of a column; None where it is blank."""
        given = name in self.facts["columns"] and fact in self.facts["columns"][name]
        return getattr(self.template.columns[name], fact) if given else None

    @property
    def bought(self) -> tuple[str, ...]:
        """All columns of which something is bought, in the order of the schema."""
        named = {name for group in self.ranges for name in group} | set(self.categories)
        return tuple(name for name in self.template.columns if name in named)

    def completed(self, found: Mapping[str, Mapping[str, Any]]) -> Schema:
        """The schema with these facts in its blanks."""
        columns = {
            name: {**facts, **found.get(name, {})} for name, facts in self.facts["columns"].items()
        }
        return Schema.of({**self.facts, "columns": columns})

    def to_json(self) -> dict[str, Any]:
        """What the certificate states: the schema with its blanks left out, groups named."""
        stated = self.template.to_json()
        for name in self.bought:
            column, whole = stated["columns"][name], self.template.columns[name]
            for fact in (*_ENDS, "values", "other", "step", "provenance"):
                column.pop(fact, None)
                if fact != "provenance" and self.declared(name, fact) is not None:
                    column[fact] = whole.model_dump(mode="json")[fact]  # defaults as well
        for first, *others in self.ranges:
            for name in others:
                stated["columns"][name][SAME_RANGE] = first
        return stated


def _check_kind(name: object, column: Mapping[str, Any], where: str) -> None:
    if column.get("kind") is None:
        raise SchemaError(
            f"{where}: column {name}: kind is blank: say number, integer, category, boolean, date "
            "or id; an estimate buys ranges and values, not kinds"
        )


def _placeholders(stated: Mapping[str, Any]) -> dict[str, Any]:
    """Facts that make a schema of the blanks of one column."""
    kind = stated["kind"]
    if kind == "category" and "values" not in stated:
        if "taxonomy" in stated:
            raise SchemaError("a taxonomy names the values: declare them, or leave out taxonomy")
        return {"values": list(_PLACEHOLDERS), "other": stated.get("other", OTHER)}
    low, high = (stated.get(end) for end in _ENDS)
    if kind not in _RANGED or (low is not None and high is not None):
        return {}
    try:
        if kind == "date":
            return {k: v for k, v in _dates(low, high).items() if k not in stated}
        step = Fraction(str(stated.get("step", 1)))
        bottom = Fraction(0) if low is None and high is None else None
        if bottom is None:
            bottom = Fraction(str(low)) if low is not None else Fraction(str(high)) - step
        number = int if kind == "integer" else float
        ends: dict[str, Any] = {"low": number(bottom), "high": number(bottom + step)}
    except (ValueError, ZeroDivisionError, OverflowError, TypeError, AttributeError):
        ends = {"low": 0, "high": 1}  # what was stated is refused by the schema
        ends = {"low": _DAY, "high": _DAY} if kind == "date" else ends
    return {end: value for end, value in ends.items() if end not in stated}


def _dates(low: Any, high: Any) -> dict[str, Any]:
    if low is None and high is None:
        return {"low": _DAY, "high": _DAY + timedelta(days=8000)}
    known = low if low is not None else high
    known = datetime.fromisoformat(known) if isinstance(known, str) else known
    year = known.year
    if low is not None:
        return {"high": date(min(year + 2, 9999), 1, 1)}
    return {"low": date(max(year - 2, 1), 1, 1)}


def _shared(
    facts: Mapping[str, Any],
    bought: Sequence[str],
    same: Mapping[str, Any],
    groups: Iterable[Sequence[str]],
    where: str,
) -> tuple[tuple[str, ...], ...]:
    """The bought columns, those that share a range together, by the first of each."""
    leader = {name: name for name in bought}
    pairs = list(same.items())
    for group in groups:
        if isinstance(group, str) or len(group) < 2:
            raise SchemaError("groups: a group is a list of at least two columns")
        pairs += [(name, group[0]) for name in group[1:]]
    for name, other in pairs:
        for one in (name, other):
            if one not in leader:
                raise SchemaError(
                    f"{where}: column {name}: {SAME_RANGE} {other}: {one} is no column whose range "
                    "is bought: correct its name, or leave its low and high blank"
                )
        alike = ("kind", "step", *_ENDS)
        if any(facts[name].get(fact) != facts[other].get(fact) for fact in alike):
            raise SchemaError(
                f"{where}: columns {other}, {name}: one range for two columns of another kind or "
                "with other ends or steps: declare the same of both"
            )
        first, second = leader[other], leader[name]
        leader = {n: first if lead == second else lead for n, lead in leader.items()}
    found: dict[str, list[str]] = {}
    for name in bought:
        found.setdefault(leader[name], []).append(name)
    return tuple(tuple(members) for members in found.values())
