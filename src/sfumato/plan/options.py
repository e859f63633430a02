"""Options as a person writes them: on the command line all of them are texts."""

from typing import Any

from sfumato.errors import ParameterError
from sfumato.privacy.guarantee import exact
from sfumato.untrusted.digits import written

_LARGEST = 10**9
__all__ = ["real", "truth", "whole"]


def whole(name: str, value: Any, most: int, of: str) -> int:
    """A whole number from 1 to `most`, as a person writes it.

    >>> whole("rank", "3", 5, "columns")
    3
    """
    try:
        number = written(str(value))
    except ValueError:  # a number of so many digits that Python does not write it
        number = None
    if number is None or not 1 <= number <= most:
        raise ParameterError(f"{name} must be from 1 to {most} ({of}), got {value!r}")
    return number


def truth(name: str, value: Any) -> bool:
    """True or false, as a person writes it.

    >>> truth("normalise", "yes"), truth("normalise", False)
    (True, False)
    """
    known = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
    answer = known.get(str(value).lower())
    if answer is None:
        raise ParameterError(f"{name} must be true or false, got {value!r}")
    return answer


def real(name: str, value: Any, *, zero: bool = False) -> float:
    """A number above 0 (or from 0), as a person writes it, that a float can hold.

    >>> real("deviation", "0.1")
    0.1
    """
    return float(exact(name, value, below=_LARGEST, zero=zero))
