"""How accurate somebody wants a release to be, in words that are read.

    mean age within 1           in the units of the column
    mean age within 2%          of its range
    means within 2%             of every number
    counts of ward within 50    records
    counts within 1%            of all records, every column

Names with blanks go between double quotes.

>>> from sfumato.schema import Schema
>>> domain = Domain.of(Schema.of({"name": "t", "columns": {
...     "age": {"kind": "integer", "low": 0, "high": 110}}}))
>>> parsed(["mean age within 1.5"], domain, 500)
[Wish(text='mean age within 1.5', kind='mean', column='age', limit=Fraction(3, 2), percent=False)]
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from sfumato.errors import ParameterError
from sfumato.publishing.forecast_line import ForecastLine
from sfumato.schema import Date
from sfumato.schema.domain import Axis, Domain, Grid

__all__ = ["Short", "Wish", "parsed"]

_NAME = r'(?:"(?P<quoted>[^"]+)"|(?P<bare>[^\s"]+))'
_WISH = re.compile(
    rf"\s*(?P<kind>means?|counts)(?:\s+(?P<of>of))?(?:\s+(?!within\b){_NAME})?"
    r"\s+within\s+(?P<limit>[0-9]+(?:\.[0-9]+)?|\.[0-9]+)\s*(?P<percent>%)?\s*"
)
_LONGEST = 40  # characters of a limit: what is longer may be no number that can be reckoned with
_SHAPES = '"mean age within 1", "means within 2%", "counts of ward within 50" or "counts within 1%"'
_UNNAMED = (
    "; a column whose name has a double quote in it cannot be named here: ask for all columns, or "
    "rename it"
)


@dataclass(frozen=True)
class Short:
    """How far the column that is farthest off is from what was wished."""

    column: str
    off: float
    missed: bool
    share: float  # of what it may be off
    said: str


@dataclass(frozen=True)
class Wish:
    """Figures that are to be off by no more than a limit."""

    text: str
    kind: Literal["mean", "counts"]
    column: str | None  # None: every one that has such figures
    limit: Fraction
    percent: bool

    def short(self, lines: Sequence[ForecastLine]) -> Short:
        """Of the columns that the wish is about, the one that is farthest off."""
        figures = [
            (line.column, found)
            for line in lines
            if self.column in (None, line.column)
            and (found := line.mean if self.kind == "mean" else line.counts) is not None
        ]
        if not figures:
            of = "" if self.column is None else f" of {self.column}"
            what = "mean" if self.kind == "mean" else "counts"
            raise ParameterError(
                f"want {self.text!r}: the method publishes no {what}{of}; mosaic does"
            )
        offs = [(100 * found.share if self.percent else found.within) for _, found in figures]
        off = max(offs)
        column = figures[offs.index(off)][0]
        said = f"{column} at ± {off:.3g}{' %' if self.percent else ''}"
        return Short(column, off, off > self.limit, off / float(self.limit), said)


def parsed(texts: Sequence[str], domain: Domain, records: int) -> list[Wish]:
    """Wishes about the columns of a schema; refused by their words where they cannot be."""
    return [_parsed(text, domain, records) for text in texts]


def _parsed(text: str, domain: Domain, records: int) -> Wish:
    match = _WISH.fullmatch(text)
    if match is None:
        odd = any('"' in axis.name for axis in domain.axes)
        raise ParameterError(
            f"want {text!r} is not understood: write {_SHAPES}{_UNNAMED if odd else ''}"
        )
    name = match["quoted"] or match["bare"]
    kind: Literal["mean", "counts"] = "counts" if match["kind"] == "counts" else "mean"
    if len(match["limit"]) > _LONGEST:  # and is not repeated
        raise ParameterError(
            f"want {text.partition(match['limit'])[0].strip()!r}: a limit has at most {_LONGEST} "
            "digits: write a shorter one"
        )
    percent, limit = bool(match["percent"]), Fraction(match["limit"])
    one_mean = match["kind"] == "mean"
    if one_mean != (kind == "mean" and name is not None) or bool(match["of"]) != (
        kind == "counts" and name is not None
    ):
        raise ParameterError(f"want {text!r} is not understood: write {_SHAPES}")
    if limit == 0:
        raise ParameterError(f"want {text!r}: no noise is 0; write a limit above 0")
    if percent and limit > 100:
        raise ParameterError(f"want {text!r}: a limit above 100% asks for nothing")
    if kind == "counts" and not percent and limit > records:
        raise ParameterError(
            f"want {text!r}: there are {records:,} records, so a limit above that asks for nothing"
        )
    if name is None and kind == "mean" and not percent:
        raise ParameterError(f"want {text!r}: numbers have units of their own; write a limit in %")
    _check_column(text, kind, name, domain)
    if kind == "mean" and not percent:
        _check_range(text, limit, next(axis for axis in domain.axes if axis.name == name))
    return Wish(text.strip(), kind, name, limit, percent)


def _check_column(text: str, kind: str, name: str | None, domain: Domain) -> None:
    axes = {axis.name: axis for axis in domain.axes}
    numbers = [n for n, a in axes.items() if isinstance(a, Grid) and not isinstance(a.column, Date)]
    if name is not None and name not in axes:
        raise ParameterError(
            f"want {text!r}: there is no released column {name!r}; there are: {', '.join(axes)}"
        )
    if kind == "mean" and (name not in numbers if name else not numbers):
        which = f"{name} is no number" if name else "no column is a number"
        there = f"; numbers are: {', '.join(numbers)}" if numbers else ""
        raise ParameterError(f"want {text!r}: {which}, so it has no mean{there}")


def _check_range(text: str, limit: Fraction, axis: Axis) -> None:
    if isinstance(axis, Grid) and not isinstance(axis.column, Date):
        width = float(axis.column.high - axis.column.low)
        if limit > width:
            raise ParameterError(
                f"want {text!r}: a limit above its range of {width:g} asks for nothing"
            )
