"""Counts published once as Haar coefficients, for queries over long ranges (Privelet).

The keys are the leaves of a binary tree of P = 2^h ≥ N leaves (those beyond N are empty, and P is
public).  Published are, under noise, the sum of all counts and, at every inner node, the sum of
its left half minus the sum of its right half: whole numbers, so that exact discrete noise fits.

Guarantee.  As for `sfumato.retrieval.histogram`: for all queries together, none is sent.
Sensitivity.  A record sits in one leaf and so in one node of each of the h levels.
*add-remove*: it moves the sum and h differences by 1 each: ℓ₁ = ℓ₂² = h + 1.
*replace-one* (the number of records is public, so the sum needs no noise): if the old and the
new leaf part at level m, the differences of m levels move, by 2 in all on each: one difference by 2
at level m, two by 1 on each level below.  So ℓ₁ ≤ 2h and ℓ₂² ≤ 4 + 2(h − 1), attained at m = h.
Laplace noise of the one scale ℓ₁/ε on every level makes Σ 1/scale over what a record moves ε; with
differences of averages in place of sums this is the weighting of Xiao, Wang and Gehrke (2010).
Accuracy.  With size_i the number of leaves under node i and H the sums and differences,

    x·y = Σᵢ (Hx)ᵢ (Hy)ᵢ / size_i,

so the noise eᵢ enters an answer with the weight (Hy)ᵢ / size_i.  At a node that lies inside or
outside a range it is 0: only the 2h nodes over its two ends count, each with at most 1/2.
The proof page is docs/proofs/wavelet-query.md.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from sfumato.errors import ParameterError
from sfumato.numeric.arrays import Vector, Whole
from sfumato.numeric.haar import haar, levels, node_sizes, rebuilt
from sfumato.privacy.budget import Budget
from sfumato.privacy.mechanism import Noise, Purse
from sfumato.privacy.sensitivity import Neighbours, Sensitivity
from sfumato.retrieval.histogram import Histogram
from sfumato.retrieval.tail import Law, Share

__all__ = ["Wavelet"]


@dataclass(frozen=True, slots=True)
class Wavelet:
    """Sums and differences over a binary tree.

    >>> from sfumato.privacy.guarantee import PureDP
    >>> tree = Wavelet(1000, "add-remove", PureDP(1))
    >>> tree.sensitivity.l1, tree.noise.event.noise
    (Fraction(11, 1), Fraction(11, 1))
    >>> a_range, one_key = np.zeros(1000), np.zeros(1000)
    >>> a_range[100:900], one_key[5] = 1, 1
    >>> for query in (a_range, one_key):
    ...     plain = Histogram(1000, "add-remove", PureDP(1)).share(query).variance
    ...     print(f"{tree.share(query).variance:.0f} against {plain:.0f}")
    483 against 1473
    81 against 2
    """

    length: int
    neighbours: Neighbours
    budget: Budget
    records: int | None = None  # public under replace-one

    def __post_init__(self) -> None:
        Histogram(self.length, self.neighbours, self.budget)  # the same rules
        if (self.records is None) != (self.neighbours == "add-remove"):
            raise ParameterError("records must be given under replace-one, and only there")

    @property
    def size(self) -> int:
        """The number of leaves."""
        return 1 << levels(self.length)

    @property
    def sensitivity(self) -> Sensitivity:
        """How far one record moves what is published; attained."""
        height = levels(self.length)
        if self.neighbours == "add-remove":
            return Sensitivity(Fraction(height + 1), Fraction(height + 1))
        return Sensitivity(Fraction(2 * height), Fraction(2 * height + 2))

    @property
    def noise(self) -> Noise:
        """What makes sum and differences cost the budget."""
        return Noise("Haar sums and differences of the counts", self.sensitivity, self.budget)

    def query(self, values: Whole) -> Whole:
        """NOT PRIVATE: what gets noise: the differences and, if it is private, the sum."""
        return haar(values)[self._public :]

    def perturb(self, values: Whole, purse: Purse) -> Whole:
        """Sum and differences under their noise; a public sum as it is."""
        exact = self.query(values)
        noisy = purse.pay(self.noise).add(exact, np.ones(exact.size, np.int64))
        return np.concatenate([np.array([self.records] * self._public, np.int64), noisy])

    def published(self, values: Whole, purse: Purse) -> Vector:
        """A count for every key, rebuilt from the noisy coefficients: post-processing."""
        return rebuilt(self.perturb(values, purse))[: self.length]

    def share(self, query: Vector) -> Share:
        """Each noise enters with the weight of its coefficient in the query."""
        weights = haar(query) / node_sizes(self.length)
        return Share(weights[self._public :], Law.of(self.noise.event))

    @property
    def _public(self) -> int:
        """How many coefficients need no noise."""
        return 0 if self.records is None else 1
