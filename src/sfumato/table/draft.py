"""A schema to edit, from the header of a file; refuses to guess silently.

What is private must not write its own schema: a range or a category read off the records
would be a release that nobody paid for.  So only names, and the types that Parquet
stores, are taken from a file, and the ranges are left blank for a person to declare.  Where
the owner says that the file is public (an open sample, a code book) its records are read
and the blanks filled in, to be checked by a person all the same.

>>> import tempfile
>>> with tempfile.TemporaryDirectory() as folder:
...     path = Path(folder, "clinic.csv")
...     _ = path.write_text("age,smoker\\n31,true\\n58,false\\n")
...     print(*draft(path, public=True).splitlines()[-7:], sep="\\n")
columns:
  age:
    kind: integer
    low: 30
    high: 60
  smoker:
    kind: boolean
"""

from collections.abc import Iterable
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from sfumato.database.url import is_url
from sfumato.errors import DataError
from sfumato.schema.column_guess import KINDS, Proposal, scalar
from sfumato.schema.drafted import BLANK
from sfumato.schema.formats import FileFormat
from sfumato.schema.shorthand import OTHER
from sfumato.table.file.json_lines import LINES, keys_of_public
from sfumato.table.file.opening import file_of, stem
from sfumato.table.source import Source, open_source

__all__ = ["draft", "stored_kinds"]

_UNREADABLE = "kind: id  # stored as a type that cannot be released: convert it, or leave it out"
_PRIVATE = """\
# Drafted from the header of {file}; no record was read.
# Fill in the blanks from public knowledge, never by looking at the records:
#   number, integer   low and high
#   category          values, and other for whatever is not in the list (none: nothing else occurs)
#   date              low and high as YYYY-MM-DD
#   boolean           nothing more
#   id                nothing more: the column is never read and never released
# Add `missing: allowed` where a record may lack the value. Where a person may have several rows,
# say which id column tells whose row it is (`person: NAME`): it is read, and a person is protected.
"""
_PUBLIC = """\
# Drafted from the records of {file}, which was declared public.
# A person must check every line: a range or a value that is not public knowledge
# must not stay here.
"""


def draft(path: str | Path, *, public: bool, how: FileFormat | None = None) -> str:
    """A schema in YAML: blanks to fill in, or for a public file a proposal to check.

    `how` a text file is written, where it is not as most are; the schema says so too.
    """
    source = _opened(path, public, how)
    _check_names(path, source)
    facts = _proposed(path, source) if public else _stored(source)
    called = stem(path) if is_url(path) else Path(path).name
    head = (_PUBLIC if public else _PRIVATE).format(file=scalar(called))
    lines = [f"{head}name: {scalar(stem(path)[:200])}"]
    if how is not None:
        said = how.model_dump(exclude_none=True).items()
        lines += ["file:", *(f"  {fact}: {scalar(value)}" for fact, value in said)]
    lines.append("columns:")
    for name, column in facts:
        lines += [f"  {scalar(name)}:", *(f"    {fact}" for fact in column)]
    return "\n".join(lines) + "\n"


def stored_kinds(path: str | Path, how: FileFormat | None = None) -> dict[str, str | None]:
    """The columns of a file, and the kinds that it stores them as; no record is read."""
    source = _opened(path, False, how)
    _check_names(path, source)
    return {
        name: stored.removeprefix("kind: ").split(" ")[0] or None
        for name, (stored, *_) in _stored(source)
    }


def _opened(path: str | Path, public: bool, how: FileFormat | None) -> Source:
    try:
        lines = public and file_of(path)[0].name.lower().endswith(LINES)
        return open_source(path, keys_of_public(Path(path)) if lines else None, how)
    except DataError as refusal:
        if is_url(path) or str(path) in str(refusal):
            raise
        raise DataError(f"{path}: {refusal}") from None


def _check_names(path: str | Path, source: Source) -> None:
    """Refuse a header that cannot name columns; by position, since it may be a record."""
    if not source.names:
        raise DataError(f"{path} has no columns")
    for position, name in enumerate(source.names, 1):
        if not name.strip():
            raise DataError(f"{path}: column {position} has no name: name it in the header")
        if source.kind in ("csv", "excel") and _is_number(name):
            raise DataError(
                f"{path}: the name of column {position} is a number: if the first line is a "
                "record, put a line with the column names above it, else begin the name "
                "with a letter"
            )


def _is_number(name: str) -> bool:
    try:
        float(name)
    except ValueError:
        return False
    return True


def _stored(source: Source) -> Iterable[tuple[str, list[str]]]:
    for name in source.names:
        stored = source.types.get(name)
        if stored is None:
            yield name, [f"kind:  # {KINDS}"]
        else:
            yield name, _of_type(stored)


def _of_type(stored: pa.DataType) -> list[str]:
    kinds, stored = pa.types, _value_type(stored)
    ends = [f"low:{BLANK}", f"high:{BLANK}"]
    if kinds.is_integer(stored):
        return ["kind: integer", *ends]
    if kinds.is_floating(stored) or kinds.is_decimal(stored):
        return ["kind: number", *ends]
    if kinds.is_date(stored):
        return ["kind: date", *ends]
    if kinds.is_timestamp(stored):
        return ["kind: date", *ends, "step: day  # or second, minute, hour, month, year"]
    if kinds.is_boolean(stored):
        return ["kind: boolean"]
    if _is_text(stored):
        return [
            "kind: category  # or id; number or date where the texts are",
            f"values:{BLANK}",
            f"other: {OTHER}  # or none, where no other value occurs",
        ]
    return [f"kind:  # {KINDS}"] if kinds.is_null(stored) else [_UNREADABLE]


def _proposed(path: str | Path, source: Source) -> Iterable[tuple[str, list[str]]]:
    """NOT PRIVATE: facts read off the records of a file that was declared public."""
    unreadable = {n for n, stored in source.types.items() if _of_type(stored) == [_UNREADABLE]}
    seen = {name: Proposal() for name in source.names if name not in unreadable}
    try:
        for batch in source.batches(list(seen)):
            for name, proposal in seen.items():
                proposal.see(_texts(batch.column(name)))
    except Exception as error:
        lines = "a line is no JSON object, or not UTF-8"
        damaged = lines if source.kind == "jsonl" else "it is damaged, or not UTF-8 text"
        reason = getattr(error, "strerror", None) or damaged
        raise DataError(f"{path} could not be read to its end: {reason}") from None
    return [(n, [_UNREADABLE] if n in unreadable else seen[n].facts()) for n in source.names]


def _texts(column: pa.Array) -> list[str | None]:
    """The distinct values as trimmed texts."""
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if pa.types.is_timestamp(column.type) and column.type.tz is not None:
        column = pc.local_timestamp(column)  # as days are read
    texts = column.cast(pa.string())
    texts.validate(full=True)
    distinct: list[str | None] = pc.unique(pc.utf8_trim_whitespace(texts)).to_pylist()
    if any(text and "\ufffd" in text for text in distinct):  # what stands for foreign bytes
        raise pa.ArrowInvalid
    return distinct


def _value_type(stored: pa.DataType) -> pa.DataType:
    return stored.value_type if pa.types.is_dictionary(stored) else stored


def _is_text(stored: pa.DataType) -> bool:
    kinds = pa.types
    return bool(
        kinds.is_string(stored) or kinds.is_large_string(stored) or kinds.is_string_view(stored)
    )
