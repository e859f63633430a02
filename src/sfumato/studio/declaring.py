"""From what was typed to a schema: what is wrong is said beside the field that it is about."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any
from unicodedata import normalize

import yaml

from sfumato.errors import ParameterError, SchemaError
from sfumato.schema.column_facts import column_facts
from sfumato.schema.schema import Schema
from sfumato.studio.draft import Draft, TypedColumn
from sfumato.studio.header import shown_name
from sfumato.studio.typed import stated_facts
from sfumato.untrusted.visible import visible

__all__ = ["KNOWN_FROM", "SAYS_ITSELF", "Declared", "declared", "notes", "open_questions"]

KNOWN_FROM = {
    "code book": "a code book or data dictionary",
    "questionnaire": "the questionnaire or form",
    "law": "a law, rule or standard",
    "measuring": "how it is measured",
    "common": "common knowledge",
    "other": "something else",
}
LONGEST_SOURCE = 400  # characters
SAYS_ITSELF = ("measuring", "common")  # nobody can say which one


@dataclass
class Declared:
    """The schema, or what stands in its way: by column, and of the whole."""

    faults: dict[int, str] = field(default_factory=dict)
    whole: list[str] = field(default_factory=list)
    schema: Schema | None = None
    becomes: dict[str, str] = field(default_factory=dict)
    alike: dict[str, str] = field(default_factory=dict)  # values that look the same, by column
    idle: set[int] = field(default_factory=set)  # that say words for missing, and may lack nothing

    @property
    def todo(self) -> int:
        """Columns that still need something."""
        return len(self.faults)


def declared(draft: Draft) -> Declared:
    """Judge a draft by the rules of schemas."""
    found, facts = Declared(), {}
    for place, column in enumerate(draft.columns):
        try:
            facts[column.name] = stated_facts(column)
            _check(column, facts[column.name], draft)
            if facts[column.name].get("missing_words") and not column.missing:
                found.idle.add(place)
            found.alike[column.name] = _alike(facts[column.name].get("values", ()))
        except (ParameterError, SchemaError) as refusal:
            found.faults[place] = _bare(str(refusal), column.name, place)
    if not found.faults and (not draft.several or draft.rows_per_person.isdecimal()):
        _judge_whole(draft, facts, found)
    return found


def _check(column: TypedColumn, facts: dict[str, Any], draft: Draft) -> None:
    """Whether a schema of this column alone would do."""
    if column.kind == "id":
        return
    alone = {fact: value for fact, value in facts.items() if fact != "per"}
    beyond = {fact: value for fact, value in draft.beyond.items() if fact == "file"}
    Schema.of({"name": "t", **beyond, "columns": {column.name: alone}})


def _alike(values: Iterable[Any]) -> str:
    """The first values that differ by the size of letters, or in what cannot be seen, alone."""
    known: dict[str, str] = {}
    for value in map(str, values):
        shape = "".join(filter(str.isprintable, normalize("NFKC", value))).casefold()
        shape = " ".join(shape.split())
        if shape in known:
            return f"{visible(known[shape])}, {visible(value)}"
        known[shape] = value
    return ""


def _bare(message: str, name: str, place: int) -> str:
    """The message as it is said beside the column: without the name, which may not be shown."""
    message = message.removeprefix("schema: ").removeprefix(f"column {name}: ")
    message = message.replace(f"; column {name}: ", "; ")
    return message.replace(name, shown_name(name, place))


def _judge_whole(draft: Draft, facts: dict[str, Any], found: Declared) -> None:
    if draft.predicts in facts and facts[draft.predicts]["kind"] != "id":
        listed = facts[draft.predicts]["kind"] in ("category", "code", "boolean")
        facts[draft.predicts]["role"] = "label" if listed else "target"
    for one in facts.values():
        if one["kind"] != "id" and draft.source:
            one.setdefault("source", draft.source)
    whole: dict[str, Any] = {"name": draft.name, **draft.beyond}
    if draft.several:
        whole["person"] = draft.person
        whole["rows_per_person"] = int(draft.rows_per_person[:9])
    try:
        found.schema = Schema.of({**whole, "columns": facts})
    except SchemaError as refusal:
        found.whole.append(_public(str(refusal).removeprefix("schema: "), draft))
        return
    for name, _, domain, codes, missing, *_ in column_facts(found.schema):
        said = f"{domain}: {codes}" if codes else domain
        found.becomes[name] = f"{said}; a missing one {_verb(missing)}" if missing else said


def _public(message: str, draft: Draft) -> str:
    for place, column in enumerate(draft.columns):
        if shown_name(column.name, place) != column.name:
            message = message.replace(column.name, shown_name(column.name, place))
    return message


def _verb(missing: str) -> str:
    return "is kept" if missing == "its own level" else missing


def open_questions(draft: Draft) -> list[str]:
    """What must be said of all columns together before a schema is written."""
    found = []
    if draft.several and draft.person not in draft.positions:
        found.append("Choose the column that tells whose row it is.")
    if draft.several and not draft.rows_per_person.isdecimal():
        found.append("Say how many rows of one person are used, at most.")
    if draft.known_from not in KNOWN_FROM:
        found.append("Say where ranges and values are known from.")
    elif not draft.source:
        found.append("Say where ranges and values are known from: write which one.")
    elif len(draft.source) > LONGEST_SOURCE:
        found.append(f"Say in at most {LONGEST_SOURCE} characters where they are known from.")
    if any(column.acceptable for column in draft.columns):
        found.append("Check what was proposed, and confirm that it holds.")
    if not draft.unread:
        found.append(
            "Confirm that everybody may know what was read off the records."
            if draft.read_records
            else "Confirm that no range and no value was read off the records."
        )
    return found


def notes(draft: Draft) -> str:
    """What the schema does not say: where it is known from, and what was confirmed."""
    said = {
        "file": draft.file,
        "known from": KNOWN_FROM[draft.known_from],
        "source": draft.source,
        "no range or value was read off the records": draft.unread and not draft.read_records,
        "the file is public": draft.public,
        "made up": draft.made_up,
    }
    return yaml.safe_dump(said, sort_keys=False, allow_unicode=True)
