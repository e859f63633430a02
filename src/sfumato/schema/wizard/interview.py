"""The questions of the wizard, in their order: about the table, each column, and all of them again.

Only names and stored types of columns are known here, never a record.  What is familiar by its
name has a proposal that Enter accepts; what nobody knows in public is left blank, to be bought.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from sfumato.schema.wizard.answer import numbered, some, text, truth
from sfumato.schema.wizard.column import ask_column
from sfumato.schema.wizard.file_format import ask_file
from sfumato.schema.wizard.person import ask_persons
from sfumato.schema.wizard.session import Question, Session
from sfumato.schema.wizard.sound import TYPED, Known

__all__ = ["Header", "Interviewed", "interview"]


@dataclass(frozen=True)
class Header:
    """What the wizard knows: a name, columns, the kinds that a file stores; the day; a folder."""

    name: str
    columns: Sequence[str]
    stored: Mapping[str, str]
    today: date
    folder: Path  # of the schema, where code books that are files lie


@dataclass(frozen=True)
class Interviewed:
    """What was answered: facts of the table and of each column, None where an end is bought."""

    name: str
    persons: bool  # whether each person has one row
    records: int | None
    public_number: bool
    file: Mapping[str, Any]  # how it writes values; nothing where that is plain
    columns: Mapping[str, Mapping[str, Any]]
    whose: Mapping[str, Any] = field(default_factory=dict)  # what the schema says of persons

    @property
    def blank(self) -> list[str]:
        """The columns of which something is to be bought."""
        return [name for name, facts in self.columns.items() if None in facts.values()]


def interview(header: Header, session: Session) -> Interviewed:
    """Ask everything."""
    name = session.ask(
        Question(
            "name of the data set",
            header.name,
            "The ledger keeps one budget under this name: all releases of this table use it.",
            text,
        )
    )
    persons = session.ask(
        Question(
            "has each person one row",
            "yes",
            "yes: the promise hides one row. no: it hides a person with all of their rows, if a "
            "column says whose row it is; you are asked for it below.",
            truth,
        )
    )
    records = session.ask(
        Question(
            "about how many records",
            "unknown",
            "Roughly, from public knowledge; it goes into a remark only.",
            some,
        )
    )
    public_number = session.ask(
        Question(
            "may the exact number of records be known",
            "yes",
            "yes: neighbours replace-one, the number is published. no: add-remove, it is released "
            "with noise only.",
            truth,
        )
    )
    file = ask_file(session)
    session.tell("Each column: Enter takes the proposal; a kind or preset, ? lists them.")
    known = Known(header.today, header.folder, file, {})
    for number, column in enumerate(header.columns, 1):
        place = f"{number}/{len(header.columns)} {column}"
        known.columns[column] = ask_column(column, place, header.stored.get(column), known, session)
    columns: Mapping[str, Mapping[str, Any]] = _with_missing(known.columns, session)
    whose: dict[str, Any] = {}
    if not persons:
        whose, columns = ask_persons(columns, session)
    columns = _with_sources(columns, session)
    return Interviewed(name, persons, records, public_number, file, columns, whose)


def _with_missing(columns: Mapping[str, Any], session: Session) -> dict[str, dict[str, Any]]:
    released = [name for name, facts in columns.items() if facts["kind"] != "id"]
    if not released:
        return dict(columns)

    def read(answer: str) -> list[str]:
        # Numbers are those that the questions showed, ids counted as well.
        return numbered(answer, released if answer == "all" else list(columns))

    missing = session.ask(
        Question(
            "columns in which a value may be missing",
            "none",
            "Names or numbers with commas between them, all, or none. Missing becomes a level of "
            "its own there; elsewhere a missing value is filled in.",
            read,
        )
    )
    absent = set(missing) & set(released)
    return {
        name: {**facts, "missing": "allowed"} if name in absent else dict(facts)
        for name, facts in columns.items()
    }


def _with_sources(columns: Mapping[str, Any], session: Session) -> dict[str, dict[str, Any]]:
    typed = [name for name, facts in columns.items() if facts.get("source") == TYPED]
    if not typed:
        return dict(columns)
    source = session.ask(
        Question(
            f"who says so, for what you typed about {', '.join(typed)}",
            "public knowledge",
            "A law, a code book, a questionnaire, common knowledge; never the records. The "
            "certificate repeats it.",
            text,
        )
    )
    return {
        name: {**facts, "source": source} if name in typed else dict(facts)
        for name, facts in columns.items()
    }
