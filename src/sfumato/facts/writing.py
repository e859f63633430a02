"""From what was drawn to facts of a schema, and to the rows of the release: public numbers only.

The ends of a window get a margin of a twentieth of its width, unless they are zero, declared, or of
a few whole numbers; then they are rounded outward.
"""

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction
from math import ceil, floor, lcm, log10
from typing import Any

from sfumato.errors import ParameterError, ReleaseError
from sfumato.facts.found import Found
from sfumato.facts.plan import FactsPlan, RangePlan
from sfumato.facts.step import CALENDAR
from sfumato.schema.clear_range import clear_range, days_of
from sfumato.schema.partial import PartialSchema
from sfumato.schema.shorthand import OTHER

__all__ = ["Facts", "check_room", "facts_of", "origin_of", "read_facts", "rows_of"]

Facts = dict[str, dict[str, Any]]
_ORIGIN = datetime(2020, 1, 1)  # noqa: DTZ001  dates carry no zone
_MARGIN = Fraction(1, 20)
_FINE = 50  # ends are rounded to this part of the power of ten in their distance
_EXACT = 20  # whole numbers in windows narrower than this get no margin
_MOST_STEPS = Fraction(2**46)  # from zero to an end
_MOST_DIGITS = Fraction(2**49)  # an end in its smallest decimal place
_LARGEST_WHOLE = 2**53
_LARGEST = Fraction(10**300)
_NEAR = Fraction(1, 2**30)  # of a declared end: what is nearer cannot be told apart
_FIRST_DAY, _LAST_DAY = date(2, 1, 1).toordinal(), date.max.toordinal()
_MANY_YEARS, _MANY_MONTHS = 8 * 366, 240  # days from which ends are those of years, of months
_NOTHING = "(none found)"  # a category lists a value, found or not
_FACTS = ("low", "high", "step", "value", "other")


def origin_of(one: RangePlan) -> tuple[float, bool]:
    """Where windows are counted from, and whether they are counted downwards."""
    end, down = (one.high, True) if one.low is None else (one.low, False)
    if end is None:
        return 0.0, False
    return (float(days_of(end)) if one.kind == "date" else float(end)), down


def facts_of(plan: FactsPlan, found: Found) -> Facts:
    """Facts by column, as a schema states them: whatever was drawn makes a schema."""
    facts: Facts = {}
    for one, (window, step) in zip(plan.ranges, found.ranges, strict=True):
        stated = next(_sound(plan.asked, one, [(window, step), *_instead(one, window)]))
        facts |= {column: dict(stated) for column in one.columns}
    for column, values in found.values.items():
        other = plan.asked.declared(column, "other") or OTHER
        taken = {other.strip(), *(plan.declared(column).missing_words or ())}
        facts[column] = {"values": list(values) or [_nothing(taken)], "other": other}
    return {name: facts[name] for name in plan.asked.bought}


def check_room(plan: FactsPlan) -> None:
    """Refuse ends, steps and words for missing of which no window makes a schema."""
    for one in plan.ranges:
        if next(_sound(plan.asked, one, _instead(one, 0)), None) is None:
            which = ", ".join(one.columns)
            raise ParameterError(
                f"column {which}: what is declared leaves no range to buy: its end and step have "
                "more digits than numbers keep, lie at the end of what can be written, or words "
                "for missing take up the rest. Declare low and high, or a coarser step"
            )


def _instead(one: RangePlan, window: int) -> Iterator[tuple[int, int | None]]:
    """The same window with other steps, then others: a public list."""
    steps = [None] if one.step_draw is None else range(len(one.steps.names))
    windows = [window, *one.windows.examples()]
    return ((place, step) for place in windows for step in steps)


def _sound(
    asked: PartialSchema, one: RangePlan, drawn: Iterable[tuple[int, int | None]]
) -> Iterator[dict[str, Any]]:
    """The facts that these make, where they make a schema."""
    for window, step in drawn:
        name = None if step is None else one.steps.names[step]
        stated = _dates(one, window, name) if one.kind == "date" else _numbers(one, window, name)
        if stated is not None and asked.fits(one.columns, stated):
            yield stated


