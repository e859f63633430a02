"""Loops that NumPy cannot express: compiled where numba is there, else plain Python.

Both run the same lines, so the answer is the same; only the time differs.  numba takes a
moment to load, so it is fetched when the first such loop runs, not when its module is read.
"""

import sys
from collections.abc import Callable
from functools import cached_property
from importlib.util import find_spec
from typing import Any, TypeVar, cast

__all__ = ["HAVE_NUMBA", "SLOW", "Worthwhile", "compiled"]

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
    return cast(F, _Compiled(function)) if HAVE_NUMBA else function


class _Compiled:
    """A function that waits for its first call to be compiled."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.py_func, self.__doc__ = function, function.__doc__

    def __call__(self, *arguments: Any) -> Any:
        return self._fast(*arguments)

    @cached_property
    def _fast(self) -> Any:
        from numba import njit

        # What it calls must be compiled as well: numba looks the names up when it compiles.
        names, known = self.py_func.__code__.co_names, self.py_func.__globals__
        for name in names:
            if isinstance(called := known.get(name), _Compiled):
                known[name] = called._fast
        # Without a file there is nowhere to keep it: the interpreter and doctests.
        kept = not self.py_func.__code__.co_filename.startswith("<")
        try:
            return njit(cache=kept, nogil=True)(self.py_func)
        except RuntimeError:  # there is no place to keep it: nobody may write here
            return njit(nogil=True)(self.py_func)


class Worthwhile:
    """Whether numba is at hand, or worth loading by now: for loops that NumPy can do as well.

    >>> worthwhile = Worthwhile(2**40)
    >>> worthwhile(1) == ("numba" in sys.modules)
    True
    """

    def __init__(self, work: int) -> None:
        self._work = self._left = work  # that takes NumPy as long as it takes to load numba

    def __call__(self, work: int) -> bool:
        """Asked before each piece of work, with its size."""
        self._left -= work  # two threads may lose some: then it is loaded a little later
        return HAVE_NUMBA and (self._left <= 0 or "numba" in sys.modules)

    def expect(self, work: int) -> None:
        """So much is to come: if it is enough, nobody waits until it was done."""
        if work >= self._work:
            self._left = 0
