"""What a column declares about its spelling must not contradict itself, or what it may hold.

>>> from sfumato.schema import Number
>>> Number(kind="number", low=-100, high=100, missing_words=[-99])  # doctest: +ELLIPSIS
Traceback (most recent call last):
    ...
pydantic_core._pydantic_core.ValidationError: ...the missing word -99 lies within the range...
"""

import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from itertools import chain
from typing import Any

from sfumato.schema.date_format import check_century, check_format, read_date
from sfumato.schema.written_number import Written, number_in, written_in

__all__ = [
    "FALSE",
    "TRUE",
    "check_written",
    "moment_of",
    "number_of",
    "numbers_of",
    "spellings",
    "whole",
]

TRUE, FALSE = ("true", "t", "yes", "y", "1", "1.0"), ("false", "f", "no", "n", "0", "0.0")
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_WHOLE = re.compile(r"[+-]?[0-9]+\.0+")


def number_of(word: str) -> float | None:
    """The number that a word is, written with a point; None where it is none."""
    return float(word) if _NUMBER.fullmatch(word) else None


def numbers_of(words: Iterable[str], how: Written) -> set[float]:
    """The numbers that words are, written with a point or as a column writes its own.

    >>> sorted(numbers_of(["NA", "-9,9", "-99"], Written(decimal=",")))
    [-99.0, -9.9]
    """
    found = {read for word in words for read in (number_of(word), number_in(word, how))}
    return {number for number in found if number is not None}


def whole(text: str) -> str:
    """3.0 as 3: a gap in a column of whole numbers turns them into floats."""
    return text.partition(".")[0] if _WHOLE.fullmatch(text) else text


def spellings(column: Any) -> Iterator[list[str]]:
    """For each level of a category or boolean, false first, the trimmed texts it is written as."""
    if column.kind == "boolean":
        yield list(column.false or FALSE)
        yield list(column.true or TRUE)
        return
    for value in (*column.values, *((column.other,) if column.other else ())):
        text = str(value).strip()
        yield [text, *column.aliases.get(text, ())]


def check_written(column: Any) -> None:
    """Refuse facts of a column, with those of its file, that cannot hold together."""
    words = column.missing_words or ()
    match column.kind:
        case "number" | "integer":
            if (column.decimal or ".") == column.thousands:
                raise ValueError("decimal and thousands must differ: declare both")
            how = written_in(column)
            for plain in (number_of, lambda word: number_in(word, how)):
                _outside(words, map(plain, words), column.low, column.high)
        case "date":
            if column.format is not None:
                check_format(column.format, column.step)
                check_century(column.format, column.low, column.high)
            moments = (moment_of(word, column.format) for word in words)
            _outside(words, moments, column.low, column.high)
        case "boolean":
            if (column.true is None) != (column.false is None):
                raise ValueError("declare the words for both, true and false")
            folded = [sorted({whole(w.lower()) for w in level}) for level in spellings(column)]
            _apart([word.lower() for word in words], folded)
        case _:
            if unknown := set(column.aliases) - {level[0] for level in spellings(column)}:
                raise ValueError(f"aliases: {min(unknown)} is not one of the values")
            _apart(words, list(spellings(column)))


def moment_of(word: str, form: str | None) -> datetime | None:
    """The moment that a word for missing names, as 1900-01-01 does, or in the column's format."""
    if form is not None and (moment := read_date(word, form)) is not None:
        return moment.replace(tzinfo=None)
    try:
        return datetime.fromisoformat(word).replace(tzinfo=None) if "-" in word[1:] else None
    except ValueError:
        return None


def _outside(words: Iterable[str], values: Iterable[Any], low: Any, high: Any) -> None:
    for word, value in zip(words, values, strict=True):
        if value is not None and low <= value <= high:
            raise ValueError(
                f"the missing word {word} lies within the range: narrow the range, or give the "
                "column missing_words of its own"
            )


def _apart(words: Iterable[str], levels: list[list[str]]) -> None:
    """Each text means one thing; 3 and 3.0 are the same where a word is one of them."""
    seen: set[str] = set()
    for text in chain.from_iterable(levels):
        if text in seen:
            raise ValueError(f"{text} is declared twice: each spelling belongs to one value")
        seen.add(text)
    known = {whole(text) for text in seen}
    for word in words:
        if whole(word) in known:
            raise ValueError(
                f"the missing word {word} is one of the values: remove one of the two, or give "
                "the column missing_words of its own"
            )
