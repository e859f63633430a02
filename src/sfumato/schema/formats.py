"""How a file writes its values: separators, words and spellings, declared and never guessed.

A file declares them once under `file`, a column where it differs.  Only texts are read by them:
a number, a date or a truth value that is stored as one is what it is.  Words for missing are
looked for in stored numbers and dates as well.

>>> FileFormat(decimal=",", missing_words=["NA", -99]).missing_words
('NA', '-99')
"""

from collections.abc import Iterable, Mapping
from datetime import date, datetime
from typing import Annotated, Any, Literal, Self, TypeVar

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationInfo,
    field_validator,
    model_validator,
)

from sfumato.schema.encoding import text_encoding
from sfumato.schema.yaml_loader import twice

__all__ = [
    "FileFormat",
    "WrittenCategory",
    "WrittenDate",
    "WrittenNumber",
    "WrittenTruth",
    "as_stored",
    "written",
]

C = TypeVar("C", bound=BaseModel)
_SHARED = ("decimal", "thousands", "format", "true", "false", "missing_words")
_NOTHING = {"thousands": "none", "format": "iso"}
_CLOSED = ConfigDict(frozen=True, extra="forbid")
_MOST_WORDS = 1_000
_QUOTE = "YAML takes some words for something else: put yes, no, true, false and null in quotes"


def _word(value: Any) -> str:
    """One word as text: numbers and dates as YAML reads them, nothing that it has swallowed."""
    if value is None or isinstance(value, bool) or (isinstance(value, float) and value != value):
        raise ValueError(_QUOTE)
    if isinstance(value, datetime | date):
        return value.isoformat().removesuffix("T00:00:00")
    if not isinstance(value, str | int | float):
        raise ValueError("words must be texts or numbers")
    if not (text := str(value).strip()):
        raise ValueError("an empty text is missing in any case: leave it out")
    return text


def _words(values: Any) -> Any:
    if values is None:
        return None
    if not isinstance(values, list | tuple):
        raise ValueError("write the words as a list, as in [NA, -99]")
    return tuple(_word(value) for value in values)


def _distinct(facts: Iterable[tuple[Any, Any]]) -> dict[Any, Any]:
    found: dict[Any, Any] = {}
    for key, value in facts:
        if key in found:
            raise ValueError(twice(key))
        found[key] = value
    return found


def _spellings(aliases: Any) -> Any:
    if not isinstance(aliases, Mapping):
        return aliases
    return _distinct((_word(value), _words(spellings)) for value, spellings in aliases.items())


Words = Annotated[tuple[str, ...], BeforeValidator(_words), Field(max_length=_MOST_WORDS)]
Aliases = Annotated[Mapping[str, Words], BeforeValidator(_spellings)]
Thousands = Literal[",", ".", " ", "\u00a0", "\u202f", "'", "\u2019", "_", "none"]


class _WithMissingWords(BaseModel):
    missing_words: Words | None = Field(
        default=None, description="what is written where a value is missing, as [NA, -99]"
    )


class _WithSeparators(_WithMissingWords):
    decimal: Literal[".", ","] | None = Field(
        default=None, description="between whole and broken part"
    )
    thousands: Thousands | None = Field(
        default=None, description="between groups of three digits; a space stands for all spaces"
    )


class WrittenNumber(_WithSeparators):
    """How numbers are written out."""

    percent: bool = Field(
        default=False, description="values end in %, and low and high are in percent: 45.1% is 45.1"
    )


class WrittenDate(_WithMissingWords):
    """How dates are written out."""

    format: str | None = Field(
        default=None,
        min_length=1,
        max_length=100,
        description="as %d.%m.%Y; iso for YYYY-MM-DD",
    )


class WrittenTruth(_WithMissingWords):
    """How truth values are written out."""

    true: Words | None = Field(default=None, min_length=1, description="in place of true, yes, 1")
    false: Words | None = Field(default=None, min_length=1, description="in place of false, no, 0")

    @model_validator(mode="before")
    @classmethod
    def _keys(cls, facts: Any) -> Any:
        return _named(facts)


class WrittenCategory(_WithMissingWords):
    """How categories are written out."""

    aliases: Aliases = Field(
        default_factory=dict,
        description="other spellings of a value, as {surgery: [Surg., Chirurgie]}",
    )


class FileFormat(_WithSeparators, WrittenDate, WrittenTruth):
    """How the text files that hold the records write them; a column may say otherwise."""

    model_config = _CLOSED
    encoding: str | None = Field(default=None, description="as utf-16, latin-1; else UTF-8")
    delimiter: str | None = Field(default=None, description="between columns; else by the header")
    quote: str | None = Field(default=None, description='around values; else "; or none')

    @field_validator("encoding")
    @classmethod
    def _known(cls, name: str | None) -> str | None:
        return None if name is None else text_encoding(name)

    @field_validator("delimiter", "quote")
    @classmethod
    def _one_mark(cls, mark: str | None, fact: ValidationInfo) -> str | None:
        if mark is None or (mark == "none" and fact.field_name == "quote"):
            return mark
        if len(mark) != 1 or not mark.isascii() or mark.isalnum() or mark in "\0\r\n\ufeff.+-":
            raise ValueError(f'{fact.field_name} must be one mark, such as ";" or "\\t"')
        return mark

    @model_validator(mode="after")
    def _apart(self) -> Self:
        if (self.delimiter or ",") == (self.quote or '"'):
            raise ValueError("delimiter and quote must differ")
        return self


def _named(facts: Any) -> Any:
    """The keys true and false as names: YAML takes them for truth values."""
    if not isinstance(facts, Mapping):
        return facts
    return _distinct((str(k).lower() if isinstance(k, bool) else k, v) for k, v in facts.items())


def written(column: C, file: FileFormat | None) -> C:
    """The column with what the file declares where it says nothing itself.

    >>> written(WrittenNumber(), FileFormat(decimal=",")).decimal
    ','
    """
    facts = [name for name in _SHARED if name in type(column).model_fields]
    own = {name: getattr(column, name) for name in facts}
    found = {n: getattr(file, n, None) if value is None else value for n, value in own.items()}
    # What a column says to go without what the file has.
    plain = {n: None if value == _NOTHING.get(n) else value for n, value in found.items()}
    return column.model_copy(update=plain)


def as_stored(column: C) -> C:
    """The column without how text writes it.

    >>> as_stored(WrittenNumber(percent=True, decimal=",", missing_words=["NA"]))
    WrittenNumber(missing_words=None, decimal=None, thousands=None, percent=False)
    """
    kinds = (WrittenNumber, WrittenDate, WrittenTruth, WrittenCategory)
    facts = {name: fact for kind in kinds for name, fact in kind.model_fields.items()}
    default = {
        name: facts[name].get_default(call_default_factory=True)
        for name in type(column).model_fields
        if name in facts
    }
    return column.model_copy(update=default)
