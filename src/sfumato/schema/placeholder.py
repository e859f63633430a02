"""Facts in place of the blanks of a column, so that what is declared of it can be checked.

They hold nothing that was declared to be missing, and a format tells their step; so no refusal
is about a fact that nobody wrote.

>>> placeholders({"kind": "integer", "missing_words": [0, -9]}, None, "column a")
{'low': 1, 'high': 2}
"""

from collections.abc import Mapping
from datetime import date, datetime
from fractions import Fraction
from math import ceil, floor
from typing import Any

from sfumato.errors import SchemaError
from sfumato.schema.clear_range import clear_range, said_numbers
from sfumato.schema.date_format import told_by
from sfumato.schema.formats import WrittenNumber
from sfumato.schema.shorthand import OTHER
from sfumato.schema.written_number import PLAIN, Written, written_in

__all__ = ["placeholders"]

_VALUES = ("987654321", "True")  # two, as a label needs; what is stored is not held to them
_MANY = 2**20  # steps around zero
_NEAR = Fraction(1, 2**20)  # of a declared end: numbers of its size are told apart so finely
_DAYS = (date(2000, 1, 1).toordinal(), date(2021, 11, 26).toordinal())
_ZERO = date(2020, 1, 1).toordinal()


def placeholders(stated: Mapping[str, Any], file: Any, where: str) -> dict[str, Any]:
    """Facts that make a schema of the blanks of one column."""
    kind, low, high = stated["kind"], stated.get("low"), stated.get("high")
    if kind == "category" and "values" not in stated:
        gone = {str(word).strip() for word in _said("missing_words", stated, file) or ()}
        other = stated.get("other", OTHER)
        spelt = [text for text in _VALUES if text not in gone | {str(other).strip()}]
        spelt += [f"value {k}" for k in range(len(_VALUES) - len(spelt))]
        return {"values": spelt, "other": other}
    if kind not in ("number", "integer", "date") or (low is not None and high is not None):
        return {}
    form = _said("format", stated, file)
    form = form if isinstance(form, str) and form != "iso" else None
    try:
        texts = [str(word).strip() for word in _said("missing_words", stated, file) or ()]
        how = PLAIN if kind == "date" else _written(stated, file)
        words = said_numbers(kind, texts, form, how)
        found = _dates(low, high, words) if kind == "date" else _numbers(stated, words)
    except (ValueError, ZeroDivisionError, OverflowError, TypeError, AttributeError):
        day = kind == "date"  # what was stated is refused by the schema
        found = {"low": date.fromordinal(_DAYS[0]), "high": date.fromordinal(_DAYS[1])}
        found = found if day else {"low": 0, "high": 1}
    if found is None:
        raise SchemaError(
            f"{where}: no range is left beside the declared end: a missing word lies there, or "
            "nothing beyond can be written. Declare both ends, or missing_words of the column"
        )
    if kind == "date" and form is not None:
        found["step"] = told_by(form) or "day"
    return {fact: value for fact, value in found.items() if fact not in stated}


def _said(fact: str, stated: Mapping[str, Any], file: Any) -> Any:
    """What a column declares itself, or else its file."""
    return stated.get(fact, file.get(fact) if isinstance(file, Mapping) else None)


def _written(stated: Mapping[str, Any], file: Any) -> Written:
    """How a column writes its numbers; `ValueError` for what the schema refuses."""
    separators = {fact: _said(fact, stated, file) for fact in ("decimal", "thousands")}
    if separators["thousands"] == "none":
        separators["thousands"] = None
    return written_in(WrittenNumber(**separators, percent=stated.get("percent", False)))


def _numbers(stated: Mapping[str, Any], words: tuple[Fraction, ...]) -> dict[str, Any] | None:
    low, high, whole = stated.get("low"), stated.get("high"), stated["kind"] == "integer"
    known = low if low is not None else high
    base = Fraction(0) if known is None else Fraction(str(known))
    if "step" in stated or whole:
        step = Fraction(str(stated.get("step", 1)))
        if step <= 0:
            raise ValueError
    else:
        step = max(Fraction(1), abs(base) * _NEAR)
        if known is not None:
            step = min([step, *(abs(word - base) / 4 for word in words if word != base)])
    ends = (0, 1) if high is None else (-1, 0)
    keep = None if known is None else 0
    most = Fraction(2**53 if whole else 10**300)
    first, last = max(-_MANY, ceil((-most - base) / step)), min(_MANY, floor((most - base) / step))
    room = (first, last) if known is None else (0, last) if high is None else (first, 0)
    found = clear_range(ends, [(word - base) / step for word in words], within=room, keep=keep)
    if found is None:
        return None
    number = int if whole else float
    bottom, top = (base + k * step for k in found)
    return {"low": number(bottom), "high": number(top)}


def _dates(low: Any, high: Any, words: tuple[Fraction, ...]) -> dict[str, Any] | None:
    ends, keep, room = _DAYS, None, (date(2, 1, 1).toordinal(), date.max.toordinal())
    known = low if low is not None else high
    if known is not None:
        known = datetime.fromisoformat(known) if isinstance(known, str) else known
        keep = known.toordinal()
        later = date(min(known.year + 2, 9999), 1, 1).toordinal()
        earlier = date(max(known.year - 2, 1), 1, 1).toordinal()
        ends = (keep, max(later, min(keep + 1, room[1]))) if high is None else (earlier, keep)
        room = (keep, room[1]) if high is None else (1, keep)
    found = clear_range(ends, [word + _ZERO for word in words], within=room, keep=keep)
    if found is None:
        return None
    return {"low": date.fromordinal(found[0]), "high": date.fromordinal(found[1])}
