"""Facts of a column as a schema takes them, and the words for missing that it may hold itself.

A file says once what stands for missing.  Where a column may hold such a word (NA is a country,
99 an age), only the person knows what it means there, so that is asked.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from sfumato.errors import SchemaError
from sfumato.schema.code_book import book
from sfumato.schema.partial import SAME_RANGE, PartialSchema
from sfumato.schema.shorthand import OTHER
from sfumato.schema.wizard.answer import ends
from sfumato.schema.wizard.file_format import two_words
from sfumato.schema.wizard.session import Question, Session, WrongAnswer

__all__ = ["BUY", "TYPED", "Facts", "Known", "ask_missing", "sound"]

Facts = dict[str, Any]
BUY = "buy"
TYPED = ""  # the source of what was typed
_OWN = "missing_words"
_INSTEAD = {  # where the word keeps its meaning, by what the column holds
    "range": ("another range, or buy", "a range without it; or buy: such a range is bought"),
    "list": ("missing", "missing: it is taken out of the list"),
    "words": ("two words", "the two words for yes and no in this column, such as ja,nein"),
}


@dataclass(frozen=True)
class Known:
    """The day, where books that are files lie, how values are written, columns so far."""

    today: date
    folder: Path
    file: Mapping[str, Any]
    columns: dict[str, Facts]


def sound(name: str, facts: Facts, known: Known) -> Facts:
    """The facts, if a schema takes them; with words for missing of its own where it has to.

    >>> known = Known(date(2025, 6, 1), Path(), {"missing_words": ["NA", 99]}, {})
    >>> sound("age", {"kind": "integer", "low": 0, "high": 120}, known)["missing_words"]
    ['NA']
    """
    plain = {fact: value for fact, value in facts.items() if fact != _OWN}
    told = _refusal(name, plain, known)
    if told is None:
        return plain
    words = known.file.get(_OWN, [])
    apart = [w for w in words if _refusal(name, {**plain, _OWN: [w]}, known) is None]
    own = {**plain, _OWN: apart}
    if len(apart) < len(words) and _refusal(name, own, known) is None:
        return own
    raise WrongAnswer(told)


def _refusal(name: str, facts: Facts, known: Known) -> str | None:
    said = {f: value for f, value in facts.items() if value != TYPED and f != SAME_RANGE}
    whole = {"name": "t", "file": known.file or None, "columns": {name: said}}
    try:
        PartialSchema.of(whole, folder=known.folder)
    except (SchemaError, ValueError) as error:  # the latter of letters that nobody can write
        return str(error).removeprefix("schema: ").removeprefix(f"column {name}: ")
    return None


def ask_missing(name: str, facts: Facts, known: Known, session: Session) -> Facts:
    """The facts, once it is known what words for missing are that the column may hold."""
    if _OWN not in facts:
        return facts
    words = ", ".join(str(word) for word in known.file[_OWN] if word not in facts[_OWN])
    held = {"boolean": "words", "category": "list", "code": "list"}.get(facts["kind"], "range")
    instead, help_ = _INSTEAD[held]

    def read(answer: str) -> Facts:
        if answer and "value".startswith(answer.lower()):
            return facts
        found = sound(name, _instead(held, answer, facts, known), known)
        if _OWN in found:
            raise WrongAnswer(f"the column could still hold {words}")
        return found

    return session.ask(
        Question(
            f"  {words} stands for missing, and could be a value here: value, or {instead}",
            None,
            f"value: in this column it never stands for missing. Otherwise {help_}.",
            read,
        )
    )


def _instead(held: str, answer: str, facts: Facts, known: Known) -> Facts:
    """The facts without what stands for missing."""
    if held == "words":
        true, false = two_words(answer)
        return {**facts, "true": [true], "false": [false]}
    if held == "range":
        own = {f: value for f, value in facts.items() if f not in ("source", SAME_RANGE)}
        if answer.lower() == BUY:
            return own | {"low": None, "high": None}
        low, high = ends(facts["kind"], answer)
        return own | {"low": low, "high": high, "source": TYPED}
    if not "missing".startswith(answer.lower()):
        raise WrongAnswer("value or missing, please")
    gone = {str(word) for word in known.file[_OWN]}
    if facts["kind"] == "code":
        found = book(facts["book"], known.folder)
        listed = [value for value in found.values if value not in gone]
        return {"kind": "category", "values": listed, "other": OTHER, "source": found.source}
    if facts["values"] is None:
        return facts
    return {**facts, "values": [value for value in facts["values"] if str(value) not in gone]}
