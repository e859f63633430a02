"""One value of a record as text, by a rule that looks at that value alone.

Whatever the object is, there is an answer: its text, None where it is missing, or the mark of
what cannot be read, where there is something that no text can be made of.  A number reads the
same here as in a column of numbers of its own type, so it does not matter whether a record
beside it made pandas store the column as objects.

>>> import numpy as np
>>> [text_of(value) for value in (3.0, np.float32(0.1), True, b"a", 2 + 0j, float("nan"))]
['3', '0.10000000149011612', 'True', 'a', '2', None]
>>> [text_of(value) == UNREADABLE for value in (2 + 1j, "half a character: \\ud800", b"\\xff")]
[True, True, True]
"""

import re
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

__all__ = ["STORED", "UNREADABLE", "seconds_of", "text_among_texts", "text_of"]

# White space, so that whoever compares texts does not see it.
STORED = "\x1f"
# Stands for bytes that are not UTF-8, and for all else that is there and is no text.
UNREADABLE = "\ufffd"

_FIRST, _LAST = "0001-01-01T00:00:00", "9999-12-31T23:59:59"  # the calendar that text can write
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_NUMBERS = (float, np.floating, np.integer, complex, np.complexfloating)
_EXACT, _BYTES = (Decimal, Fraction), (bytes, bytearray, memoryview)
_MOMENTS = (datetime, np.datetime64)
_READ_AS_STORED = (bool, np.bool_, *_NUMBERS, *_EXACT, *_MOMENTS, date)
_LARGE = 10_000  # bits beyond which a whole number is only said to be large
_NOT_A_TIME = np.iinfo(np.int64).min
_PER_SECOND = {"ms": 10**3, "us": 10**6, "ns": 10**9, "ps": 10**12, "fs": 10**15, "as": 10**18}


def text_of(value: object) -> str | None:
    """The text of one Python object; None for what is missing.

    >>> from datetime import date
    >>> text_of(date(2020, 2, 29)), text_of(10**9), text_of("Köln".encode("latin-1"))
    ('2020-02-29', '1000000000', 'K\ufffdln')
    """
    try:
        return _text(value)
    except Exception:  # whatever an object does when it is looked at
        return UNREADABLE


def text_among_texts(value: object) -> str | None:
    """The same, with a mark before a number, date or truth value, unless it is made of digits.

    What a schema says about texts must not be applied to it: 1.234 is 1.234, also where texts
    write 1.234 for a thousand and more.

    >>> [text_among_texts(value) for value in ("1.234", 1.234, 7, True)]
    ['1.234', '\\x1f1.234', '7', '\\x1fTrue']
    """
    text = text_of(value)
    if text is None or not issubclass(type(value), _READ_AS_STORED) or text.isdigit():
        return text
    return STORED + text


def _text(value: object) -> str | None:
    kind = type(value)  # what it is, not what it says it is
    if issubclass(kind, str):
        return _whole_letters(str.__str__(value))  # its own, whatever its methods do
    if issubclass(kind, bool) or kind is np.bool_:
        return str(bool(value))
    if issubclass(kind, int):
        return _whole(int.__int__(value))  # type: ignore[arg-type]
    if issubclass(kind, _NUMBERS):
        return _number(value)
    if issubclass(kind, _EXACT):
        return _exact(value)
    if issubclass(kind, _BYTES):
        return bytes(value).decode(errors="replace")  # type: ignore[call-overload,no-any-return]
    if value is None or _is_missing(value):
        return None
    if issubclass(kind, _MOMENTS):
        return _moment(value)
    return _whole_letters(str(value))


def _is_missing(value: object) -> bool:
    """What is missing differs from itself or, as pandas.NA, answers with itself."""
    differs = value != value
    return differs is value or bool(differs)


def _whole_letters(text: str) -> str:
    """The text, unless it holds half a character, which raises."""
    text.encode()
    return text


def _whole(number: int) -> str:
    if number.bit_length() > _LARGE:  # Python does not write out what is longer
        return "1e9999" if number > 0 else "-1e9999"
    return str(number)


def _number(value: object) -> str | None:
    if isinstance(value, np.integer):
        return _whole(int(value))
    if isinstance(value, complex | np.complexfloating):
        if value != value:
            return None
        if value.imag != 0:
            return UNREADABLE
        value = value.real
    number = float(value)  # type: ignore[arg-type]
    if number != number:
        return None
    return _whole(int(number)) if number.is_integer() else repr(number)


def _exact(value: object) -> str | None:
    """As the same number in another type: 2.00 is 2, and 1.50 is 1.5."""
    if isinstance(value, Fraction):
        if value.denominator == 1 or abs(value) >= 2**1000:
            return _whole(value.numerator // value.denominator)
        return _number(value.numerator / value.denominator)
    if not isinstance(value, Decimal) or value.is_nan():
        return None
    if not value.is_finite() or value.adjusted() > 3_000:
        return "-1e9999" if value.is_signed() else "1e9999"
    if value == value.to_integral_value():
        return _whole(int(value))
    short = repr(float(value))
    return short if Decimal(short) == value else _unpadded(str(value))


def _unpadded(text: str) -> str:
    """Without zeros at the end; with an exponent as it stands."""
    return text if "E" in text else text.rstrip("0")


def _moment(value: object) -> str:
    """As written; beyond the years of four digits, which no range leaves, their nearest end."""
    if isinstance(value, np.datetime64):
        text = str(value)
        return text if _DATE.match(text) else str(seconds_of(np.array([value]))[0])
    year = value.year  # type: ignore[attr-defined]
    if not 1 <= year <= 9999:  # pandas knows such years
        return _FIRST if year < 1 else _LAST
    return str(value)


def seconds_of(moments: NDArray[np.datetime64]) -> NDArray[np.datetime64]:
    """Moments of any unit, floored to seconds and kept within the years 1 to 9999.

    >>> seconds_of(np.array(["2020", "25000", "NaT"], "datetime64[Y]")).tolist()
    [datetime.datetime(2020, 1, 1, 0, 0), datetime.datetime(9999, 12, 31, 23, 59, 59), None]
    """
    unit, count = np.datetime_data(moments.dtype)
    if unit == "generic":  # nothing but not-a-time
        return np.full(moments.shape, "NaT", "datetime64[s]")
    ends = np.array([_FIRST, _LAST], "datetime64[s]")
    if unit in _PER_SECOND:
        ticks, per = (
            moments.astype(moments.dtype.newbyteorder("=")).view("int64"),
            _PER_SECOND[unit],
        )
        # Whole-number division: NumPy's own conversion overflows at the ends of 64 bits.
        seconds = ticks // per * count + ticks % per * count // per
        found = np.where(ticks == _NOT_A_TIME, ticks, seconds).view("datetime64[s]")
    else:  # clipped first: a coarse unit reaches further than seconds do
        low, high = ends.astype(moments.dtype)
        found = np.clip(moments, low, high + 1).astype("datetime64[s]")
    read: NDArray[np.datetime64] = np.clip(found, *ends)  # not-a-time stays what it is
    return read
