"""How numbers are written as texts: what is between their parts, and what behind them.

>>> number_in("1.234,50", Written(decimal=",", thousands=".")), number_in("1.5", Written(","))
(1234.5, None)
"""

import re
from dataclasses import dataclass
from functools import cache
from typing import Any

__all__ = ["PLAIN", "Written", "number_in", "shape_of", "written_in"]

_ALIKE = (" \u00a0\u202f\u2009", "'\u2019")  # one key or another for the same mark


@dataclass(frozen=True)
class Written:
    """How a column writes its numbers as texts."""

    decimal: str = "."
    thousands: str | None = None
    percent: bool = False


PLAIN = Written()


def written_in(column: Any) -> Written:
    """What a column of numbers declares."""
    return Written(column.decimal or ".", column.thousands, column.percent)


@cache
def shape_of(how: Written) -> tuple[str, str, str]:
    """Patterns of a whole text, of the separators to leave out, and of the end to cut off."""
    point, groups, separators = re.escape(how.decimal), "", ""
    if how.thousands is not None:
        alike = next((marks for marks in _ALIKE if how.thousands in marks), how.thousands)
        separators = f"[{alike}]"
        groups = f"|[1-9][0-9]{{0,2}}({separators}[0-9]{{3}})+({point}[0-9]*)?"
    end = "[ \u00a0\u202f]?%" if how.percent else ""
    single = rf"([0-9]+({point}[0-9]*)?|{point}[0-9]+)([eE][+-]?[0-9]+)?"
    words = "" if how.percent else "|inf|infinity|true|false"
    return rf"(?i)^[+-]?(?:(?:{single}{groups}){end}{words})$", separators, end


def number_in(word: str, how: Written) -> float | None:
    """The number that one trimmed text is; None where it is none, or a truth value.

    >>> number_in("99 %", Written(percent=True)), number_in("true", PLAIN)
    (99.0, None)
    """
    shape, separators, end = shape_of(how)
    if re.fullmatch(shape, word) is None or word.lower().lstrip("+-") in ("true", "false"):
        return None
    for mark in filter(None, (separators, end)):
        word = re.sub(mark, "", word)
    return float(word.replace(how.decimal, "."))
