"""Cases that every change runs, and cases that only the slow run does."""

from collections.abc import Iterable
from typing import Any

import pytest

__all__ = ["slow", "slow_but"]


def slow(*case: Any) -> Any:
    """A case of the slow run."""
    return pytest.param(*case, marks=pytest.mark.slow)


def slow_but(kept: Iterable[Any], cases: Iterable[Any]) -> list[Any]:
    """All cases, of which every change runs those that are kept.

    >>> len(slow_but("ab", "abc")), slow_but("ab", "abc")[0]
    (3, 'a')
    """
    kept = list(kept)
    return [case if case in kept else slow(case) for case in cases]
