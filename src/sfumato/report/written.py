"""How a file writes its values, as its schema declares it, in words.

>>> from sfumato.schema.formats import FileFormat
>>> list(how_the_file(FileFormat(encoding="latin-1", delimiter=";")))
['its encoding is latin-1', 'columns are set apart by “;”']
"""

from collections.abc import Iterator, Sequence

from sfumato.report.svg import short
from sfumato.schema import Boolean, Category, Date
from sfumato.schema.column import Integer, Number
from sfumato.schema.formats import FileFormat

__all__ = ["any_of", "how_the_file", "how_written"]

_MOST, _LONG = 12, 40  # words, and characters of each
_INVISIBLE = {
    " ": "a space",
    "\u00a0": "a no-break space",
    "\u202f": "a narrow no-break space",
    "\t": "a tab",
}


def how_the_file(file: FileFormat | None) -> Iterator[str]:
    """What is declared of the file as a whole."""
    if file is None:
        return
    if file.encoding is not None:
        yield f"its encoding is {file.encoding}"
    if file.delimiter is not None:
        yield f"columns are set apart by {_mark(file.delimiter)}"
    if file.quote is not None:
        yield "no quotes" if file.quote == "none" else f"values are quoted by {_mark(file.quote)}"


def how_written(column: Number | Integer | Category | Boolean | Date) -> Iterator[str]:
    """What is declared of the spelling of a column, with what the file declares for all."""
    if isinstance(column, Number | Integer):
        if column.percent:
            yield "written in percent"
        if column.decimal is not None:
            yield f"decimals after {_mark(column.decimal)}"
        if column.thousands is not None:
            yield f"thousands set apart by {_mark(column.thousands)}"
    elif isinstance(column, Date) and column.format is not None:
        yield f"written as {short(column.format, _LONG)}"
    elif isinstance(column, Category):
        spelt = [f"{short(value, _LONG)} is also written {any_of(words)}"
                 for value, words in column.aliases.items() if words]  # fmt: skip
        left = len(spelt) - _MOST
        yield from spelt[:_MOST]
        if left > 0:
            yield f"{left:,} more values have other spellings"
    if column.missing_words:
        yield f"missing is written {any_of(column.missing_words)}"


def any_of(words: Sequence[str]) -> str:
    """Words of which any one may stand there.

    >>> any_of(["NA", "-99", "k.A."])
    'NA, -99 or k.A.'
    """
    said = [short(word, _LONG) for word in words[:_MOST]]
    if left := len(words) - len(said):
        said.append(f"{left:,} more")
    return " or ".join([", ".join(said[:-1]), said[-1]] if len(said) > 1 else said)


def _mark(mark: str) -> str:
    return _INVISIBLE.get(mark, f"“{mark}”")
