"""Both sides add noise: the client to its query, the server to its counts, anew for every answer.

The protocol of Liu 2015, chapter 9.  The client sends ỹ = y + e_y, the server answers x̃·ỹ with
x̃ = x + e_x, all noise exact discrete Laplace.

Guarantee for the client.  With noise of scale 1/ε on each entry of y, a whole number, two
queries are as hard to tell apart as their ℓ₁ distance says (`QueryPromise`): ε for one keyword
more or less, 2ε for one keyword in place of another, 2kε for any two queries of k keywords, Nε
for any two keyword queries at all.  Every repetition under fresh noise costs as much again.
Guarantee for the records.  Each answer is post-processing of x̃, which costs ε_x (`Answering`);
the costs of answers add up.
Accuracy.  x̃·ỹ is unbiased, with variance v_y‖x‖² + v_x‖y‖² + N v_x v_y; the first term grows
with the counts themselves.  Publishing x̃ once (`sfumato.retrieval.histogram`) hides the query
altogether and has the middle term alone.  No bound on the relative error exists without a
lower bound on x·y: Theorems 9.2.2 and 9.2.3 and inequality (9.3) of the thesis are false, and
the tests hold the counterexamples.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, log, sqrt

import numpy as np

from sfumato.errors import ParameterError
from sfumato.numeric.arrays import Vector, Whole
from sfumato.numeric.haar import haar, node_sizes, rebuilt
from sfumato.plan.options import whole
from sfumato.privacy.guarantee import Number, PureDP, exact
from sfumato.privacy.mechanism import Noise
from sfumato.privacy.noise import discrete_laplace, uniform_below
from sfumato.privacy.randomness import Bits
from sfumato.privacy.sensitivity import Neighbours, Sensitivity
from sfumato.retrieval.histogram import Histogram
from sfumato.retrieval.tail import Law, Share, radius, sub_exponential

__all__ = [
    "Answering",
    "QueryPromise",
    "coefficients",
    "restored",
    "sample_size",
    "sampled_threshold",
    "sparse",
]


@dataclass(frozen=True, slots=True)
class QueryPromise:
    """What noise of scale 1/ε on a query of so many entries hides, and what it does not.

    >>> promise = QueryPromise("0.5", 4096)
    >>> promise.toggled, promise.replaced, promise.any_of(3), promise.anything
    (Fraction(1, 2), Fraction(1, 1), Fraction(3, 1), Fraction(2048, 1))
    """

    epsilon: Fraction
    length: int

    def __init__(self, epsilon: Number, length: int) -> None:
        object.__setattr__(self, "epsilon", PureDP(epsilon).epsilon)
        object.__setattr__(self, "length", length)

    @property
    def toggled(self) -> Fraction:
        """The ε between two queries that differ in one keyword more or less."""
        return self.epsilon

    @property
    def replaced(self) -> Fraction:
        """The ε between two queries that differ in one keyword in place of another."""
        return 2 * self.epsilon

    def any_of(self, keywords: int) -> Fraction:
        """The ε between any two queries of so many keywords."""
        keywords = whole("keywords", keywords, self.length, "keys")
        # Two sets of k out of N keys differ in at most N places.
        return min(2 * keywords, self.length) * self.epsilon

    @property
    def anything(self) -> Fraction:
        """The ε between any two keyword queries."""
        return self.length * self.epsilon

    @property
    def law(self) -> Law:
        """Of the noise on each entry."""
        return Law("discrete-laplace", 1 / self.epsilon)

    def noisy(self, query: Whole, bits: Bits) -> Whole:
        """The query under its noise; it must consist of whole numbers.

        >>> from sfumato.privacy.randomness import SeededBits
        >>> QueryPromise(1, 5).noisy(np.array([0, 1, 0, 0, 1]), SeededBits(1)).tolist()
        [0, 0, 1, -1, 2]
        """
        if query.shape != (self.length,):
            raise ParameterError(f"query must have {self.length} numbers, one for each key")
        if not np.issubdtype(query.dtype, np.integer):
            raise ParameterError("query must consist of whole numbers: scale and round it")
        return query.astype(np.int64) + discrete_laplace(1 / self.epsilon, self.length, bits)


@dataclass(frozen=True, slots=True)
class Answering:
    """How a server answers: noise on every count, at a price for every answer."""

    length: int
    neighbours: Neighbours
    epsilon: Fraction

    def __init__(self, length: int, neighbours: Neighbours, epsilon: Number) -> None:
        object.__setattr__(self, "length", length)
        object.__setattr__(self, "neighbours", neighbours)
        object.__setattr__(self, "epsilon", PureDP(epsilon).epsilon)
        self.noise(1).check(1)

    def noise(self, answers: int) -> Noise:
        """For so many fresh noisy copies of the counts, at the price of all of them.

        ℓ₁ and price both grow with their number, so the scale of the noise does not.

        >>> server = Answering(4096, "replace-one", "0.01")
        >>> server.noise(1).event.noise, server.noise(8).event.noise, server.noise(8).cost
        (Fraction(200, 1), Fraction(200, 1), PureDP(epsilon=Fraction(2, 25)))
        """
        price = PureDP(answers * self.epsilon)
        one = Histogram(self.length, self.neighbours, price).sensitivity
        moved = Sensitivity(answers * one.l1, answers * one.l2_squared)
        return Noise("a noisy copy of the counts for every answer", moved, price)

    @property
    def law(self) -> Law:
        """Of the noise on each count in one answer."""
        return Law.of(self.noise(1).event)

    def variance(self, counts: Vector, query: Vector, promise: QueryPromise) -> float:
        """NOT PRIVATE (of the counts): the variance of an answer.

        >>> few = Answering(3, "add-remove", 1)
        >>> round(few.variance(np.array([2.0, 0, 1]), np.ones(3), QueryPromise(1, 3)), 2)
        24.9
        """
        ours, theirs = self.law.variance, promise.law.variance
        own = theirs * float(counts @ counts) + ours * float(query @ query)
        return own + self.length * ours * theirs

    def radius(self, query: Vector, sent: Vector, norm: float, chance: float) -> float:
        """What an answer is off by at most, but for this chance: for the client.

        The client knows its query and what it sent; ‖x‖₂ ≤ norm must be public.  With
        q what was sent, the error is x·(q − y) + e_x·q.
        """
        theirs = float(np.linalg.norm(sent - query))
        return norm * theirs + radius([Share(sent, self.law)], chance)

    def deviation(self, sent: Vector) -> float:
        """The standard deviation of e_x·q, which is all that is known where no ‖x‖₂ is public.

        >>> round(Answering(3, "add-remove", 1).deviation(np.array([2.0, 0, 1])), 2)
        3.03
        """
        return sqrt(self.law.variance) * _norm(sent)

    def reach(self, counts: Vector, query: Vector, promise: QueryPromise, chance: float) -> float:
        """NOT PRIVATE (of the counts): what an answer is off by at most, before any noise.

        Four events of a quarter of the chance each: x·e_y, e_x·y, the largest |e_y|, and
        e_x·e_y given it.  P(|e| > z) ≤ 2 e^{−z/scale} for discrete Laplace noise.
        """
        missed = float(exact("chance", chance, below=1))
        needed, size = log(8 / missed), self.length
        ours, theirs = float(self.law.size), float(promise.law.size)
        largest = theirs * log(8 * size / missed)
        return (
            sub_exponential(theirs, float(np.abs(counts).max()), _norm(counts), needed)
            + sub_exponential(ours, float(np.abs(query).max()), _norm(query), needed)
            + sub_exponential(ours, largest, largest * sqrt(size), needed)
        )


def coefficients(query: Whole | Vector) -> Vector:
    """Orthonormal Haar coefficients; zeros are appended up to a power of two.

    Inner products stay what they are (Theorem 9.3.1).

    >>> x, y = np.array([16, 9, 11, 8.0]), np.array([0, 1, 1, 0.0])
    >>> float(x @ y), round(float(coefficients(x) @ coefficients(y)), 9)
    (20.0, 20.0)
    """
    return haar(np.asarray(query, np.float64)) / np.sqrt(node_sizes(query.size))


def restored(found: Vector, length: int) -> Vector:
    """The vector that has these orthonormal coefficients."""
    return rebuilt(found * np.sqrt(node_sizes(found.size)))[:length]


def sparse(found: Vector, threshold: float) -> Vector:
    """The coefficients of at least this size; the others become 0."""
    return np.where(np.abs(found) >= threshold, found, 0.0)


def sample_size(largest: float, error: Number, chance: Number) -> int:
    """How many of the |w| ≤ largest to look at, so that their mean is that of all up to an error.

    n ≥ largest² ln(2/chance) / (2 error²) (Hoeffding): the range enters squared, and the mean is
    that of |w|, where Theorem 9.4.1 has neither.

    >>> sample_size(100.0, 1, "0.05")
    18445
    """
    missed, off = float(exact("chance", chance, below=1)), float(exact("error", error))
    return max(1, ceil(largest**2 * log(2 / missed) / (2 * off**2)))


def sampled_threshold(found: Vector, error: Number, chance: Number, bits: Bits) -> float:
    """The mean of |w|, from a random sample where that is smaller than the whole.

    >>> from sfumato.privacy.randomness import SeededBits
    >>> sampled_threshold(np.array([3.0, -1, 0, -4]), "0.5", "0.05", SeededBits(1))
    2.0
    """
    sizes = np.abs(found)
    count = sample_size(float(sizes.max(initial=0.0)), error, chance)
    if count >= sizes.size:
        return float(sizes.mean())
    return float(sizes[uniform_below(sizes.size, count, bits)].mean())


def _norm(vector: Vector) -> float:
    return float(np.linalg.norm(vector))
