"""Parameters of attacks: what is out of its rule is refused by name."""

from math import inf
from numbers import Integral, Real
from typing import Any

from sfumato.errors import ParameterError

__all__ = ["confident", "finite", "whole"]


def confident(confidence: Any) -> float:
    """A confidence between 0 and 1."""
    if not _real(confidence) or not 0 < confidence < 1:
        raise ParameterError(f"confidence must lie between 0 and 1, got {confidence!r}")
    return float(confidence)


def finite(name: str, value: Any, *, zero: bool = False) -> float:
    """A finite number above 0, or at least 0."""
    rule = "of at least 0" if zero else "above 0"
    if not _real(value) or not 0 <= value < inf or (value == 0 and not zero):
        raise ParameterError(f"{name} must be a finite number {rule}, got {value!r}")
    return float(value)


def whole(name: str, value: Any, *, most: int | None = None) -> int:
    """A whole number from 1, up to `most` where there is one."""
    fits = isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= 1
    if not fits or (most is not None and int(value) > most):
        rule = "of at least 1" if most is None else f"from 1 to {most}"
        raise ParameterError(f"{name} must be a whole number {rule}, got {value!r}")
    return int(value)


def _real(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)
