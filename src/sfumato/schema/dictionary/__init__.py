"""Schemas from dictionaries that others keep: REDCap, Frictionless, CSVW.

What a dictionary states is taken over; what it does not state, or states in a way that a schema
has no word for, is a blank or a remark, never a guess.  No record is read.
"""

from pathlib import Path

from sfumato.errors import SchemaError
from sfumato.schema.dictionary import csvw, frictionless, redcap
from sfumato.schema.dictionary.found import Dictionary
from sfumato.schema.drafted import yaml_text
from sfumato.untrusted.plain_file import content
from sfumato.untrusted.strict_json import parsed

__all__ = ["Dictionary", "dictionary_of", "schema_from"]

_LARGEST = 2**24  # bytes
_MOST_COLUMNS = 10_000


def schema_from(path: str | Path, *, table: str | None = None) -> str:
    """A schema in YAML, to be finished by a person; `table` names one of several in the file."""
    path = Path(path)
    try:
        raw = content(path, _LARGEST, follow=True)
    except OSError as error:
        raise SchemaError(f"{path} cannot be read: {error.strerror}") from None
    found = dictionary_of(raw, path, table=table)
    head = [
        f"From {path.name}, {found.standard}; no record was read.",
        "A person must check every line and fill in the blanks from public knowledge.",
        *found.remarks,
    ]
    facts = {"file": found.file} if found.file else {}
    drafted = [column.drafted() for column in found.columns]
    return yaml_text(head, (found.name or path.stem)[:200], drafted, facts=facts)


def dictionary_of(raw: bytes, path: str | Path, *, table: str | None = None) -> Dictionary:
    """What the text of a dictionary says; `path` is what it is called, and is not looked at."""
    path = Path(path)
    try:
        found = _read(raw.removeprefix(b"\xef\xbb\xbf"), path, table)
    except ValueError as error:
        raise SchemaError(f"{path}: {error}") from None
    if not found.columns:
        raise SchemaError(f"{path} describes no columns")
    if len(found.columns) > _MOST_COLUMNS:
        raise SchemaError(f"{path} describes more than {_MOST_COLUMNS:,} columns")
    names = [column.name for column in found.columns]
    if len(set(names)) < len(names):
        raise SchemaError(f"{path} names a column twice: keep one")
    return found


def _read(raw: bytes, path: Path, table: str | None) -> Dictionary:
    if raw.lstrip()[:1] == b"{":
        document = parsed(raw)
        if csvw.is_one(document):
            return csvw.read(document, table)
        if frictionless.is_one(document):
            return frictionless.read(document, table)
    elif path.suffix.lower() == ".csv" and redcap.is_one(raw):
        return redcap.read(raw, path.name)
    raise ValueError(
        "this is no REDCap data dictionary (CSV), Frictionless datapackage.json or Table Schema, "
        "or CSVW metadata: for a data file use sfumato schema wizard or draft"
    )
