"""The questions about one column: what it is, and whatever its preset does not say.

A source that is an empty text stands for whatever the person will answer in the end.
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from typing import Any

from sfumato.schema.code_book import BOOKS
from sfumato.schema.shorthand import OTHER
from sfumato.schema.wizard.answer import ends, listed, named, text, truth
from sfumato.schema.wizard.file_format import date_form, is_date_form, two_words
from sfumato.schema.wizard.preset import KINDS, PRESETS, Preset, suggested
from sfumato.schema.wizard.session import Question, Session, WrongAnswer
from sfumato.schema.wizard.sound import BUY, TYPED, Facts, Known, ask_missing, sound

__all__ = ["ask_column"]

_NUMBER_BEGINS = tuple("0123456789-+.")
_WHAT = (
    "n number, w whole number, c category, d date, y yes/no, i id, or a preset: "
    + ", ".join(name for name in PRESETS if name not in ("date", "yes/no", "id"))
    + ". With its range or values, if you like: w 0 50, c red,green, code nace-2, same COLUMN. "
    "As the file writes it: y ja,nein, d dd.mm.yyyy."
)


def ask_column(name: str, place: str, stored: str | None, known: Known, session: Session) -> Facts:
    """The facts of a column; None where an end or a list is bought."""
    proposal = suggested(name, stored)

    def read(answer: str) -> tuple[Preset, Facts | None]:
        return _what(name, _in_words(answer, proposal), known)

    what, facts = session.ask(
        Question(
            place,
            proposal.name if proposal else None,
            _WHAT,
            read,
            shown=f"{proposal.name}: {proposal.says}" if proposal else None,
        )
    )
    if facts is None and what.kind == "category":
        facts = _ask_values(name, known, session)
    elif facts is None and what.kind == "code":
        facts = _ask_book(name, known, session)
    elif facts is None:
        facts = _ask_range(name, what, known, session)
    return ask_missing(name, facts, known, session)


def _in_words(answer: str, proposal: Preset | None) -> str:
    """An answer that is a bare range or list is one of the proposed kind."""
    first = answer.partition(" ")[0]
    ranged = proposal is not None and "low" in proposal.facts and first[:1] in _NUMBER_BEGINS
    values = proposal is not None and proposal.kind == "category" and "," in first
    return f"{proposal.name} {answer}" if proposal and (ranged or values) else answer


def _what(name: str, answer: str, known: Known) -> tuple[Preset, Facts | None]:
    """The preset that was named, and all facts where nothing is left to ask."""
    word, _, rest = answer.partition(" ")
    if word.lower() == "same":
        return KINDS["number"], sound(
            name, _same(rest.strip().removeprefix("as "), None, known), known
        )
    preset, rest = named(word), rest.strip()
    facts = _in_time(preset, known.today)
    if preset.kind == "date" and is_date_form(rest):
        form, rest = _split_form(rest)
        facts["format"] = form
    if rest and preset.kind == "id":
        raise WrongAnswer(f"{preset.name} needs nothing more")
    if rest and preset.kind == "boolean":
        true, false = two_words(rest)
        facts |= {"true": [true], "false": [false]}
    elif rest and preset.kind == "category":
        facts = {"kind": "category", "values": listed(rest), "other": OTHER, "source": TYPED}
    elif rest and preset.kind == "code":
        facts = {"kind": "code", "book": rest}
    elif rest:
        low, high = ends(preset.kind, rest)
        facts |= {"low": low, "high": high, "source": TYPED}
    elif None not in facts.values() and preset.source:
        facts["source"] = preset.source
    if None in facts.values():
        return replace(preset, facts=facts), None
    return preset, facts if preset.kind == "id" else sound(name, facts, known)


def _split_form(answer: str) -> tuple[str, str]:
    """How dates are written, and the range that may follow, which has no such letters."""
    words = answer.split()
    count = len(words)
    while count > 1 and not is_date_form(words[count - 1]):
        count -= 1
    return date_form(" ".join(words[:count])), " ".join(words[count:])


def _ask_range(name: str, what: Preset, known: Known, session: Session) -> Facts:
    def read(answer: str) -> Facts:
        if answer.lower() == BUY:
            return sound(name, dict(what.facts), known)
        if answer in known.columns or answer.lower().startswith("same "):
            same = _same(answer.partition("same ")[2] or answer, what.kind, known)
            return sound(name, {**what.facts, **same}, known)
        low, high = ends(what.kind, answer)
        return sound(name, {**what.facts, "low": low, "high": high, "source": TYPED}, known)

    def read_sign(answer: str) -> Facts:
        return sound(name, {**what.facts, "low": None if truth(answer) else 0}, known)

    such = "2020-01-01 2025-12-31, or 2020 2025" if what.kind == "date" else "0 120"
    facts = session.ask(
        Question(
            "  its range",
            BUY,
            f"Two ends from public knowledge, such as {such}; or the name of an earlier column "
            "with the same range; or buy: sfumato schema estimate finds it for a part of the "
            "budget.",
            read,
        )
    )
    if facts.get("same_range_as") or facts["low"] is not None or what.signed:
        return facts
    return session.ask(
        Question(
            "  can it be negative",
            "no",
            "no: its range begins at 0, and only its high end is bought.",
            read_sign,
        )
    )


def _ask_values(name: str, known: Known, session: Session) -> Facts:
    def read(answer: str) -> Facts:
        if answer.lower() == BUY:
            return sound(name, {"kind": "category", "values": None, "other": OTHER}, known)
        if answer in BOOKS or answer.endswith(".csv"):
            return sound(name, {"kind": "code", "book": answer}, known)
        facts = {"kind": "category", "values": listed(answer), "source": TYPED}
        return sound(name, facts, known)

    facts = session.ask(
        Question(
            "  its values",
            BUY,
            f"A list with commas; or a code book: {', '.join(BOOKS)}, or a public .csv file beside "
            "the schema; or buy: sfumato schema estimate finds the frequent ones.",
            read,
        )
    )
    if "other" in facts or facts["kind"] == "code":
        return facts

    def read_other(answer: str) -> Facts:
        return sound(name, {**facts, "other": text(answer)}, known)

    return session.ask(
        Question(
            "  what any other value becomes",
            OTHER,
            "A word that is no value of the list, or none where no other value occurs.",
            read_other,
        )
    )


def _ask_book(name: str, known: Known, session: Session) -> Facts:
    def read(answer: str) -> Facts:
        return sound(name, {"kind": "code", "book": answer}, known)

    help_ = f"{', '.join(BOOKS)}, or a public .csv file that lies beside the schema"
    return session.ask(Question("  its code book", None, help_, read))


def _same(column: str, kind: str | None, known: Known) -> Facts:
    """The range of an earlier column, or a share in what will be bought for it."""
    earlier: Mapping[str, Any] | None = known.columns.get(column)
    if earlier is None or "low" not in earlier:
        raise WrongAnswer("the name of an earlier column that has a range, please")
    if kind not in (None, earlier["kind"]):
        raise WrongAnswer(f"{column} is of another kind, {earlier['kind']}")
    facts = {fact: earlier[fact] for fact in ("kind", "low", "high", "source") if fact in earlier}
    if None in facts.values():
        facts["same_range_as"] = earlier.get("same_range_as", column)
    return facts


def _in_time(preset: Preset, today: date) -> Facts:
    ends_of_time = {"next year": today.year + 1, "end of this year": date(today.year, 12, 31)}
    return {
        fact: ends_of_time.get(value, value) if isinstance(value, str) else value
        for fact, value in preset.facts.items()
    }
