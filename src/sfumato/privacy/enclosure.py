"""Exact decisions about a real uniform number of which only the first bits are known.

A uniform U is an endless row of random bits.  Fifty-two of them say in which interval
U lies; floats say where that interval falls, with an error bound that is proved on the
page `docs/proofs/noise.md`.  If every point of the enclosure gives the same answer, the
answer is exact.  If not (a few draws in a million), the enclosure is computed again with
the directed rounding of `decimal` and rational arithmetic, and bits are added until it
is decided.  A float never breaks a tie.

Assumption.  numpy's `log` and `exp` are within a relative 2⁻³⁹ of the truth, `exp` also
when within 2⁻⁹⁰ absolutely.  Their makers promise about 2⁻⁵⁰; `self_test` refuses a
machine that misses 2⁻⁴⁹.  `decimal` rounds `ln` and `exp` correctly, by its documentation.
"""

from collections.abc import Callable
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from math import floor, isfinite

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import Refused
from sfumato.privacy.randomness import Bits

__all__ = [
    "Uniform",
    "bernoulli",
    "bernoulli_exp",
    "exp_bound",
    "floor_exponential",
    "self_test",
]

SLOP = 2.0**-39  # what `log` and `exp` are trusted with: a thousand times their true error
_TESTED = Fraction(1, 2**49)  # what `self_test` asks of them
_NEGLIGIBLE = Fraction(1, 2**90)  # where probabilities are smaller, only this counts
_LEAD = 52  # leading bits of a uniform: as many as 1.xxx holds after the point
_ONE = np.uint64(0x3FF << 52)  # the bits of the float 1.0


class Uniform:
    """A uniform real in [prefix, prefix + 1] / 2^width, narrowed on demand."""

    def __init__(self, bits: Bits, prefix: int = 0, width: int = 0) -> None:
        self.bits, self.prefix, self.width = bits, prefix, width

    @property
    def digits(self) -> int:
        """Decimal digits that resolve the interval, and twelve to spare."""
        return self.width * 302 // 1000 + 12

    def narrow(self) -> None:
        """Draw 64 bits more."""
        self.prefix = self.prefix << 64 | int(self.bits.words(1)[0])
        self.width += 64

    def floor_exponential(self, scale: Fraction) -> int:
        """⌊−scale · ln U⌋, exactly."""
        while True:
            if self.prefix:
                unit = 2**self.width
                most = -scale * _ln(Fraction(self.prefix, unit), ROUND_FLOOR, self.digits)
                least = -scale * _ln(Fraction(self.prefix + 1, unit), ROUND_CEILING, self.digits)
                if floor(least) == floor(most):
                    return floor(least)
            self.narrow()

    def below_exp(self, exponent: Fraction) -> bool:
        """Whether U < exp(−exponent), exactly."""
        while True:
            unit = 2**self.width
            if Fraction(self.prefix + 1, unit) <= exp_bound(-exponent, ROUND_FLOOR, self.digits):
                return True
            if Fraction(self.prefix, unit) >= exp_bound(-exponent, ROUND_CEILING, self.digits):
                return False
            self.narrow()

    def below(self, ratio: Fraction) -> bool:
        """Whether U < ratio, exactly."""
        while True:
            scaled = ratio * 2**self.width
            if self.prefix + 1 <= scaled:
                return True
            if self.prefix >= scaled:
                return False
            self.narrow()


def _ln(x: Fraction, direction: str, digits: int) -> Fraction:
    """A bound on ln x, 0 < x ≤ 1, from below (`ROUND_FLOOR`) or above (`ROUND_CEILING`)."""
    return min(Fraction(0), _bound(x, direction, digits, Context.ln))


def exp_bound(x: Fraction, direction: str, digits: int) -> Fraction:
    """A bound on exp x, x ≤ 0, from below or above."""
    return max(Fraction(0), min(Fraction(1), _bound(x, direction, digits, Context.exp)))


def _bound(
    x: Fraction, direction: str, digits: int, increasing: Callable[[Context, Decimal], Decimal]
) -> Fraction:
    """Round x outwards, apply the function (rounded to nearest), and step outwards again."""
    # Subnormals reach down to 10^−(1000 + digits), further than any interval in question.
    context = Context(prec=digits, rounding=direction, Emin=-1000, Emax=1000, traps=[])
    value = increasing(context, context.divide(Decimal(x.numerator), Decimal(x.denominator)))
    down = direction == ROUND_FLOOR
    return Fraction(context.next_minus(value) if down else context.next_plus(value))


