"""Numbers as a person reads them; ends of an interval are rounded outwards, to stay true."""

from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Decimal
from fractions import Fraction
from math import ceil, isfinite

__all__ = ["at_least", "at_most", "confidence_of_each", "roughly", "spelt"]

_DIGITS = 4
_LONG = 1e15  # from here on a number is not written out


def spelt(value: float, rounding: str = ROUND_HALF_EVEN) -> str:
    """A number as a person reads it.

    >>> spelt(12345.0), spelt(57.75184), spelt(0.00012345), spelt(-3.0)
    ('12,345', '57.75', '0.0001234', '-3')
    >>> spelt(1.23456e300)
    '1.235e+300'
    """
    if not isfinite(value):
        return f"{value}"
    if value == round(value) and abs(value) < _LONG:
        return f"{value:,.0f}"
    number = Decimal(value)
    tenths = 1000 <= abs(value) < _LONG
    places = 1 if tenths else _DIGITS - 1 - number.adjusted()
    rounded = float(number.quantize(Decimal(1).scaleb(-places), rounding=rounding))
    tenths = tenths or abs(rounded) == 1000
    return f"{rounded:,.1f}" if tenths else f"{rounded:.{_DIGITS}g}"


def roughly(value: float) -> str:
    """An error in two digits, rounded up, and never as a power of ten.

    >>> roughly(99.7), roughly(2.91), roughly(0.0331), roughly(1234.0), roughly(0.0)
    ('100', '3', '0.034', '1,300', '0')
    """
    if not value:
        return "0"
    number = Decimal(f"{value:.12g}")  # 100 · 0.07 is a little above 7
    up = number.quantize(Decimal(1).scaleb(number.adjusted() - 1), rounding=ROUND_CEILING)
    return f"{float(up):,.15g}"


def confidence_of_each(level: Fraction, several: int) -> str:
    """What each of several statements must be asked for, so that all hold together: rounded up.

    >>> confidence_of_each(Fraction("0.95"), 7), confidence_of_each(Fraction("0.9999999"), 50)
    ('0.992858', '0.999999998')
    """
    error = (1 - level) / max(several, 1)
    digits = 6
    while Fraction(1, 10 ** (digits - 1)) > error:
        digits += 1
    return str(Decimal(ceil((1 - error) * 10**digits)).scaleb(-digits).normalize())


def at_least(value: float) -> str:
    """A lower end, rounded down.

    >>> at_least(1000.34), at_least(57.758), at_least(-0.12345), at_least(7)
    ('1,000.3', '57.75', '-0.1235', '7')
    """
    return spelt(value, ROUND_FLOOR)


def at_most(value: float) -> str:
    """An upper end, rounded up.

    >>> at_most(1000.34), at_most(57.751), at_most(-0.12345), at_most(999.96)
    ('1,000.4', '57.76', '-0.1234', '1,000.0')
    """
    return spelt(value, ROUND_CEILING)
