"""What is done about a doubt: told before the charge, to a person, a program, or nobody.

Whether a release is worth its price follows from its plan (`Plan.doubt`), before a record is read.
"""

import warnings
from collections.abc import Callable
from typing import Any

from sfumato.errors import ParameterError

__all__ = ["DoubtWarning", "Doubted", "check_heard", "unheard", "warned"]

Doubted = Callable[[str], None]
_CALLER = 5  # of `publish`, in frames


class DoubtWarning(UserWarning):
    """What is about to be charged is expected to be hardly better than guessing."""


def check_heard(on_doubt: Any) -> None:
    """Refuse, before anything is charged, what could not be told of a doubt."""
    if not callable(on_doubt):
        kind = type(on_doubt).__name__
        raise ParameterError(f"on_doubt must be a function that takes the doubt, not {kind}")


def warned(doubt: str) -> None:
    """Warn and go on: whoever wrote the program has decided already."""
    warnings.warn(doubt, DoubtWarning, stacklevel=_CALLER)


def unheard(_doubt: str) -> None:
    """Say nothing: where the release is a trial, or is shown with its warnings at once."""