def _nothing(taken: set[str]) -> str:
    """What stands for no value found: no word that means something else."""
    numbered = (f"{_NOTHING} {k}" for k in range(2, len(taken) + 3))
    return next(text for text in (_NOTHING, *numbered) if text not in taken)


def _numbers(one: RangePlan, window: int, found: Any) -> dict[str, Any] | None:
    low, high = one.windows.ends(window)
    width, whole = high - low, one.kind == "integer"
    base, down = _declared(one)
    far = max(abs(low), abs(high)) + abs(base)
    if not whole and found is not None and far > _MOST_STEPS * found:
        found = None  # as fine a step is lost in numbers of this size
    step = Fraction(str(one.step)) if one.step is not None else found
    margin = Fraction(0) if whole and width < _EXACT else width * _MARGIN
    unit = Fraction(10) ** floor(log10(width)) / _FINE
    grid = Fraction(1) if whole and step is None else step
    if grid is not None:
        unit = max(ceil(unit / grid), 1) * grid
    if one.windows.anchored:
        reach = max(_up(high + margin, unit), Fraction(0) if grid else abs(base) * _NEAR)
        ends = (base - reach, base) if down else (base, base + reach)
    else:
        ends = -_up(margin - low, unit) if low else low, _up(high + margin, unit) if high else high
    if grid is not None or one.words:
        kept = _kept(one, ends, grid or _fine(one, unit, base), limited=grid is not None)
        if kept is None:
            return None
        ends = kept
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


def _fine(one: RangePlan, unit: Fraction, base: Fraction) -> Fraction:
    """As far apart as ends may be where there is no step: beside a declared end, words are near."""
    if not one.windows.anchored:
        return unit
    return min([unit, *(abs(word - base) / _FINE for word in one.words if word != base)])


def _kept(
    one: RangePlan, ends: tuple[Fraction, Fraction], grid: Fraction, *, limited: bool
) -> tuple[Fraction, Fraction] | None:
    """The ends without words for missing, within what numbers of so many digits have room for."""
    (base, down), anchored = _declared(one), one.windows.anchored
    digits = lcm(base.denominator, grid.denominator)
    room = Fraction(_LARGEST_WHOLE)
    if one.kind == "number":
        room = min(_MOST_STEPS * grid, _MOST_DIGITS / digits) if limited else _LARGEST
        if anchored and room < abs(base) + grid:  # all that there is; not each end fits
            room = Fraction(_LARGEST_WHOLE) / digits
    least, most = ceil((-room - base) / grid), floor((room - base) / grid)
    if anchored:
        least, most = (least, 0) if down else (0, most)
    wanted = tuple(round((end - base) / grid) for end in ends)
    words = [(word - base) / grid for word in one.words]
    keep = 0 if anchored else None
    found = clear_range((wanted[0], wanted[1]), words, within=(least, most), keep=keep)
    return None if found is None else (base + found[0] * grid, base + found[1] * grid)


def _up(value: Fraction, unit: Fraction) -> Fraction:
    return ceil(value / unit) * unit


def _dates(one: RangePlan, window: int, found: Any) -> dict[str, Any] | None:
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
    ends = _begun(start, grain).toordinal(), _ended(end, grain, step).toordinal()
    keep, within = None, (_FIRST_DAY, _LAST_DAY)
    if one.low is not None:
        keep, within = one.low.toordinal(), (one.low.toordinal(), _LAST_DAY)
    elif one.high is not None:
        keep, within = one.high.toordinal(), (_FIRST_DAY, one.high.toordinal())
    kept = clear_range(
        ends, [word + _ORIGIN.toordinal() for word in one.words], within=within, keep=keep
    )
    if kept is None:
        return None
    facts: dict[str, Any] = {}
    if one.low is None:
        facts["low"] = date.fromordinal(kept[0]).isoformat()
    if one.high is None:
        facts["high"] = date.fromordinal(kept[1]).isoformat()
    return facts | ({} if one.step is not None else {"step": step})


def _moment(days: float) -> datetime:
    """Within the years that can be written, with room for rounding."""
    least, most = (float(days_of(datetime(year, 1, 1))) for year in (3, 9997))  # noqa: DTZ001
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
