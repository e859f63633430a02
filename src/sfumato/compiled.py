"""Loops that NumPy cannot express: compiled where numba is there, else plain Python.

Both run the same lines, so the answer is the same; only the time differs.
"""

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any, TypeVar

__all__ = ["HAVE_NUMBA", "SLOW", "compiled"]

F = TypeVar("F", bound=Callable[..., Any])

HAVE_NUMBA = find_spec("numba") is not None
SLOW = (
    "numba is not installed: the loops run in plain Python, with the same result but about a "
    "hundred times slower; pip install 'sfumato[fast]'"
)


def compiled(function: F) -> F:
    """`function`, compiled on its first call and kept on disk for the next process.

    >>> @compiled
    ... def double(x: int) -> int:
    ...     return 2 * x
    >>> double(21)
    42
    """
    if not HAVE_NUMBA:
        return function
    from numba import njit

    # Without a file there is nowhere to keep it: the interpreter and doctests.
    kept = not function.__code__.co_filename.startswith("<")
    return njit(cache=kept, nogil=True)(function)  # type: ignore[no-any-return]
