"""From what was drawn to facts of a schema, and to the rows of the release: public numbers only.

The ends of a window get a margin of a twentieth of its width, unless they are zero, declared, or of
a few whole numbers; then they are rounded outward.
"""

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from math import ceil, floor, lcm, log10
from typing import Any

from sfumato.errors import ReleaseError
from sfumato.facts.found import Found
from sfumato.facts.plan import FactsPlan, RangePlan
from sfumato.facts.step import CALENDAR
from sfumato.schema.partial import PartialSchema
from sfumato.schema.shorthand import OTHER

__all__ = ["Facts", "facts_of", "origin_of", "read_facts", "rows_of"]

Facts = dict[str, dict[str, Any]]
_ORIGIN = datetime(2020, 1, 1)  # noqa: DTZ001  dates carry no zone
_MARGIN = Fraction(1, 20)
_FINE = 50  # ends are rounded to this part of the power of ten in their distance
_EXACT = 20  # whole numbers in windows narrower than this get no margin
_MOST_STEPS = Fraction(2**46)  # from zero to an end
_MOST_DIGITS = Fraction(2**49)  # an end in its smallest decimal place
_LARGEST_WHOLE = 2**53
_MANY_YEARS, _MANY_MONTHS = 8 * 366, 240  # days from which ends are those of years, of months
_NOTHING = "(none found)"  # a category lists a value, found or not
_FACTS = ("low", "high", "step", "value", "other")


def origin_of(one: RangePlan) -> tuple[float, bool]:
    """Where windows are counted from, and whether they are counted downwards."""
    end, down = (one.high, True) if one.low is None else (one.low, False)
    if end is None:
        return 0.0, False
    return (_days(end) if one.kind == "date" else float(end)), down


def facts_of(plan: FactsPlan, found: Found) -> Facts:
    """Facts by column, as a schema states them."""
    facts: Facts = {}
    for one, (window, step) in zip(plan.ranges, found.ranges, strict=True):
        name = None if step is None else one.steps.names[step]
        stated = _dates(one, window, name) if one.kind == "date" else _numbers(one, window, name)
        facts |= {column: dict(stated) for column in one.columns}
    for column, values in found.values.items():
        other = plan.asked.declared(column, "other") or OTHER
        facts[column] = {"values": list(values) or [_NOTHING], "other": other}
    return {name: facts[name] for name in plan.asked.bought}


def _numbers(one: RangePlan, window: int, found: Any) -> dict[str, Any]:
    low, high = one.windows.ends(window)
    width, whole = high - low, one.kind == "integer"
    if not whole and found is not None and max(abs(low), abs(high)) > _MOST_STEPS * found:
        found = None  # as fine a step is lost in numbers of this size
    step = Fraction(str(one.step)) if one.step is not None else found
    margin = Fraction(0) if whole and width < _EXACT else width * _MARGIN
    unit = Fraction(10) ** floor(log10(width)) / _FINE
    grid = Fraction(1) if whole and step is None else step
    if grid is not None:
        unit = max(ceil(unit / grid), 1) * grid
    base, down = _declared(one)
    if one.windows.anchored:
        far = _up(high + margin, unit)
        ends = (base - far, base) if down else (base, base + far)
    else:
        ends = -_up(margin - low, unit) if low else low, _up(high + margin, unit) if high else high
    if grid is not None:
        ends = _kept(ends, base, grid, whole)
    facts: dict[str, Any] = {}
    for name, end, declared in zip(("low", "high"), ends, (one.low, one.high), strict=True):
        if declared is None:
            facts[name] = int(end) if whole else float(end)
    if one.step is None and not whole and found is not None:
        facts["step"] = float(found)
    return facts


def _declared(one: RangePlan) -> tuple[Fraction, bool]:
    """A declared end, and whether values lie below it; zero where none is declared."""
    end, down = (one.high, True) if one.low is None else (one.low, False)
    return (Fraction(0), False) if end is None else (Fraction(str(end)), down)


