"""Counts published once, each under noise of its own; queries are then answered from the copy.

Guarantee.  ε-differential privacy (Laplace), ρ-zCDP or (ε, δ) (Gaussian), for all queries there
will ever be: a query is computed by whoever asks it, and is never sent to anyone.
Sensitivity.  A record is counted under one key.  *add-remove*: a record more or less moves one
count by 1, so ℓ₁ = 1 and ℓ₂² = 1.  *replace-one*, where the number of records is public: a record
leaves one count and joins another, so ℓ₁ = 2 and ℓ₂² = 2.  Both are attained.
Limits.  A person who is behind several records is protected less, in proportion to them.
Accuracy.  The answer to a query y is off by Σ yᵢ eᵢ, with variance ‖y‖² times that of one noise:
right for a few keys.  For long ranges see `sfumato.retrieval.privelet`.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

import numpy as np

from sfumato.errors import ParameterError
from sfumato.numeric.arrays import Vector, Whole
from sfumato.privacy.budget import Budget
from sfumato.privacy.mechanism import Noise, Purse
from sfumato.privacy.sensitivity import Neighbours, Sensitivity
from sfumato.retrieval.counts import MOST_KEYS
from sfumato.retrieval.tail import Law, Share

__all__ = ["Histogram", "Way", "checked_query"]


class Way(Protocol):
    """One way of publishing counts so that any query can be answered from what was published."""

    @property
    def noise(self) -> Noise:
        """The noise that pays for the statistic."""

    def published(self, values: Whole, purse: Purse) -> Vector | Whole:
        """A noisy count for every key."""

    def share(self, query: Vector) -> Share:
        """How the noise enters the answer to a query: from public facts alone."""


@dataclass(frozen=True, slots=True)
class Histogram:
    """Every count by itself.

    >>> from sfumato.privacy.guarantee import PureDP
    >>> from sfumato.privacy.randomness import SeededBits
    >>> few = Histogram(4, "add-remove", PureDP(1))
    >>> few.published(np.array([7, 0, 2, 9]), Purse(PureDP(1), SeededBits(1))).tolist()
    [7, -1, 3, 8]
    >>> round(few.share(np.array([1.0, 1, 0, 0])).variance, 2)
    3.68
    """

    length: int
    neighbours: Neighbours
    budget: Budget

    def __post_init__(self) -> None:
        if self.neighbours not in ("add-remove", "replace-one"):
            raise ParameterError(
                f"neighbours must be add-remove or replace-one, got {self.neighbours!r}"
            )
        if not 2 <= self.length <= MOST_KEYS:
            raise ParameterError(f"length must be from 2 to {MOST_KEYS} (keys), got {self.length}")

    @property
    def sensitivity(self) -> Sensitivity:
        """How far one record moves the counts; attained."""
        moved = Fraction(1 if self.neighbours == "add-remove" else 2)
        return Sensitivity(moved, moved)

    @property
    def noise(self) -> Noise:
        """What makes the counts cost the budget."""
        return Noise("the count of every key", self.sensitivity, self.budget)

    def query(self, values: Whole) -> Whole:
        """NOT PRIVATE: the counts, as `published` sees them."""
        return values

    def published(self, values: Whole, purse: Purse) -> Whole:
        """The counts under their noise."""
        return purse.pay(self.noise).add(self.query(values), np.ones(self.length, np.int64))

    def share(self, query: Vector) -> Share:
        """Each noise enters with the weight that the query gives to its key."""
        return Share(query, Law.of(self.noise.event))


def checked_query(query: Any, length: int) -> Vector:
    """A query as numbers; refused if it is not one number for each key.

    >>> checked_query([1, 0, 1], 4)
    Traceback (most recent call last):
        ...
    sfumato.errors.ParameterError: query must have 4 numbers, one for each key, got 3
    """
    try:
        numbers = np.asarray(query, np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ParameterError("query must be a list of numbers, one for each key") from None
    if numbers.ndim != 1 or numbers.size != length:
        raise ParameterError(
            f"query must have {length} numbers, one for each key, got {numbers.size}"
        )
    if not np.isfinite(numbers).all():
        raise ParameterError("query must hold finite numbers only")
    return numbers
