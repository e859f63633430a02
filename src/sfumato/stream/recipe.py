"""What a stream method is: a plan from public facts, and a series released while it runs.

A stream is charged once, before its first bit is read, for everything that will ever be
published of it up to its horizon.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import ParameterError
from sfumato.privacy.budget import Budget
from sfumato.privacy.mechanism import Event, Purse

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


@dataclass(frozen=True, eq=False)
class StreamPlan:
    """A priced recipe; `run` is the only part of it that sees bits."""

    method: str
    budget: Budget
    events: tuple[Event, ...]
    horizon: int  # bits that the promise covers
    run: Callable[[BitSource, Purse], Iterator[Released]] = field(repr=False)
    options: Mapping[str, Any] = field(default_factory=dict)
    limits: tuple[str, ...] = ()
    needs: int = 0  # bits without which there is no release


@dataclass(frozen=True)
class StreamMethod:
    """A recipe in the registry of stream methods."""

    name: str
    summary: str
    promise: str
    source: str
    proof: str
    plan: Callable[..., StreamPlan] = field(repr=False)
    options: Mapping[str, str] = field(default_factory=dict)

    def price(self, horizon: int, budget: Budget, options: Mapping[str, Any]) -> StreamPlan:
        """A plan for streams up to this length; unknown options are refused by name."""
        unknown = [name for name in options if name not in self.options]
        if unknown:
            known = ", ".join(self.options) or "none"
            raise ParameterError(f"{self.name} has no option {unknown[0]}; it has: {known}")
        return self.plan(horizon, budget, **options)
