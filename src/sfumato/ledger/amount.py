"""Arithmetic on charges: three whole numbers, unit by unit.

>>> units(plus(Charge(1), Charge(2, 5))), units(most(Charge(1, 7), Charge(2, 5)))
((3, 5, 0), (2, 7, 0))
"""

from sfumato.privacy.budget import Charge

__all__ = ["NOTHING", "covers", "minus", "missing", "most", "plus", "units"]

NOTHING = Charge()


def units(charge: Charge) -> tuple[int, int, int]:
    """The three figures, in the order of the columns."""
    return charge.micro_epsilon, charge.pico_delta, charge.micro_rho


def plus(a: Charge, b: Charge) -> Charge:
    """Sum, unit by unit."""
    return Charge(*(x + y for x, y in zip(units(a), units(b), strict=True)))


def minus(a: Charge, b: Charge) -> Charge:
    """Difference, unit by unit; the caller knows that it is not negative."""
    return Charge(*(x - y for x, y in zip(units(a), units(b), strict=True)))


def most(a: Charge, b: Charge) -> Charge:
    """The larger figure, unit by unit: the least that covers both."""
    return Charge(*(max(x, y) for x, y in zip(units(a), units(b), strict=True)))


def covers(a: Charge, b: Charge) -> bool:
    """Whether `a` is at least `b` in every unit."""
    return all(x >= y for x, y in zip(units(a), units(b), strict=True))


def missing(a: Charge, b: Charge) -> Charge:
    """What `a` lacks to cover `b`."""
    return Charge(*(max(y - x, 0) for x, y in zip(units(a), units(b), strict=True)))
