"""Whole numbers as people write them: digits and nothing else.

int() itself takes 1_0 for 10, and the digits of every script; 4.000 is four thousand to many.

>>> written("4000"), written("-1"), written("+1"), written("1_0"), written("٤")
(4000, -1, None, None, None)
"""

import re

__all__ = ["written"]

_LONGEST = 4_000  # digits: more are no number to Python
_WHOLE = re.compile("-?[0-9]+")


def written(text: str) -> int | None:
    """The number, or None if it is not written in digits alone."""
    whole = len(text) <= _LONGEST and _WHOLE.fullmatch(text) is not None
    return int(text) if whole else None