def floor_exponential(scale: Fraction, words: NDArray[np.uint64], bits: Bits) -> NDArray[np.int64]:
    """⌊−scale · ln U⌋ for uniforms U that begin with the high 52 bits of `words`.

    The low 12 bits of a word are not used; bits beyond the 52 come from `bits`.

    >>> from sfumato.privacy.randomness import SeededBits
    >>> floor_exponential(Fraction(10), np.array([1 << 63, 1 << 60], np.uint64), SeededBits(1))
    array([ 6, 27])
    """
    s = float(scale)
    with np.errstate(divide="ignore", invalid="ignore"):
        low = _leading(words)  # U lies in [low, low + 2⁻⁵²]
        y = np.log(low)
        y *= -s
        error = np.divide(s * 2.0 ** (1 - _LEAD), low, out=low)
        error += y * (2 * SLOP)
        whole = y.astype(np.int64)  # rounds down, for y ≥ 0
        y -= np.rint(y)
        np.abs(y, out=y)
        # low = 0 makes y and error infinite and the distance NaN: not greater, so undecided.
        undecided = np.flatnonzero(~(y > error))
    for i in undecided:
        whole[i] = Uniform(bits, int(words[i]) >> (64 - _LEAD), _LEAD).floor_exponential(scale)
    return whole


def bernoulli_exp(
    approximate: NDArray[np.float64],
    exact: Callable[[int], Fraction],
    bits: Bits,
    doublings: NDArray[np.int64] | None = None,
) -> NDArray[np.bool_]:
    """For each z, true with probability exp(−z), exactly; every z ≥ 0.

    With `doublings` the probability is 2^doublings · exp(−z), which must be at most 1: the
    uniform number then begins with so many zeros.

    `exact(i)` is the i-th z.  `approximate[i]` must be within (z + 2) · 2⁻⁴² of it, or both
    above 64; it decides what it can.

    >>> from sfumato.privacy.randomness import SeededBits
    >>> z = [Fraction(0), Fraction(10**9)]
    >>> bernoulli_exp(np.array(z, np.float64), z.__getitem__, SeededBits(1))
    array([ True, False])
    """
    words = bits.words(approximate.size)
    gap = np.negative(approximate)
    with np.errstate(under="ignore"):
        np.exp(gap, out=gap)
    gap -= _leading(words) if doublings is None else np.ldexp(_leading(words), -doublings)
    accepted = gap > 0
    undecided = np.flatnonzero(np.abs(gap, out=gap) <= 2 * SLOP)
    for i in undecided:
        zeros = 0 if doublings is None else int(doublings[i])
        uniform = Uniform(bits, int(words[i]) >> (64 - _LEAD), _LEAD + zeros)
        accepted[i] = uniform.below_exp(exact(int(i)))
    return accepted


def bernoulli(
    approximate: NDArray[np.float64], exact: Callable[[int], Fraction], bits: Bits
) -> NDArray[np.bool_]:
    """For each p from 0 to 1, true with probability p, exactly.

    `exact(i)` is the i-th p; `approximate[i]` must be within 2⁻⁴⁵ of it.

    >>> from sfumato.privacy.randomness import SeededBits
    >>> bernoulli(np.array([0.0, 1.0]), [Fraction(0), Fraction(1)].__getitem__, SeededBits(1))
    array([False,  True])
    """
    words = bits.words(approximate.size)
    gap = approximate - _leading(words)
    accepted = gap > 0
    for i in np.flatnonzero(np.abs(gap, out=gap) <= 2 * SLOP):
        uniform = Uniform(bits, int(words[i]) >> (64 - _LEAD), _LEAD)
        accepted[i] = uniform.below(exact(int(i)))
    return accepted


def _leading(words: NDArray[np.uint64]) -> NDArray[np.float64]:
    """The high 52 bits of each word as k / 2⁵², exactly, in [0, 1)."""
    pattern = words >> np.uint64(64 - _LEAD)
    pattern |= _ONE
    one_to_two = pattern.view(np.float64)
    one_to_two -= 1.0
    return one_to_two


def self_test(bits: Bits) -> None:
    """Refuse a machine on which numpy's `log` or `exp` is off by more than 2⁻⁴⁹.

    Compared with `decimal` at random points and at the ends of the ranges in use.

    >>> from sfumato.privacy.randomness import SystemBits
    >>> self_test(SystemBits())
    """
    ends = np.array([1, 2, 3, 2**26, 2**51, 2**52 - 2, 2**52 - 1], np.uint64) << np.uint64(12)
    x = _leading(np.concatenate((ends, bits.words(500) | np.uint64(1 << 12))))
    z = np.concatenate((x[:250], 64 * x[250:], [0.0, 65.0, 100.0, 745.0, 1e4, 1e300]))
    exact = Context(prec=40)
    for name, points, found, true in (
        ("log", x, np.log(x), exact.ln),
        ("exp", -z, np.exp(-z), exact.exp),
    ):
        for point, value in zip(points.tolist(), found.tolist(), strict=True):
            truth = Fraction(true(Decimal(point)))
            allowed = _TESTED * abs(truth) + _NEGLIGIBLE * (name == "exp")
            if not isfinite(value) or abs(Fraction(value) - truth) > allowed:
                raise Refused(
                    f"numpy's {name} is less accurate here than exact noise needs: "
                    "install an official numpy build and run the self-test again"
                )
