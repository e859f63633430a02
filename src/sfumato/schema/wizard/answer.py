"""Answers as a person types them, read into facts of a schema.

>>> truth("y"), numbered("1,3", ["a", "b", "c"]), listed('red, "a,b", 7')
(True, ['a', 'c'], ['red', 'a,b', 7])
"""

import csv
import re
from collections.abc import Sequence
from datetime import date
from typing import Any

from sfumato.schema.wizard.preset import KINDS, PRESETS, Preset
from sfumato.schema.wizard.session import WrongAnswer

__all__ = ["ends", "listed", "named", "numbered", "some", "text", "truth"]

_WHOLE = re.compile(r"-?(0|[1-9][0-9]{0,14})")
_YEAR = re.compile(r"[0-9]{4}")
_NUMBER = re.compile(r"[-+]?([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][-+]?[0-9]{1,3})?")
_SPOKEN = {"integer": "whole", "boolean": "yes/no", "bool": "yes/no", "float": "number"}
_LETTERS = {"n": "number", "w": "whole", "c": "category", "d": "date", "y": "yes/no", "i": "id"}


def text(answer: str) -> str:
    """Any text of a sensible length."""
    if len(answer) > 200 or not answer.isprintable():
        raise WrongAnswer("a text of at most 200 characters, please")
    return answer


def truth(answer: str) -> bool:
    """Yes or no."""
    word = answer.lower()
    if word and "yes".startswith(word):
        return True
    if word and "no".startswith(word):
        return False
    raise WrongAnswer("yes or no, please")


def some(answer: str) -> int | None:
    """A number of records, as a person writes it, or nothing known.

    >>> some("45,000"), some("12k"), some("unknown")
    (45000, 12000, None)
    """
    plain = re.sub(r"[,_' ]", "", answer.lower())
    if plain == "unknown":
        return None
    found = re.fullmatch(r"([0-9]{1,12})(k|m)?", plain)
    if not found or not int(found[1]):
        raise WrongAnswer("a number such as 45000, please, or Enter")
    return int(found[1]) * {"k": 1_000, "m": 1_000_000}.get(found[2], 1)


def named(word: str) -> Preset:
    """The preset or kind of this name, by its beginning where that is enough.

    >>> named("lat").name, named("integer").name, named("n").name
    ('latitude', 'whole', 'number')
    """
    known = PRESETS | KINDS
    word = word.lower()
    word = _LETTERS.get(word, _SPOKEN.get(word, word))
    near = [word] if word in known else [name for name in known if name.startswith(word)]
    if len(near) != 1 and len({known[name].kind for name in near}) != 1:
        choice = f"which one: {', '.join(near)}?" if near else f"one of {', '.join(known)}, please"
        raise WrongAnswer(choice)
    return known[near[0]]


def numbered(answer: str, names: Sequence[str]) -> list[str]:
    """Columns by their names or numbers; all, or none.

    >>> numbered("all", ["a", "b"]), numbered("none", ["a", "b"])
    (['a', 'b'], [])
    """
    if answer in ("all", "none") and answer not in names:
        return list(names) if answer == "all" else []
    found = [_column(part, names) for part in _parts(answer)]
    return [name for name in names if name in found]


def _column(part: str, names: Sequence[str]) -> str:
    if part in names:
        return part
    if _WHOLE.fullmatch(part) and 1 <= int(part) <= len(names):
        return names[int(part) - 1]
    raise WrongAnswer(f"there is no column {part}: its name or number, please")


def ends(kind: str, answer: str) -> tuple[Any, Any]:
    """Two ends of a range, with a blank, `to` or dots between them.

    >>> ends("integer", "0 120"), ends("number", "-5.5 to 40"), ends("integer", "18..30")
    ((0, 120), (-5.5, 40), (18, 30))
    >>> ends("date", "2022 2024")
    (datetime.date(2022, 1, 1), datetime.date(2024, 12, 31))
    """
    parts = [part for part in re.split(r"\s*\.\.+\s*|\s+to\s+|\s+", answer.strip()) if part]
    if len(parts) != 2:
        raise WrongAnswer("two ends with a blank between them, please, such as 0 120")
    if kind == "date":
        return _day(parts[0], "-01-01"), _day(parts[1], "-12-31")
    return _end(kind, parts[0]), _end(kind, parts[1])


def _day(part: str, of_year: str) -> date:
    try:
        return date.fromisoformat(part + of_year if _YEAR.fullmatch(part) else part)
    except ValueError:
        raise WrongAnswer("dates as YYYY-MM-DD, please, or years") from None


def _end(kind: str, part: str) -> Any:
    if _WHOLE.fullmatch(part):
        return int(part)
    if kind == "integer":
        raise WrongAnswer("whole numbers, please, without separators")
    if not _NUMBER.fullmatch(part):
        raise WrongAnswer("numbers with a decimal point, please, without separators")
    return float(part)


def listed(answer: str) -> list[str | int]:
    """Values with commas between them; one that holds a comma stands in quotes."""
    values = _parts(answer)
    if not values:
        raise WrongAnswer("values with commas between them, please")
    return [int(value) if _WHOLE.fullmatch(value) else value for value in values]


def _parts(answer: str) -> list[str]:
    try:
        (row,) = csv.reader([answer], skipinitialspace=True, strict=True)
    except (csv.Error, ValueError):
        raise WrongAnswer("a list with commas, please; quotes come in pairs") from None
    return [part.strip() for part in row if part.strip()]
