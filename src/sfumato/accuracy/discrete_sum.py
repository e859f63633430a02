"""The exact law of a sum of the noises that Sfumato adds: discrete Laplace and Gaussian.

    Laplace    P(X = k)  ∝  exp(−|k| / scale)           k whole
    Gaussian   P(X = k)  ∝  exp(−k² / (2 · variance))

*N Laplace noises of one scale*, p = e^{−1/scale}: for k ≥ 0

    P(S ≥ k) = Σ_{m=1}^{N} P(T = N − m) · P(B_m ≥ k),

B_m negative binomial with m failures of chance 1 − p, and T the sum of N independent variables
that are 0 with chance 1 − p, else geometric with mean 1/p (`docs/proofs/accuracy.md`).  All terms
are positive.  For N = 1 this is p^k / (1 + p).

*Many noises, other scales, weights, and Gaussian noise* go by `inversion`, whose error is known
and counted against the promise: a quantile q is the smallest whole number of steps with
P(S ≥ q + 1) + error ≤ chance, so it is rounded up, never down.

>>> DiscreteSum.laplace(10).two_sided(0.05), DiscreteSum.laplace(10, 12).two_sided(0.05)
(30.0, 97.0)
>>> DiscreteSum.gaussian(200).two_sided(0.05)
28.0
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from math import ceil, exp, expm1, floor, gcd, inf, log, nextafter, pi, sinh, sqrt
from typing import Literal, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, betaincc, gammaln, xlog1py, xlogy

from sfumato.accuracy.coming_back import Worth, worth
from sfumato.accuracy.inversion import (
    Complex,
    Piece,
    around,
    chernoff,
    line,
    log_one_plus,
    saddle,
)
from sfumato.accuracy.law import Law, Real, Tail, share
from sfumato.accuracy.transform import (
    WIDE,
    DiscreteLaplace,
    NarrowGaussian,
    WideGaussian,
    neighbouring,
)
from sfumato.accuracy.whole_quantile import smallest_safe
from sfumato.errors import ParameterError
from sfumato.privacy.guarantee import Number, exact

__all__ = ["DiscreteSum", "Kind", "Part"]

Kind = Literal["laplace", "gaussian"]

_FEW = 32  # Laplace noises that the mixture, or a path around the poles, is used for
_FINE = 1_000  # steps in a deviation, from which on going round the poles is less work
_LEAST = Fraction(1, 500)  # scale or variance: P(X ≠ 0) is below 1e-100, and floats hold e^500
_SILENCE, _NEVER = 700.0, 1e-25
_ALL = 1 - 1e-12
_TWO_TERMS = 0.25  # variances from which on, of the sum over 2πn, two terms are nearly all
_LOG_TWO_TERMS = 0.75  # ln 2.1, at least their number
_RELATIVE_ERROR = 1e-11  # of the mixture; tests hold it to a tenth of that


@dataclass(frozen=True, order=True)
class Part:
    """So many noises of one kind and size (scale or variance, in steps), times a weight.

    Each is there `often` times.  Of Laplace noise that may be a broken number: the law whose
    transform is that power of its own, to which parties' shares add up (`sfumato.privacy.polya`).
    """

    kind: Kind
    size: Fraction
    count: int = 1
    weight: int = 1
    often: Fraction = Fraction(1)

    def __post_init__(self) -> None:
        if self.kind not in ("laplace", "gaussian"):
            raise ParameterError(f"kind must be laplace or gaussian, got {self.kind!r}")
        if self.count < 1 or self.weight < 1:
            raise ParameterError("count and weight must be at least 1")
        if self.often < 1 or (self.kind == "gaussian" and not self.unbroken):
            raise ParameterError("often must be at least 1, and whole for Gaussian noise")

    @property
    def unbroken(self) -> bool:
        """Whether it is a whole number of noises."""
        return (self.count * self.often).denominator == 1

    @property
    def power(self) -> float:
        """How many noises it stands for."""
        return float(self.count * self.often)

    @property
    def held(self) -> float:
        """Its size; noise that is never seen is taken for a little more, which is safe."""
        return float(max(self.size, _LEAST))

    @property
    def seen(self) -> float:
        """At least the chance that any of its noises is not 0."""
        rate = self.size if self.kind == "laplace" else 2 * self.size
        return 2.1 * self.power * exp(-float(min(1 / rate, Fraction(_SILENCE))))

    def fallen(self, turn: NDArray[np.float64]) -> NDArray[np.float64]:
        """At least 0, at most π up the line: what ln(|M| / M(θ)) is there at most, for every θ."""
        size = self.held
        if self.kind == "laplace":
            return np.asarray(
                -self.power
                * np.log1p((np.sin(turn / 2) / sinh(min(1 / (2 * size), _SILENCE))) ** 2)
            )
        far = np.minimum(0.0, _LOG_TWO_TERMS - size * turn**2 / 2)
        if size >= WIDE:
            return np.asarray(self.power * far)
        missed = np.minimum(4 * neighbouring(size) * np.sin(turn / 2) ** 2, _ALL)
        near = np.log1p(-missed) / 2
        return np.asarray(self.power * (np.minimum(near, far) if size >= _TWO_TERMS else near))


@dataclass(frozen=True)
class DiscreteSum(Law):
    """`step` times a sum of whole-number noises."""

    parts: tuple[Part, ...]
    step: Fraction = Fraction(1)

    def __post_init__(self) -> None:
        if not self.parts:
            raise ParameterError("a sum of noises needs at least one noise")

    @classmethod
    def laplace(cls, scale: Number, count: int = 1, *, step: Number = 1) -> "DiscreteSum":
        """Noises of this scale, in steps."""
        return cls.of([Part("laplace", exact("scale", scale), count)], exact("step", step))

    @classmethod
    def gaussian(cls, variance: Number, count: int = 1, *, step: Number = 1) -> "DiscreteSum":
        """Noises of this variance, in squared steps."""
        return cls.of([Part("gaussian", exact("variance", variance), count)], exact("step", step))

    @classmethod
    def of(cls, parts: Iterable[Part], step: Fraction = Fraction(1)) -> Self:
        """Equal parts put together; a weight that all share goes into the step."""
        together: dict[tuple[Kind, Fraction, int, Fraction], int] = {}
        for part in parts:
            key = part.kind, part.size, part.weight, part.often
            together[key] = together.get(key, 0) + part.count
        shared = gcd(*(weight for _, _, weight, _ in together))
        found = (Part(k, s, count, w // shared, o) for (k, s, w, o), count in together.items())
        return cls(tuple(sorted(found)), step * max(shared, 1))

    def scaled(self, factor: Number) -> "DiscreteSum":
        """The noise of that many times the sum."""
        return DiscreteSum(self.parts, self.step * exact("factor", factor))

    def joined(self, other: Self) -> Self:
        """The noise of the sum, or difference, of two sums that share no noise."""
        step = Fraction(
            gcd(
                self.step.numerator * other.step.denominator,
                other.step.numerator * self.step.denominator,
            ),
            self.step.denominator * other.step.denominator,
        )
        parts = [
            Part(part.kind, part.size, part.count, part.weight * int(law.step / step), part.often)
            for law in (self, other)
            for part in law.parts
        ]
        return self.of(parts, step)

    @property
    def count(self) -> int:
        """How many noises there are."""
        return sum(part.count for part in self.parts)

    @property
    def deviation(self) -> float:
        """The standard deviation."""
        return float(self.step) * sqrt(sum(piece.curvature(0.0) for piece in self._pieces))

    def tail(self, x: Real, *, strict: bool = False) -> Tail:
        """P(E ≥ x), or P(E > x) if `strict`; x is taken to the next whole step."""
        steps = Fraction(x) / self.step
        return self._steps_tail(floor(steps) + 1 if strict else ceil(steps))

    def chernoff(self, x: Real) -> float:
        """The least of e^{K(t) − tx}."""
        steps = ceil(Fraction(x) / self.step)
        return 1.0 if steps <= 0 else chernoff(self._pieces, float(steps), whole=True)

    def one_sided(self, chance: Number) -> float:
        """The smallest number of steps that E exceeds with at most this chance."""
        exactly = _quantile(self, share("chance", chance)) * self.step
        rounded = float(exactly)
        return rounded if rounded >= exactly else nextafter(rounded, inf)

    def _steps_tail(self, k: int) -> Tail:
        if k <= 0:
            return self._steps_tail(1 - k).opposite
        if (seen := sum(part.seen for part in self.parts)) < _NEVER:
            return Tail(0.0, seen)
        only = self.parts[0] if len(self.parts) == 1 else None
        unbroken = all(part.unbroken for part in self.parts)
        if only is not None and only.kind == "laplace" and unbroken and only.power <= _FEW:
            value = self._mixture(k)
            return Tail(value, _RELATIVE_ERROR * value)
        plain = all(part.weight == 1 for part in self.parts)
        few = sum(part.power for part in self.parts) <= _FEW and unbroken
        few = few and all(part.kind == "laplace" for part in self.parts)
        if few and plain and self.deviation > _FINE * self.step:
            return self._around_poles(k)
        falling, parts = self._falling, self._worth
        return line(self._pieces, float(k), whole=True, falling=falling, worth=parts)

    @cached_property
    def _falling(self) -> float:
        """How far up the line |M| falls for sure, if beyond it never comes back; else 0."""
        heaviest = max(part.weight for part in self.parts)
        if heaviest == 1:
            return inf
        falls = pi / heaviest
        return 0.0 if self._worth is None or self._worth.beyond(falls) else falls

    @cached_property
    def _worth(self) -> Worth | None:
        """Where half-way round |M| may be worth a point; None if nobody looked."""
        plain = all(part.weight == 1 for part in self.parts)
        return None if plain else worth(self.parts, self.deviation / float(self.step))

    @cached_property
    def _pieces(self) -> list[Piece]:
        """Transforms; of noises of one kind together."""
        laplace = [part for part in self.parts if part.kind == "laplace"]
        gaussian = [part for part in self.parts if part.kind == "gaussian"]
        wide = [part for part in gaussian if part.held >= WIDE]
        narrow = [part for part in gaussian if part.held < WIDE]
        found: list[Piece] = []
        kinds = (DiscreteLaplace, laplace), (WideGaussian, wide), (NarrowGaussian, narrow)
        for kind, parts in kinds:
            if parts:
                sizes, powers = [p.held for p in parts], [p.power for p in parts]
                found.append(kind(sizes, powers, [p.weight for p in parts]))
        return found

    def _mixture(self, k: int) -> float:
        scale, weights = float(self.parts[0].size), self._weights
        if len(weights) == 1:
            return exp(-k / scale) / (1 + exp(-1 / scale))
        failures, p = np.arange(len(weights), 0, -1), exp(-1 / scale)
        # The smaller of p and 1 − p is the one that keeps its digits.
        if p < 0.5:
            return float(weights @ betainc(float(k), failures, p))
        return float(weights @ betaincc(failures, float(k), -expm1(-1 / scale)))

    @cached_property
    def _weights(self) -> NDArray[np.float64]:
        """P(T = 0) … P(T = N − 1)."""
        count, scale = round(self.parts[0].power), float(self.parts[0].size)
        p, log_p = exp(-1 / scale), -1 / scale
        i, t = np.arange(count + 1)[:, None], np.arange(count)[None, :]
        positive = np.maximum(i, 1)  # T is 0 where no variable is geometric
        logs = (
            gammaln(count + 1) - gammaln(i + 1) - gammaln(count - i + 1) + i * log_p
            + xlogy(count - i, -expm1(log_p))
            + gammaln(positive + t) - gammaln(positive) - gammaln(t + 1)
            + i * log_p - xlog1py(i + t, p)
        )  # fmt: skip
        logs[0, 1:] = -inf
        return np.asarray(np.exp(logs).sum(axis=0))

    def _around_poles(self, k: int) -> Tail:
        """In v = 1 − e^{−s}, whose poles r = 1 − p keep their digits at large scales."""
        poles = [(-expm1(-1 / float(part.size)), part.power) for part in self.parts]

        def log_integrand(v: Complex) -> Complex:
            logs = [
                count * (2 * log(r) + log_one_plus(-v) - np.log((r - v) * (r + v - r * v)))
                for r, count in poles
            ]
            return np.asarray(sum(logs) + (k - 1) * log_one_plus(-v))

        ends = [r for r, _ in poles]
        left = -expm1(-saddle(self._pieces, float(k), whole=True))
        bound = chernoff(self._pieces, float(k), whole=True)
        return around(log_integrand, left, 2 * max(ends), bound)


@lru_cache(maxsize=4096)
def _quantile(law: DiscreteSum, chance: Fraction) -> int:
    """The smallest k ≥ 0 with P(S ≥ k + 1) ≤ chance."""
    allowed = float(chance)

    def beyond(k: int) -> float:
        return law._steps_tail(k + 1).upper

    return smallest_safe(beyond, allowed, law.deviation / float(law.step))
