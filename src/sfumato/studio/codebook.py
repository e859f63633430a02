"""What others have written down about the columns: taken over into the fields, never guessed.

A code book is a file of the project's folder, or a text that was pasted: REDCap data dictionary,
Frictionless, CSVW, a schema in YAML, or rows of a spreadsheet with the name of a column, what it
is, and what is known of it.

>>> rows = "age\\twhole number\\t0..110\\nsex\\tone of a list\\tf, m; other: none"
>>> [(column.name, column.kind, column.facts) for column in code_book(rows, "pasted").columns]
[('age', 'integer', '0..110'), ('sex', 'category', 'f, m; other: none')]
"""

import csv
from collections.abc import Mapping
from dataclasses import dataclass, field
from io import StringIO
from typing import Any

from sfumato.errors import ParameterError, SchemaError
from sfumato.schema.dictionary import dictionary_of, redcap
from sfumato.schema.schema import Schema
from sfumato.schema.strict_yaml import load
from sfumato.studio.draft import Draft, TypedColumn
from sfumato.studio.project import Project
from sfumato.studio.typed import typed_column
from sfumato.studio.words import KINDS, SPOKEN
from sfumato.untrusted.plain_file import content
from sfumato.untrusted.strict_json import parsed

__all__ = ["OF_COLUMNS", "CodeBook", "book_files", "code_book", "read_book", "take_over"]

_LARGEST = 2**22  # bytes
_LONGEST_YAML = 120_000  # characters: whoever waits for the page waits for YAML, which is slow
_ENDINGS = (".csv", ".json", ".yaml", ".yml", ".tsv", ".txt")
_LONGEST_LABEL = 60
_YES = ("yes", "y", "x", "1", "true", "allowed")
_BETWEEN = ("file", "neighbours", "grid_bits", "order", "constraints")
OF_COLUMNS = ("order", "constraints")  # which name columns, so that a file may lack them


@dataclass(frozen=True)
class CodeBook:
    """Columns as they are described elsewhere, and what is said of the whole file."""

    columns: list[TypedColumn]
    label: str = ""  # the column to be predicted
    beyond: dict[str, Any] = field(default_factory=dict)


def book_files(project: Project) -> list[str]:
    """Files of the project's own folder that may be code books; never one with records."""
    found = (entry for entry in project.folder.iterdir() if entry.suffix.lower() in _ENDINGS)
    return sorted(entry.name for entry in found if entry.is_file() and not entry.is_symlink())


def read_book(project: Project, name: str) -> CodeBook:
    """The code book in this file of the project's folder."""
    if name not in book_files(project):
        raise ParameterError("there is no such file in the project's folder: reload the page")
    try:
        text = content(project.folder / name, _LARGEST).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ParameterError(f"{name} is not UTF-8: save it as such") from None
    except OSError as error:
        raise ParameterError(f"{name} cannot be read: {error.strerror}") from None
    return code_book(text, name)


def code_book(text: str, name: str) -> CodeBook:
    """The code book in a text, by what it looks like."""
    text = text.strip("\r\n")
    if not text.strip():
        raise ParameterError("choose a file, or paste a text")
    first = text.partition("\n")[0]
    if "\t" in first:
        text = _with_commas(text)
    raw = text.encode()
    if _is_description(raw):
        return _of_dictionary(raw, name)
    if redcap.is_one(raw):
        return _of_dictionary(raw, f"{name.removesuffix('.csv')}.csv")
    return _of_rows(text) if "\t" in first else _of_schema(text, name)


def _is_description(raw: bytes) -> bool:
    """Whether this is JSON, and no schema of our own."""
    try:
        found = parsed(raw)
    except ValueError:
        return False
    return isinstance(found, dict) and not isinstance(found.get("columns"), dict)


def _with_commas(text: str) -> str:
    """Rows as a spreadsheet copies them, as a file would hold them."""
    out = StringIO()
    try:
        csv.writer(out, lineterminator="\n").writerows(csv.reader(StringIO(text), delimiter="\t"))
    except csv.Error:
        raise ParameterError("the pasted rows cannot be told apart: paste fewer columns") from None
    return out.getvalue()


