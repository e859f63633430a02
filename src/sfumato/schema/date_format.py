"""Formats of dates, in the codes of strptime that mean the same on every machine.

>>> told_by("%d.%m.%Y"), told_by("%d/%m/%y %H:%M")
('day', 'minute')
"""

import re
from datetime import UTC, datetime

__all__ = ["check_century", "check_format", "read_date", "told_by"]

_STEPS = ("year", "month", "day", "hour", "minute", "second")
_CODES = re.compile(r"%(.?)", re.DOTALL)
_KNOWN = set("dmyYHIMSfjbBaApz%")
_TIGHT = re.compile(r"%[dmyYHIMSfj](?=%[dmyYHIMSfj])")  # nothing between two numbers
_SHORT_YEARS = 1969, 2068
_SAMPLE = datetime(2031, 12, 25, 21, 47, 38)  # noqa: DTZ001  a format, not a moment


def told_by(form: str) -> str | None:
    """The finest step that a format tells; None where not even the year is certain."""
    codes = set(_CODES.findall(form))
    hour = "H" in codes or {"I", "p"} <= codes
    day = "j" in codes or ("d" in codes and bool(codes & set("mbB")))
    told = {
        "year": bool(codes & set("yY")),
        "month": "j" in codes or bool(codes & set("mbB")),
        "day": day,
        "hour": hour,
        "minute": "M" in codes,
        "second": "S" in codes,
    }
    finest = None
    for step in _STEPS:
        if not told[step]:
            break
        finest = step
    return finest


def check_format(form: str, step: str) -> None:
    """Refuse a format that does not tell the step, or in which a text could mean two dates."""
    codes = _CODES.findall(form)
    if not codes:
        raise ValueError("format is written in codes: %d for the day, as in %d.%m.%Y")
    for code in codes:
        if code not in _KNOWN:
            raise ValueError(f"format: %{code} is not known: use %d %m %Y, %b, %y, %H %M %S, %I %p")
    if ("I" in codes) != ("p" in codes):
        raise ValueError("format: %I and %p go together: hours from 1 to 12 need AM or PM")
    finest = told_by(form)
    if finest is None or _STEPS.index(finest) < _STEPS.index(step):
        raise ValueError(f"format does not tell the {step}: complete it, or choose a longer step")
    sample = _SAMPLE.replace(tzinfo=UTC) if "z" in codes else _SAMPLE
    try:
        again = datetime.strptime(sample.strftime(form), form)  # noqa: DTZ007
    except (ValueError, re.error):
        again = None
    if again is None or again.replace(tzinfo=None) != _cut(_SAMPLE, finest):
        raise ValueError("format cannot be read: write each part once, as in %d.%m.%Y")


def check_century(form: str, low: datetime, high: datetime) -> None:
    """Refuse a year of two digits where it could be one of two: 25 is 2025, whoever meant 1925."""
    first, last = _SHORT_YEARS
    if "y" in _CODES.findall(form) and not first <= low.year <= high.year <= last:
        raise ValueError(
            f"format: %y stands for the years {first} to {last}, which the range leaves: write the "
            "years in full (%Y), or narrow the range"
        )


def read_date(text: str, form: str) -> datetime | None:
    """The date that a text means; None where it is none in this format.

    >>> read_date("03/05/2024", "%d/%m/%Y")
    datetime.datetime(2024, 5, 3, 0, 0)
    >>> read_date("1112024", "%d%m%Y") is None  # the first of November, or the eleventh of January
    True
    """
    try:
        moment = datetime.strptime(text, form)  # noqa: DTZ007  the zone is in the text, or none is
        tight = _TIGHT.search(form) is not None
        return None if tight and moment.strftime(form).lower() != text.lower() else moment
    except (ValueError, OverflowError):
        return None


def _cut(moment: datetime, step: str) -> datetime:
    """The first second of the step."""
    parts = _STEPS.index(step) + 1
    fields = (*moment.timetuple()[:parts], 1, 1)
    return datetime(*fields[: max(parts, 3)])  # type: ignore[arg-type]  # noqa: DTZ001
