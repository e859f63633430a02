"""JSON that somebody else wrote, read without surprises.

Refused, with a reason that quotes nothing: names that occur twice (which of the two would count?),
NaN and infinities, numbers beyond 64 bits, texts that are not Unicode, nesting and sizes that
would take the reader's memory.
"""

import json
from math import isfinite
from typing import Any

__all__ = ["parsed"]

_DEEPEST = 64
_MOST_VALUES = 2**24  # each takes the memory of some ten characters
_LARGEST = 2**64


def parsed(text: bytes) -> Any:
    """The value of a JSON text in UTF-8; a `ValueError` that says why where there is none.

    >>> parsed(b'{"a": [1, 2.5, null]}')
    {'a': [1, 2.5, None]}
    >>> parsed(b'{"a": 1, "a": 2}')
    Traceback (most recent call last):
    ValueError: a name occurs twice in it
    """
    if sum(text.count(mark) for mark in (b",", b"[", b"{")) > _MOST_VALUES:
        raise ValueError(f"it holds more than {_MOST_VALUES:,} values")
    try:
        found = json.loads(text.decode(), object_pairs_hook=_distinct, parse_constant=_refused)
    except _Unwanted as unwanted:
        raise ValueError(str(unwanted)) from None
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    except ValueError:
        raise ValueError("it is not JSON, or incomplete") from None
    _check(found)
    return found


class _Unwanted(Exception):
    """Not a ValueError, which `json` raises for its own reasons."""


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _Unwanted("a name occurs twice in it")
    return found


def _refused(_: str) -> Any:
    raise _Unwanted("it holds a number that is not finite")


def _check(value: Any) -> None:
    """Level by level, so that no nesting is too deep for the check itself."""
    level = [value]
    for _ in range(_DEEPEST):
        below: list[Any] = []
        for item in level:
            if isinstance(item, dict):
                _check_leaves(item.keys())
                below.extend(item.values())
            elif isinstance(item, list):
                if _check_leaves(item):
                    below.extend(item)
            else:
                _check_leaves([item])
        level = below
        if not level:
            return
    raise ValueError("it is nested too deeply")


def _check_leaves(values: Any) -> bool:
    """Look at the values that hold no others; whether there are others among them."""
    kinds = set(map(type, values))
    if kinds <= {int}:
        wrong = values and (max(values) >= _LARGEST or min(values) <= -_LARGEST)
    else:
        wrong = any(
            (type(value) is int and not -_LARGEST < value < _LARGEST)
            or (type(value) is float and not isfinite(value))
            for value in values
        )
    if wrong:
        raise ValueError("it holds a number that is too large")
    if str in kinds and not all(_is_text(value) for value in values if type(value) is str):
        raise ValueError("it holds a text that is not Unicode")
    return bool(kinds & {list, dict})


def _is_text(value: str) -> bool:
    return value.isascii() or not any("\ud800" <= character <= "\udfff" for character in value)
