"""Cases that every change runs, and cases that only the slow run does."""

import os
from collections.abc import Iterable
from typing import Any

import pytest

__all__ = ["in_turn", "slow", "slow_but", "slow_but_in_turn"]

_SEED = int(os.environ.get("SFUMATO_TEST_SEED", "0"))


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


def in_turn(share: int, cases: Iterable[Any]) -> list[Any]:
    """One case in so many, by the seed of the tests: with other seeds the others.

    >>> len(in_turn(3, range(12)))
    4
    """
    return [case for k, case in enumerate(cases) if k % share == _SEED % share]


def slow_but_in_turn(share: int, cases: Iterable[Any]) -> list[Any]:
    """All cases, of which every change runs those that are in turn.

    >>> [type(case).__name__ for case in slow_but_in_turn(2, [("a", 1), ("b", 2)])].count("tuple")
    1
    """
    cases = list(cases)
    kept = in_turn(share, range(len(cases)))
    return [
        case if k in kept else slow(*case) if isinstance(case, tuple) else slow(case)
        for k, case in enumerate(cases)
    ]