def _of_dictionary(raw: bytes, name: str) -> CodeBook:
    found = dictionary_of(raw, name)
    _check_whole(name, {"file": found.file} if found.file else {})
    columns = []
    for column in found.columns:
        typed = typed_column(column.name, column.facts)
        typed.label = column.remarks[0][:_LONGEST_LABEL] if column.remarks else ""
        columns.append(typed)
    return CodeBook(columns, beyond={"file": found.file} if found.file else {})


def _of_schema(text: str, name: str) -> CodeBook:
    found = _loaded(text, name)
    columns = found.get("columns") if isinstance(found, Mapping) else None
    if not isinstance(found, Mapping) or not isinstance(columns, Mapping):
        raise ParameterError(
            f"{name} is no REDCap data dictionary, Frictionless or CSVW description, schema in "
            "YAML, nor rows of a spreadsheet with the name of a column, what it is, what is known"
        )
    facts = {
        # YAML takes the words true and false for truth values.
        str(name): {str(k).lower() if isinstance(k, bool) else str(k): v for k, v in one.items()}
        for name, one in columns.items()
        if isinstance(one, Mapping)
    }
    label = next(
        (name for name, one in facts.items() if one.get("role") in ("label", "target")), ""
    )
    beyond = {fact: found[fact] for fact in _BETWEEN if found.get(fact) is not None}
    _check_whole(name, beyond)
    return CodeBook([typed_column(name, one) for name, one in facts.items()], label, beyond)


def _loaded(text: str, name: str) -> object:
    """A text in JSON, which is quick, or in YAML."""
    wrong = f"{name} has more than {_LONGEST_YAML:,} characters of YAML: write it as JSON"
    if text.lstrip().startswith("{"):
        try:
            return parsed(text.encode())
        except ValueError as error:  # or braces that open a YAML mapping
            wrong = f"{name}: {error}"
    if len(text) > _LONGEST_YAML:
        raise ParameterError(wrong)
    return load(text, where=name)


def _check_whole(name: str, beyond: Mapping[str, Any]) -> None:
    """Refuse what is said of the whole file and can never be right: no field could mend it."""
    said = {fact: beyond[fact] for fact in _BETWEEN if fact in beyond and fact not in OF_COLUMNS}
    try:
        Schema.of({"name": "t", "columns": {"a": {"kind": "boolean"}}, **said})
    except SchemaError as refusal:
        raise ParameterError(f"{name}: {str(refusal).removeprefix('schema: ')}") from None


def _of_rows(text: str) -> CodeBook:
    columns = []
    for row in csv.reader(StringIO(text)):
        name, what, facts, missing = [*(cell.strip() for cell in row), "", "", "", ""][:4]
        kind = SPOKEN.get(what.casefold(), "")
        if name and kind:
            columns.append(TypedColumn(name, kind, facts, missing=missing.casefold() in _YES))
    if not columns:
        raise ParameterError(
            "no row could be read: a column's name, then one of "
            f"{', '.join(KINDS.values())}, then what is known, as in the fields"
        )
    return CodeBook(columns)


def take_over(draft: Draft, book: CodeBook) -> int:
    """Fill in all columns that the book describes, and say how many there are."""
    exact = {column.name: column for column in book.columns}
    near = {column.name.casefold(): column for column in book.columns}
    taken = 0
    for place, column in enumerate(draft.columns):
        found = exact.get(column.name) or near.get(column.name.casefold())
        if found is None or not (found.kind or found.label):
            continue
        found.name = column.name
        draft.columns[place] = found
        taken += 1
        if book.label and found is (exact.get(book.label)):
            draft.predicts = column.name
    # An order or a constraint that does not fit this file goes with the book that said it.
    kept = {fact: said for fact, said in draft.beyond.items() if fact not in OF_COLUMNS}
    draft.beyond = kept | book.beyond
    return taken
