"""What is asked where a person may have several rows: whose they are, and how they follow."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from sfumato.schema.person import MOST_ROWS, ROWS
from sfumato.schema.wizard.answer import numbered
from sfumato.schema.wizard.session import Question, Session, WrongAnswer

__all__ = ["ask_persons"]

_ORDERED = ("integer", "number", "date")
_BOUND = re.compile(r"[1-9][0-9]{0,3}")
Columns = Mapping[str, Mapping[str, Any]]


def ask_persons(columns: Columns, session: Session) -> tuple[dict[str, Any], Columns]:
    """What the schema says of persons, and the columns with what they say; nothing for rows."""
    ids = [name for name, facts in columns.items() if facts["kind"] == "id"]
    person = _ask_person(ids, list(columns), session) if ids else None
    if person is None or len(columns) == len(ids):
        session.tell("  The promise will hide one row, not all rows of a person.")
        return {}, columns
    whole: dict[str, Any] = {"person": person}
    bound = session.ask(
        Question(
            "how many rows of a person are used at most",
            str(ROWS),
            "A public bound, from 1 to 4096: further rows of a person are left out.",
            _bound,
        )
    )
    if bound != ROWS:
        whole["rows_per_person"] = bound
    constant = _ask_constant(columns, session)
    ordered = [
        name
        for name, facts in columns.items()
        if facts["kind"] in _ORDERED and name not in constant and "missing" not in facts
    ]
    if ordered and (order := _ask_order(ordered, list(columns), session)) is not None:
        whole["order"] = order
    named = set(constant)
    return whole, {
        name: {**facts, "per": "person"} if name in named else facts
        for name, facts in columns.items()
    }


def _ask_person(ids: Sequence[str], names: Sequence[str], session: Session) -> str | None:
    return session.ask(
        Question(
            "id column that says whose row it is",
            ids[0] if len(ids) == 1 else "none",
            "Its name or number: then the promise hides a person with all of their rows. none: it "
            "hides one row only.",
            lambda answer: _one(answer, ids, names, "an id column"),
        )
    )


def _ask_order(ordered: Sequence[str], names: Sequence[str], session: Session) -> str | None:
    return session.ask(
        Question(
            "column by which the rows of a person follow",
            "none",
            "The name or number of a number or date, as the day of a visit; none: they have no "
            "order.",
            lambda answer: _one(answer, ordered, names, "a number or date that is never missing"),
        )
    )


def _ask_constant(columns: Columns, session: Session) -> list[str]:
    released = [name for name, facts in columns.items() if facts["kind"] != "id"]

    def read(answer: str) -> list[str]:
        found = [name for name in numbered(answer, list(columns)) if name in released]
        if len(found) == len(released):
            raise WrongAnswer("all but one at most, please: in another, rows of a person differ")
        return found

    return session.ask(
        Question(
            "columns with one value for each person",
            "none",
            "Names or numbers with commas between them, or none: what is the same in all rows of a "
            "person, as the year of birth.",
            read,
        )
    )


def _one(answer: str, allowed: Sequence[str], names: Sequence[str], what: str) -> str | None:
    found = numbered(answer, names)
    if not found:
        return None
    if len(found) > 1 or found[0] not in allowed:
        raise WrongAnswer(f"{what}, please, or none: one of {', '.join(allowed)}")
    return found[0]


def _bound(answer: str) -> int:
    if not _BOUND.fullmatch(answer) or int(answer) > MOST_ROWS:
        raise WrongAnswer(f"a whole number from 1 to {MOST_ROWS}, please")
    return int(answer)
