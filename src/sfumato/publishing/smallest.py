"""An epsilon of three digits with which all wishes are just fulfilled.

The one that is found fulfils all of them, and the one below it was tried and does not.  Where more
budget is divided in another way, a count may get a little worse by it; so a still smaller epsilon
is not ruled out.

Many columns.  What is off by the most at one epsilon is mostly off by the most at the next, so
only such columns are looked at on the way; what is found is then tried with all columns, and a
column that falls short is looked at from there on.

Few tries.  Noise is nearly as large as one over epsilon is, so a line through the last two tries
says where to look next.  It says where to look, never what holds; and where it leads astray, as
where other bins are found, the middle is taken.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Protocol, TypeVar

from sfumato.errors import ParameterError, Refused
from sfumato.privacy.guarantee import Number, exact
from sfumato.publishing.forecast_line import ForecastLine
from sfumato.publishing.wish import Short, Wish

__all__ = ["MOST_EPSILON", "smallest"]

MOST_EPSILON = 100  # up to which epsilon is looked for
_PAST = 10**9  # no budget is as large as that, and floats hold what is below
_DIGITS = 900  # numbers of three digits in a power of ten
_LEAST = -3  # the power of ten from which on
_PATIENCE = 3  # tries by a line, before the middle is taken
Columns = frozenset[str]


class _Forecast(Protocol):
    @property
    def lines(self) -> tuple[ForecastLine, ...]:
        """What is expected of each column that was asked for."""

    @property
    def method(self) -> str:
        """By which it would be released."""


F = TypeVar("F", bound=_Forecast)
At = Callable[[Fraction, Columns | None], F]  # None: all columns


def smallest(
    at: At[F], wishes: Sequence[Wish], most: Number, *, unbinned: str | None = None
) -> tuple[F, Fraction | None]:
    """The forecast at an epsilon that just fulfils all wishes, and the epsilon below it.

    `unbinned` is a method that adds numbers up without bins, where one takes the schema.
    None below it: the smallest that is looked at fulfils them.  What is no budget for a method at
    all, because it is too small, fulfils nothing.
    """
    limit = exact("most", most, below=_PAST)
    low, high = -1, _place(limit)
    if high < 0:
        raise ParameterError(f"most must be at least {float(_epsilon(0)):g}, got {most}")
    named = frozenset(wish.column for wish in wishes if wish.column is not None)
    every = named if wishes and all(wish.column for wish in wishes) else None
    found = at(_epsilon(high), every)  # a refusal of the method is told as it is
    shorts = [wish.short(found.lines) for wish in wishes]
    for wish, short in zip(wishes, shorts, strict=True):
        if short.missed:
            # Bins are as wide at every budget, so a mean that is put together from them is as far
            # off.
            bins = unbinned and wish.kind == "mean" and found.method == "mosaic"
            other = f", or choose {unbinned}, which adds numbers up without bins" if bins else ""
            raise ParameterError(
                f"want {wish.text!r}: not reached with epsilon up to {float(_epsilon(high)):g}, "
                f"which leaves {short.said}; ask for less, release fewer columns, or have more "
                f"records{other}"
            )
    columns = frozenset(short.column for short in shorts)
    line = _Line(_epsilon(high), shorts)
    while high - low > 1:
        low, there = _between(at, wishes, columns, (low, high), line)
        if there == high:
            break
        tried = at(_epsilon(there), every)
        shorts = [wish.short(tried.lines) for wish in wishes]
        if missed := [short for short in shorts if short.missed]:
            low, line = there, _Line(_epsilon(there), missed)
            columns |= {short.column for short in missed}
        else:
            high, found = there, tried
    if every is not None:  # nothing else was looked at
        found = at(_epsilon(high), None)
    return found, None if low < 0 else _epsilon(low)


def _between(
    at: At[F],
    wishes: Sequence[Wish],
    columns: Columns,
    places: tuple[int, int],
    line: "_Line",
) -> tuple[int, int]:
    """The place below which these columns fall short, and the next one, where they do not."""
    (low, high), tries = places, 0
    while high - low > 1:
        tries += 1
        guess = line.place() if tries % (_PATIENCE + 1) else None
        middle = (low + high) // 2 if guess is None else min(max(guess, low + 1), high - 1)
        try:
            tried = at(_epsilon(middle), columns)
        except Refused:
            low = middle
            continue
        shorts = [wish.short(tried.lines) for wish in wishes]
        line.add(_epsilon(middle), shorts)
        if any(short.missed for short in shorts):
            low = middle
        else:
            high = middle
    return low, high


class _Line:
    """How far off it was at the last two tries, as a line over one by epsilon."""

    def __init__(self, epsilon: Fraction, shorts: Sequence[Short]) -> None:
        self._points: list[tuple[float, float]] = []
        self.add(epsilon, shorts)

    def add(self, epsilon: Fraction, shorts: Sequence[Short]) -> None:
        """One more try, and what fell shortest there."""
        share = max((short.share for short in shorts), default=0.0)
        self._points = [*self._points[-1:], (1 / float(epsilon), share)]

    def place(self) -> int | None:
        """The first place that would do; None where the line says nothing."""
        (x, y), (before, earlier) = self._points[-1], self._points[0]
        slope, rest = (y / x, 0.0)
        if before != x and (y - earlier) / (x - before) > 0:
            slope = (y - earlier) / (x - before)
            rest = y - slope * x
        if not slope > 0 or rest >= 1:
            return None
        wanted = Fraction(slope / (1 - rest))
        return _place(max(wanted, _epsilon(0))) + 1


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
