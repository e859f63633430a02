"""What a stream method is: a plan from public facts, and a series released while it runs.

A stream is charged once, before its first bit is read, for everything that will ever be
published of it up to its horizon.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sfumato.plan.recipe import Priced, Recipe
from sfumato.privacy.budget import Budget
from sfumato.privacy.mechanism import Purse

__all__ = ["BitSource", "Released", "StreamMethod", "StreamPlan"]

# Times at which something was published, and what: numbers of bits read, noisy values.
Released = tuple[NDArray[np.int64], NDArray[np.float64]]


class BitSource(Protocol):
    """Bits in their order; each value is read by itself, and what is not a one is a zero."""

    @property
    def position(self) -> int:
        """How many bits are behind."""

    def read(self, count: int) -> NDArray[np.uint8]:
        """The next bits, fewer only at the end."""

    def skip(self, count: int) -> int:
        """Pass over bits, without reading them where the source allows it; how many there were."""

    def ones(self, count: int) -> tuple[int, int]:
        """How many of the next bits are one, and how many bits there were."""


@dataclass(frozen=True, eq=False, kw_only=True)
class StreamPlan(Priced):
    """A priced recipe; `run` is the only part of it that sees bits."""

    budget: Budget
    horizon: int  # bits that the promise covers
    run: Callable[[BitSource, Purse], Iterator[Released]] = field(repr=False)
    needs: int = 0  # bits without which there is no release
    # Whether it counts every bit up to the horizon and can be paused on the way.
    pausable: bool = False
    looks: int = 0  # into its memory, that the promise covers


@dataclass(frozen=True)
class StreamMethod(Recipe[int, StreamPlan]):
    """A method for streams up to a horizon."""

    kind = "streams"
