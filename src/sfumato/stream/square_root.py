"""Running counts from noisy decaying sums: the square-root mechanism in whole numbers.

The matrix A of all running counts has a square root B with A = B B, whose entries are
c_k = C(2k, k) / 4^k at lag k; noise on B x instead of A x gives nearly the least error that is
possible (Henzinger, Upadhyay and Upadhyay 2023).  c_k is the k-th moment of the arcsine law, and
so a sum over decays, here over those of one part in 2, 4, 8 … per step:

    c_k  ≈  Σ_j ω_j (1 − 2^-j)^k,      ω_j = (ln 2 / π) / √(2^j − 1),

the last one with the weight of all slower ones, and c_0 made exactly 1 by a part that decays at
once (after Dvijotham, McMahan, Pillutla, Steinke and Thakurta 2024).  So a step needs one total
per power of two up to T.  Any weights make an honest mechanism: the counts are recovered by
solving with the very matrix that was measured.

Exactness.  Weights and totals are whole numbers; a decay is a shift whose remainder is carried
to the next step.  The series measured for two neighbouring streams then differs by a_k at lag k,
up to a rounding of less than 2 Σ weights, so its ℓ₂ distance is at most

    √(Σ a_k²)  +  2 Σ weights · √(T − 1),

computed in integers and rounded up (`docs/proofs/counter.md`).
Memory.  Two whole numbers and one float per power of two.

>>> design = Design(steps=4, most=1)
>>> sums, counts = DecayingSums(design), RecoveredCounts(design)
>>> exact = sums.query(np.array([1, 0, 1, 1]))
>>> (exact / design.unit).round(2), counts.estimate(exact).round(6)
(array([1.  , 0.4 , 1.28, 1.6 ]), array([1., 1., 2., 3.]))
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import isqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.numeric.arrays import Whole
from sfumato.privacy.sensitivity import Sensitivity, root
from sfumato.stream.saved import LARGEST_NOISY, Saved
from sfumato.stream.square_root_kernel import measure, recover

__all__ = ["DecayingSums", "Design", "RecoveredCounts"]

_DENSITY = Fraction(2_206_356_002, 10**10)  # ln 2 / π; any figure is honest, this one is best
_SLOWER = Fraction(24_142_135_624, 10**10)  # 1 + √2: all slower decays, in weights of the last
_MANTISSA = 8  # bits of a weight: more change the error by less than a thousandth
_FINEST = 36  # bits behind the point of a measurement; beyond them nothing is gained
_ROOM = 60  # bits of a measurement, so that noise fits beside it
_POWER = 160  # bits behind the point where powers of decays are bounded


@dataclass(frozen=True)
class Design:
    """Weights, units and sensitivity for `steps` counts of at most `most` each: public facts."""

    steps: int
    most: int

    @cached_property
    def decays(self) -> int:
        """How many totals are kept: total j loses one part in 2^j per step, j from 1."""
        return max(1, (self.steps - 1).bit_length())

    @cached_property
    def _precision(self) -> int:
        """Bits behind the point of a total that decays at once."""
        room = _ROOM - self.most.bit_length() - (self.decays + 1) // 2
        return min(_FINEST, room) - _MANTISSA

    @cached_property
    def unit(self) -> int:
        """A measurement counts steps of 1/unit."""
        return int(2 ** (self._precision + _MANTISSA))

    @cached_property
    def powers(self) -> tuple[int, ...]:
        """Bits behind the point of each total: fewer for slower ones, whose weight is smaller."""
        return tuple(self._precision - j // 2 for j in range(1, self.decays + 1))

    @cached_property
    def weights(self) -> tuple[int, ...]:
        """What one step of each total weighs in a measurement, in its units."""
        scale = [_DENSITY * 2 ** (_MANTISSA + j // 2) for j in range(1, self.decays + 1)]
        found = [_rounded(s**2 / (2**j - 1)) for j, s in enumerate(scale, start=1)]
        found[-1] += _rounded((scale[-1] * _SLOWER) ** 2 / 2**self.decays)
        return tuple(found)

    @cached_property
    def shares(self) -> tuple[int, ...]:
        """How much of a new count each total brings into the measurement."""
        return tuple(w << p for w, p in zip(self.weights, self.powers, strict=True))

    @cached_property
    def direct(self) -> int:
        """The part that decays at once: what is missing to a whole unit."""
        return self.unit - sum(self.shares)

    def sensitivity(self) -> Sensitivity:
        """How far one bit moves all measurements, in counts; certified, rounded up."""
        later = self.steps - 1
        rounding = _root_above((2 * sum(self.weights)) ** 2 * later)
        distance = _root_above(self._squares(later)) + rounding
        l2_squared = Fraction(distance**2, self.unit**2)
        # Cauchy and Schwarz: no mechanism here uses it, but a Sensitivity states both.
        return Sensitivity(root(l2_squared * self.steps), l2_squared)

    def _squares(self, later: int) -> int:
        """At least Σ a_k² over the lags 0 … later, in steps of 1/unit²."""
        total = self.unit**2
        for i, mine in enumerate(self.shares, start=1):
            for j, other in enumerate(self.shares, start=1):
                # 2^i 2^j times the product of the two decays, and times what is lost of it
                kept, size = (2**i - 1) * (2**j - 1), 2 ** (i + j)
                left = _power_below(Fraction(kept, size), later)
                sum_of_powers = Fraction(kept, size - kept) * (1 - left)
                total += _up(mine * other * sum_of_powers)
        return total


class DecayingSums:
    """NOT PRIVATE: the exact measurement of each step."""

    def __init__(self, design: Design) -> None:
        self.design, self.position = design, 0
        self._weight = np.array(design.weights, np.int64)
        self._power = np.array(design.powers, np.int64)
        self._total = np.zeros(design.decays, np.int64)
        self._rest = np.zeros(design.decays, np.int64)

    def query(self, counts: Whole) -> Whole:
        """NOT PRIVATE: what the next steps measure."""
        out = np.empty(counts.size, np.int64)
        measure(counts, self.design.direct, self._weight, self._power, self._total, self._rest, out)
        self.position += counts.size
        return out

    def to_json(self) -> dict[str, Any]:
        """NOT PRIVATE: the totals in memory."""
        return {"totals": self._total.tolist(), "rests": self._rest.tolist()}

    def restore(self, saved: Saved, position: int) -> None:
        """Go on from `to_json`, after so many steps."""
        size, most = self._total.size, LARGEST_NOISY
        self._total = saved.wholes("totals", size, most=most)
        self._rest = saved.wholes("rests", size, most=2**size)
        self.position = position


class RecoveredCounts:
    """Post-processing: counts from the noisy measurements alone, in floats."""

    def __init__(self, design: Design) -> None:
        self.position, self._unit = 0, float(design.unit)
        self._weight = np.array(design.shares) / self._unit
        self._decay = np.array([1 - 0.5**j for j in range(1, design.decays + 1)])
        self._total = np.zeros(design.decays)
        self._running = np.zeros(1)

    def estimate(self, noisy: Whole) -> NDArray[np.float64]:
        """The counts up to each of the next steps."""
        out = np.empty(noisy.size)
        scaled = noisy / self._unit
        recover(scaled, self._weight, self._decay, self._total, self._running, out)
        self.position += noisy.size
        return out

    def to_json(self) -> dict[str, Any]:
        """The noisy totals in memory."""
        return {"totals": self._total.tolist(), "running": self._running.tolist()}

    def restore(self, saved: Saved, position: int) -> None:
        """Go on from `to_json`, after so many steps."""
        self._total = saved.reals("totals", self._total.size)
        self._running = saved.reals("running", 1)
        self.position = position


def _root_above(square: int) -> int:
    """A square root, rounded up."""
    return isqrt(square - 1) + 1 if square else 0


def _rounded(square: Fraction) -> int:
    """The root of a square, to the nearest whole number, the same on every machine."""
    return (isqrt(4 * square.numerator // square.denominator) + 1) // 2


def _power_below(base: Fraction, exponent: int) -> Fraction:
    """At most base^exponent for 0 ≤ base ≤ 1: squared and multiplied, always rounded down."""
    result, factor = 1 << _POWER, (base.numerator << _POWER) // base.denominator
    while exponent:
        if exponent & 1:
            result = result * factor >> _POWER
        factor, exponent = factor * factor >> _POWER, exponent >> 1
    return Fraction(result, 1 << _POWER)


def _up(value: Fraction) -> int:
    return -(-value.numerator // value.denominator)
