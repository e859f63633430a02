"""What is known of noise that is symmetric about 0: tails, and how far it reaches.

A probability comes with an error it is certain not to exceed by more than rounding; whatever
is promised to a reader is taken from the safe side of it.
"""

from abc import ABC, abstractmethod
from fractions import Fraction
from typing import NamedTuple, Self

from sfumato.errors import ParameterError
from sfumato.privacy.guarantee import Number, exact

__all__ = ["Law", "Tail", "share"]

Real = float | Fraction


class Tail(NamedTuple):
    """A probability, and how far the truth may be from it.

    >>> Tail(0.25, 0.01).upper, Tail(0.995, 0.01).upper
    (0.26, 1.0)
    """

    value: float
    error: float

    @property
    def upper(self) -> float:
        """At least the probability."""
        return min(self.value + self.error, 1.0)

    @property
    def opposite(self) -> "Tail":
        """The probability of the contrary."""
        return Tail(1.0 - self.value, self.error)


class Law(ABC):
    """The law of some noise E that is as often above x as below −x."""

    @property
    @abstractmethod
    def deviation(self) -> float:
        """The standard deviation."""

    @abstractmethod
    def tail(self, x: Real, *, strict: bool = False) -> Tail:
        """P(E ≥ x), or P(E > x) if `strict`."""

    @abstractmethod
    def chernoff(self, x: Real) -> float:
        """The least of e^{K(t) − tx} over t, which P(E ≥ x) never exceeds."""

    @abstractmethod
    def one_sided(self, chance: Number) -> float:
        """The smallest q ≥ 0 that E exceeds with at most this chance, rounded up."""

    @abstractmethod
    def joined(self, other: Self) -> Self:
        """The law of the sum, or difference, with other noise that is independent."""

    def two_sided(self, chance: Number) -> float:
        """The smallest q ≥ 0 that |E| exceeds with at most this chance, rounded up."""
        return self.one_sided(share("chance", chance) / 2)

    def at_least(self, x: Real) -> float:
        """P(E ≥ x) as near as it is known."""
        return self.tail(x).value


def share(name: str, value: Number) -> Fraction:
    """A number between 0 and 1, both excluded, as a person writes it.

    >>> share("confidence", "0.95")
    Fraction(19, 20)
    """
    number = exact(name, value)
    if number >= 1:
        raise ParameterError(f"{name} must be above 0 and below 1, got {value}")
    return number
