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
from pathlib import Path
from typing import Any

from sfumato.errors import SchemaError
from sfumato.schema.domain import Domain
from sfumato.schema.placeholder import placeholders
from sfumato.schema.schema import Schema
from sfumato.schema.strict_yaml import load
from sfumato.untrusted.plain_file import content

__all__ = ["SAME_RANGE", "PartialSchema"]

SAME_RANGE = "same_range_as"
_ENDS = ("low", "high")
_RANGED = ("number", "integer", "date")
_LARGEST = 2**26  # bytes of a file


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
                _check_blank(name, stated, where)
                filled[name] = stated | placeholders(
                    stated, given.get("file"), f"{where}: column {name}"
                )
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
            if facts[name]["kind"] == "category" and "values" not in facts[name]
        ]
        _check_constraints(template, categories, where)
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
        whole = self.template.to_json()["columns"]  # values of code books are written out there
        columns = {
            name: {**facts, **found[name]} if name in found else whole[name]
            for name, facts in self.facts["columns"].items()
        }
        return Schema.of({**self.facts, "columns": columns})

    def fits(self, names: Iterable[str], found: Mapping[str, Any]) -> bool:
        """Whether these facts, of each of these columns, make a schema that has a grid."""
        columns = {name: {**self.facts["columns"][name], **found} for name in names}
        try:
            Domain.of(Schema.of({**self.facts, "columns": columns, "constraints": []}))
        except SchemaError:
            return False
        return True

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


def _check_blank(name: object, stated: Mapping[str, Any], where: str) -> None:
    """Refuse what says something of values or ends that are not there yet."""
    kind, said = stated["kind"], f"{where}: column {name}: "
    values = kind == "category" and "values" not in stated
    if not values and not (kind in _RANGED and any(end not in stated for end in _ENDS)):
        return
    if isinstance(stated.get("provenance"), Mapping):
        raise SchemaError(
            f"{said}what an earlier release bought would be lost from the account: declare all of "
            "it as it was bought, or leave out provenance with it and buy the whole range anew"
        )
    if values and "taxonomy" in stated:
        raise SchemaError(f"{said}a taxonomy names the values: declare them, or leave out taxonomy")
    if values and "aliases" in stated:
        raise SchemaError(f"{said}aliases need values: declare them, or leave out aliases")
    if values and (stated.get("other") is False or str(stated.get("other")).strip() == "none"):
        raise SchemaError(
            f"{said}values that few records have are not found, so that other values occur: name "
            "what they become (other: elsewhere), or declare values"
        )


def _check_constraints(template: Schema, categories: Iterable[str], where: str) -> None:
    """Refuse combinations of values that nobody knows yet."""
    for constraint in template.constraints:
        if isinstance(constraint, str):
            continue
        for name in set(constraint.columns) & set(categories):
            known = {None, str(getattr(template.columns[name], "other", None)).strip()}
            place = constraint.columns.index(name)
            listed = (combination[place] for combination in constraint.listed)
            if any(v is not None and str(v).strip() not in known for v in listed):
                raise SchemaError(
                    f"{where}: constraint on {', '.join(constraint.columns)}: the values of {name} "
                    "are blank: declare them, or write the constraint into the bought schema"
                )


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
        listed = isinstance(group, list | tuple) and all(isinstance(name, str) for name in group)
        if not listed or len(group) < 2:
            raise SchemaError("groups: a group is a list of at least two columns, by their names")
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
