"""NOT PRIVATE: what values that do not fit look like, said without showing one of them."""

import re
from collections import Counter
from collections.abc import Callable, Sequence

from sfumato.schema import Boolean, Date
from sfumato.schema.domain import Axis, Grid, Levels
from sfumato.table.complaint import Complaint
from sfumato.table.value import UNREADABLE

__all__ = ["MOST_VALUES", "NO_TEXT", "TORN_LINES", "hint"]

MOST_VALUES = 1_000  # of a column and complaint that are looked at
_NUMBERS = {
    "looks like a comma between thousands": r"[+-]?\d{1,3}(,\d{3})+(\.\d+)?",
    "looks like a point between thousands and a decimal comma": r"[+-]?\d{1,3}(\.\d{3})+,\d+",
    "looks like a decimal comma": r"[+-]?\d*,\d+",
    "looks like a space between thousands": r"[+-]?\d{1,3}([\s'’]\d{3})+([.,]\d+)?",
    "looks like a percent sign": r"[+-]?[\d.,]+\s*%",
    "looks like a sign of a currency": r"[+-]?\s*[$€£¥]\s*[\d.,]+|[+-]?[\d.,]+\s*[$€£¥]",
    "looks like a unit behind the number": r"[+-]?[\d.,]+\s*[A-Za-z]+",
}
_DATES = {
    "looks like day.month.year": r"\d{1,2}\.\d{1,2}\.\d{2,4}.*",
    "looks like a date with slashes, the day first": r"(1[3-9]|2\d|3[01])/\d{1,2}/\d{2,4}.*",
    "looks like a date with slashes, the month first": r"\d{1,2}/(1[3-9]|2\d|3[01])/\d{2,4}.*",
    "looks like a date with slashes": r"\d{1,2}/\d{1,2}/\d{2,4}.*",
    "looks like day-month-year": r"\d{1,2}-\d{1,2}-\d{4}.*",
    "looks like a date without separators": r"\d{8}",
}
TORN_LINES = "lines with too many or too few fields (a separator inside unquoted values?)"
NO_TEXT = "no text at all"
_ENCODING = "looks like another encoding than UTF-8"
_ONE_VALUE = "most are one and the same value, as a code for missing would be"


def hint(complaint: Complaint, axis: Axis, values: Sequence[str | None], torn: int = 0) -> str:
    """What at least half of these values have in common; nothing where that is not plain.

    None stands for what no text can be made of; `torn` of them stand for lines of a text file
    that have more or fewer fields than the header.
    """
    if not values:
        return ""
    if 2 * torn >= len(values):
        return TORN_LINES
    if complaint in (Complaint.BELOW, Complaint.ABOVE):
        return _ONE_VALUE if _alike(values) else ""
    if complaint is Complaint.NOT_LISTED and isinstance(axis, Levels):
        return _spelling(axis, values)
    if complaint is not Complaint.UNREADABLE:
        return ""
    if _most(values, lambda text: text == UNREADABLE):
        return NO_TEXT
    foreign = _most(values, lambda text: UNREADABLE in text)
    if foreign or not (isinstance(axis, Grid) or isinstance(axis.column, Boolean)):
        return _ENCODING
    shapes = _DATES if isinstance(axis.column, Date) else _NUMBERS
    found = (said for said, shape in shapes.items() if _most(values, re.compile(shape).fullmatch))
    # Of two words for true and false, one is half of all: that hints at no code.
    alike = not isinstance(axis.column, Boolean) and _alike(values)
    return next(found, _of_one_kind(shapes, values)) or (_ONE_VALUE if alike else "")


def _of_one_kind(shapes: dict[str, str], values: Sequence[str | None]) -> str:
    """Where half are of some shape, but no one shape holds half: the most frequent one."""
    counts = Counter(
        next((said for said, s in shapes.items() if re.fullmatch(s, (text or "").strip())), "")
        for text in values
    )
    known = sum(count for said, count in counts.items() if said)
    counts.pop("", None)
    return counts.most_common(1)[0][0] if 2 * known >= len(values) and counts else ""


def _spelling(axis: Levels, values: Sequence[str | None]) -> str:
    listed = [str(value).strip() for value in axis.values]
    folded, plain = {text.casefold() for text in listed}, {_plain(text) for text in listed}
    if _most(values, lambda text: text.casefold() in folded):
        return "differs from the list in capital letters alone"
    if _most(values, lambda text: _plain(text) in plain):
        return "differs from the list in blanks, signs or accents alone"
    return _ONE_VALUE if _alike(values) else ""


def _plain(text: str) -> str:
    return "".join(letter for letter in text.casefold() if letter.isascii() and letter.isalnum())


def _most(values: Sequence[str | None], holds: Callable[[str], object]) -> bool:
    return 2 * sum(bool(holds((text or "").strip())) for text in values) >= len(values)


def _alike(values: Sequence[str | None]) -> bool:
    return len(values) >= 10 and 2 * Counter(values).most_common(1)[0][1] >= len(values)