def _kept(ends: tuple[Fraction, Fraction], base: Fraction, grid: Fraction, whole: bool) -> Any:
    """The ends, within what whole numbers or numbers of so many digits have room for."""
    digits = lcm(base.denominator, grid.denominator)
    room = Fraction(_LARGEST_WHOLE if whole else min(_MOST_STEPS * grid, _MOST_DIGITS / digits))
    room = max(room, abs(base))
    least, most = ceil((-room - base) / grid), floor((room - base) / grid)
    low, high = (min(max(round((end - base) / grid), least), most) for end in ends)
    if low >= high:
        low, high = (low, low + 1) if low < most else (high - 1, high)
    return base + low * grid, base + high * grid


def _up(value: Fraction, unit: Fraction) -> Fraction:
    return ceil(value / unit) * unit


def _days(moment: datetime) -> float:
    return (moment - _ORIGIN) / timedelta(days=1)


def _dates(one: RangePlan, window: int, found: Any) -> dict[str, Any]:
    low, high = one.windows.ends(window)
    width, step = high - low, str(one.step or found)
    origin, down = origin_of(one)
    margin = width * _MARGIN
    first, last = float(low - margin), float(high + margin)
    if one.windows.anchored:
        first, last = (origin - last, origin) if down else (origin, origin + last)
    start, end = _moment(first), _moment(last)
    grain = "year" if width > _MANY_YEARS else "month" if width > _MANY_MONTHS else "day"
    grain = CALENDAR[min(CALENDAR.index(grain), CALENDAR.index(step))]
    facts: dict[str, Any] = {}
    if one.low is None:
        facts["low"] = _begun(start, grain).date().isoformat()
    if one.high is None:
        facts["high"] = _ended(end, grain, step).date().isoformat()
    return facts | ({} if one.step is not None else {"step": step})


def _moment(days: float) -> datetime:
    """Within the years that can be written, with room for rounding."""
    least, most = _days(datetime(3, 1, 1)), _days(datetime(9997, 1, 1))  # noqa: DTZ001
    return _ORIGIN + timedelta(days=min(max(days, least), most))


def _begun(moment: datetime, grain: str) -> datetime:
    day = datetime(moment.year, moment.month, moment.day)  # noqa: DTZ001
    return day.replace(day=1, month=1) if grain == "year" else _month(day, grain)


def _month(day: datetime, grain: str) -> datetime:
    return day.replace(day=1) if grain == "month" else day


def _ended(moment: datetime, grain: str, step: str) -> datetime:
    """The last day of its year or month, or the next day; the next step begins after it."""
    begun = _begun(moment, grain)
    if grain == "day":
        return begun + timedelta(days=1)
    year, month = begun.year, begun.month
    following = (
        begun.replace(year=year + 1)
        if grain == "year"
        else begun.replace(year=year + month // 12, month=month % 12 + 1)
    )
    return following if step in ("year", "month") else following - timedelta(days=1)


def rows_of(facts: Facts) -> Iterator[tuple[str, str, str]]:
    """The released table: one row for each fact, and for each value of a category."""
    for column, stated in facts.items():
        for fact, value in stated.items():
            if fact == "values":
                yield from ((column, "value", str(text)) for text in value)
            else:
                yield column, fact, str(value)


def read_facts(asked: PartialSchema, rows: Iterable[Mapping[str, str]]) -> Facts:
    """Facts from the rows of a release; refused where they are not about what was asked."""
    facts: Facts = {name: {} for name in asked.bought}
    for row in rows:
        column, fact, value = row["column"], row["fact"], row["value"]
        if column not in facts or fact not in _FACTS:
            raise ReleaseError("the data holds a fact that was not asked for")
        if fact == "value":
            facts[column].setdefault("values", []).append(value)
            continue
        if fact in facts[column]:
            raise ReleaseError("the data states a fact twice")
        facts[column][fact] = _parsed(asked.template.columns[column].kind, fact, value)
    return facts


def _parsed(kind: str, fact: str, value: str) -> Any:
    try:
        if kind == "integer":
            return int(value)
        if kind == "number":
            return float(value)
        if fact in ("low", "high"):
            datetime.fromisoformat(value).replace(tzinfo=UTC)
    except ValueError:
        raise ReleaseError("the data holds a fact that is no number or date") from None
    return value
