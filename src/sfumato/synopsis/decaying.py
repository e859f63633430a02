"""Which decaying sums the square-root counter measures, and how counts follow from noisy ones.

All of it is public: `sfumato.stream.square_root` measures by it, and whoever receives the
counts finds from it what their noise is.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import isqrt

import numpy as np

from sfumato.numeric.arrays import Vector
from sfumato.numeric.compiled import compiled
from sfumato.privacy.sensitivity import Sensitivity, root

__all__ = ["Design", "recover"]

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

    def response(self, steps: int) -> Vector:
        """The counts that a single measurement of 1, at the first of so many steps, is taken for.

        A count is the truth plus the noises of all steps so far, each times the entry at its lag.

        >>> Design(steps=4, most=1).response(3).round(3).tolist()
        [1.0, 0.596, 0.484]
        """
        first, found = np.zeros(steps), np.empty(steps)
        first[:1] = 1
        recover(first, *self.recovery, np.zeros(self.decays), np.zeros(1), found)
        return found

    @cached_property
    def recovery(self) -> tuple[Vector, Vector]:
        """What each total weighs in a measurement, and what is left of it after a step."""
        weight = np.array(self.shares) / float(self.unit)
        return weight, np.array([1 - 0.5**j for j in range(1, self.decays + 1)])

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


@compiled
def recover(
    noisy: Vector, weight: Vector, decay: Vector, total: Vector, running: Vector, out: Vector
) -> None:
    """Counts whose weighted decaying sums are the noisy ones; `running[0]` is their total.

    Solved forwards: what the past contributes is known, so each sum gives one count.
    """
    so_far = running[0]
    for t in range(noisy.size):
        x = noisy[t]
        for j in range(total.size):
            total[j] *= decay[j]
            x -= weight[j] * total[j]
        for j in range(total.size):
            total[j] += x
        so_far += x
        out[t] = so_far
    running[0] = so_far


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
