"""How accurate somebody wants a release to be, and an epsilon that just makes it so.

    mean age within 1           in the units of the column
    mean age within 2%          of its range
    means within 2%             of every number
    counts of ward within 50    records
    counts within 1%            of all records, every column

Names with blanks go between double quotes.  Epsilon is found among the numbers of three digits,
by halving: the one that is found fulfils all wishes, and the one below it was tried and does not.
Where more budget is divided in another way, a count may get a little worse by it; so a still
smaller epsilon is not ruled out.

>>> from sfumato.schema import Schema
>>> domain = Domain.of(Schema.of({"name": "t", "columns": {
...     "age": {"kind": "integer", "low": 0, "high": 110}}}))
>>> parsed(["mean age within 1.5"], domain)
[Wish(text='mean age within 1.5', kind='mean', column='age', limit=Fraction(3, 2), percent=False)]
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, Protocol, TypeVar

from sfumato.errors import ParameterError, Refused
from sfumato.privacy.guarantee import Number, exact
from sfumato.publishing.forecast_line import ForecastLine
from sfumato.schema import Date
from sfumato.schema.domain import Axis, Domain, Grid

__all__ = ["MOST_EPSILON", "Wish", "parsed", "smallest"]

MOST_EPSILON = 100  # up to which epsilon is looked for
_DIGITS = 900  # numbers of three digits in a power of ten
_LEAST = -3  # the power of ten from which on
_NAME = r'(?:"(?P<quoted>[^"]+)"|(?P<bare>[^\s"]+))'
_WISH = re.compile(
    rf"\s*(?P<kind>means?|counts)(?:\s+(?P<of>of))?(?:\s+(?!within\b){_NAME})?"
    r"\s+within\s+(?P<limit>\d+(?:\.\d+)?|\.\d+)\s*(?P<percent>%)?\s*"
)
_SHAPES = '"mean age within 1", "means within 2%", "counts of ward within 50" or "counts within 1%"'


class _Forecast(Protocol):
    @property
    def lines(self) -> tuple[ForecastLine, ...]:
        """What is expected of each column."""

    @property
    def method(self) -> str:
        """By which it would be released."""


F = TypeVar("F", bound=_Forecast)


@dataclass(frozen=True)
class Wish:
    """Figures that are to be off by no more than a limit."""

    text: str
    kind: Literal["mean", "counts"]
    column: str | None  # None: every one that has such figures
    limit: Fraction
    percent: bool

    def missed(self, lines: Sequence[ForecastLine]) -> str:
        """What falls short of it, in words; empty where it is fulfilled."""
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
        for column, found in figures:
            off = 100 * found.share if self.percent else found.within
            if off > self.limit:
                return f"{column} at ± {off:.3g}{' %' if self.percent else ''}"
        return ""


def parsed(texts: Sequence[str], domain: Domain) -> list[Wish]:
    """Wishes about the columns of a schema; refused by their words where they cannot be."""
    return [_parsed(text, domain) for text in texts]


def smallest(
    at: Callable[[Fraction], F], wishes: Sequence[Wish], most: Number
) -> tuple[F, Fraction | None]:
    """The forecast at an epsilon that just fulfils all wishes, and the epsilon below it.

    None below it: the smallest that is looked at fulfils them.  What is no budget for a method at
    all, because it is too small, fulfils nothing.
    """
    limit = exact("most", most)
    low, high = -1, _place(limit)
    if high < 0:
        raise ParameterError(f"most must be at least {float(_epsilon(0)):g}, got {most}")
    found = at(_epsilon(high))  # a refusal of the method is told as it is
    if missed := _missed(wishes, found):
        wish, short = missed
        # Bins are as wide at every budget, so a mean that is put together from them is as far off.
        bins = wish.kind == "mean" and found.method == "mosaic"
        other = ", or choose modips, which adds numbers up without bins" if bins else ""
        raise ParameterError(
            f"want {wish.text!r}: not reached with epsilon up to {float(_epsilon(high)):g}, which "
            f"leaves {short}; ask for less, release fewer columns, or have more records{other}"
        )
    while high - low > 1:
        middle = (low + high) // 2
        try:
            tried = at(_epsilon(middle))
        except Refused:
            low = middle
            continue
        if _missed(wishes, tried):
            low = middle
        else:
            high, found = middle, tried
    return found, None if low < 0 else _epsilon(low)


def _missed(wishes: Sequence[Wish], found: _Forecast) -> tuple[Wish, str] | None:
    return next(((wish, short) for wish in wishes if (short := wish.missed(found.lines))), None)


def _epsilon(place: int) -> Fraction:
    """The numbers of three digits in order: 0.001, 0.00101 …"""
    power, digits = divmod(place, _DIGITS)
    return Fraction(100 + digits) * Fraction(10) ** (power + _LEAST - 2)


def _place(epsilon: Fraction) -> int:
    """The last place whose number is no larger."""
    power = _LEAST
    while Fraction(10) ** (power + 1) <= epsilon:
        power += 1
    digits = int(epsilon / Fraction(10) ** (power - 2)) - 100
    return (power - _LEAST) * _DIGITS + digits


def _parsed(text: str, domain: Domain) -> Wish:
    match = _WISH.fullmatch(text)
    if match is None:
        raise ParameterError(f"want {text!r} is not understood: write {_SHAPES}")
    name = match["quoted"] or match["bare"]
    kind: Literal["mean", "counts"] = "counts" if match["kind"] == "counts" else "mean"
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
