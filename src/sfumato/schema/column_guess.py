"""What a public column looks like: the facts a schema could state about it.

Only for files that their owner declared public: everything here is read off the records.

>>> seen = Proposal()
>>> seen.see(["17", "90", None])
>>> seen.facts()
['kind: integer', 'low: 10', 'high: 90', 'missing: allowed']
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from math import isfinite
from typing import Any

import yaml

from sfumato.schema.shorthand import OTHER

__all__ = ["KINDS", "Proposal", "other_word", "scalar"]

KINDS = "number, integer, category, boolean, date or id"

_MOST_VALUES = 50
_LINE = 80
_MARKS = frozenset({"na", "n/a", "#n/a", "nan", "nat", "null", "none", "nil", "?", "-", "--", "."})
_WHOLE = re.compile(r"[+-]?(0|[1-9][0-9]*)")
_CODE = re.compile(r"[+-]?0[0-9].*|.*_.*")  # 007 is a code, and float() would read 1_000
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}.*")
_STEPS = ("day", "hour", "minute", "second")


def _integer(text: str) -> int:
    if not _WHOLE.fullmatch(text):
        raise ValueError
    return int(text)


def _number(text: str) -> float:
    if _CODE.fullmatch(text):
        raise ValueError
    return float(text)


def _moment(text: str) -> datetime:
    if not _DAY.fullmatch(text):
        raise ValueError
    return datetime.fromisoformat(text).replace(tzinfo=None)  # as written: so days are read


_READERS: dict[str, Callable[[str], Any]] = {
    "integer": _integer,
    "number": _number,
    "date": _moment,
}


@dataclass
class Proposal:
    """What has been seen of one column so far."""

    _missing: bool = False
    _marks: bool = False  # NA and the like: missing in a number, a value in a category
    _texts: set[str] = field(default_factory=set)  # one more than a category may list, at most
    _finest: int = 0  # position in _STEPS
    _ends: dict[str, tuple[Any, Any] | None] = field(
        default_factory=lambda: dict.fromkeys(_READERS)
    )  # the kinds that every value can be read as, with the smallest and the largest

    def see(self, values: Iterable[str | None]) -> None:
        """Take trimmed texts into account; each distinct one is needed only once."""
        values = list(values)
        present = [text for text in values if text]
        plain = [text for text in present if text.lower() not in _MARKS]
        self._missing |= len(present) < len(values)
        self._marks |= len(plain) < len(present)
        for text in present:
            if len(self._texts) > _MOST_VALUES:
                break
            self._texts.add(text)
        for kind in list(self._ends):
            self._read(kind, plain)

    def _read(self, kind: str, texts: list[str]) -> None:
        try:
            found = [_READERS[kind](text) for text in texts]
        except (ValueError, OverflowError):
            del self._ends[kind]
            return
        if kind == "number":
            found = [number for number in found if isfinite(number)]
        if kind == "date":
            self._finest = max([self._finest, *map(_fineness, found)])
        if found:
            known = self._ends[kind] or (found[0], found[0])
            self._ends[kind] = min(known[0], *found), max(known[1], *found)

    def facts(self) -> list[str]:
        """Lines of the schema for this column."""
        plain = {text.lower() for text in self._texts} - _MARKS
        absent = ["missing: allowed"] * (self._missing or self._marks)
        if not plain:
            return [f"kind:  # no value was seen: {KINDS}"]
        if plain <= {"true", "false"}:
            return ["kind: boolean", *absent]
        if plain == {"0", "1"}:
            return [
                "kind: boolean  # kind: category with values: [0, 1] would keep the digits",
                *absent,
            ]
        for kind, ends in self._ends.items():
            if ends is not None:
                return [*self._range(kind, *ends), *absent]
        return self._category()

    def _range(self, kind: str, low: Any, high: Any) -> list[str]:
        if kind == "date":
            # Outward to whole years.
            low, high = date(low.year, 1, 1), date(high.year, 12, 31)
            step = [f"step: {_STEPS[self._finest]}"] * (self._finest > 0)
            return ["kind: date", f"low: {low}", f"high: {high}", *step]
        low, high = _outward(Decimal(str(low)), Decimal(str(high)), whole=kind == "integer")
        if max(abs(low), abs(high)) > (2**53 if kind == "integer" else Decimal("1e300")):
            return ["kind: id  # too large for a number: the column is never released"]
        return [f"kind: {kind}", f"low: {_plain(low)}", f"high: {_plain(high)}"]

    def _category(self) -> list[str]:
        if len(self._texts) > _MOST_VALUES:
            return [
                f"kind: id  # more than {_MOST_VALUES} different texts: never released.  Or "
                "kind: category with values and other"
            ]
        if any("\0" in text or "\r" in text for text in self._texts):
            return ["kind: id  # texts with characters that files lose: never released"]
        values = [scalar(text) for text in sorted(self._texts)]
        line = f"values: [{', '.join(values)}]"
        listed = [line] if len(line) <= _LINE else ["values:", *(f"  - {v}" for v in values)]
        listed.append(f"other: {scalar(other_word(self._texts))}")
        if self._marks:
            listed.append("# NA and the like are listed as values: empty cells would be missing")
        return ["kind: category", *listed, *["missing: allowed"] * self._missing]


def other_word(values: Iterable[str]) -> str:
    """A word for whatever is not listed that is no value itself.

    >>> other_word(["a", "b"]), other_word(["other", "a"])
    ('other', 'other_')
    """
    taken, word = set(values), OTHER
    while word in taken:
        word += "_"
    return word


def _fineness(moment: datetime) -> int:
    if moment.second or moment.microsecond:
        return 3
    return 2 if moment.minute else int(bool(moment.hour))


def _outward(low: Decimal, high: Decimal, *, whole: bool) -> tuple[Decimal, Decimal]:
    """The range on the largest of 1, 5, 10, 50 … that is at most a quarter of its width."""
    width = high - low
    if width:
        unit = Decimal(1).scaleb((width / 4).adjusted())
        unit = 5 * unit if 5 * unit <= width / 4 else unit
    else:
        unit = Decimal(1).scaleb(max(high.adjusted(), 0))
    if whole:
        unit = max(unit, Decimal(1))
    low = (low / unit).to_integral_value(ROUND_FLOOR) * unit
    high = (high / unit).to_integral_value(ROUND_CEILING) * unit
    return low, high if high > low else low + unit


def _plain(number: Decimal) -> str:
    """Digits where they are few; an exponent otherwise, which the schema reads as well."""
    if not number:
        return "0"
    return f"{number:f}" if -9 < number.adjusted() < 16 else f"{number.normalize():e}"


def scalar(text: str) -> str:
    """A text as YAML writes it inside a line, in quotes only where it needs them."""
    style = None if text.isprintable() else '"'
    listed = yaml.safe_dump(
        [text], default_flow_style=True, default_style=style, allow_unicode=True, width=10**9
    )
    return listed.strip()[1:-1]
