"""Integer noise with exact laws: discrete Laplace, discrete Gaussian, uniform.

    discrete_laplace    P(X = k)  ∝  exp(−|k| / scale)
    discrete_gaussian   P(X = k)  ∝  exp(−k² / (2 · variance))

Scale and variance are rationals, the draws are integers, and the law is the one written,
not a float's idea of it: `docs/proofs/noise.md` has the proof.  The magnitude is found by
inversion, ⌊−scale · ln U⌋, decided by the enclosures of `sfumato.privacy.enclosure`; the
Gaussian is accepted from Laplace candidates (Canonne, Kamath and Steinke 2020).

A draw beyond ±2⁶³ (chance below 2⁻¹⁸⁰ at the largest scale) is returned modulo 2⁶⁴.  Added
in 64-bit integers, value plus noise is then the true sum modulo 2⁶⁴: post-processing.

Limits.  The time a draw takes depends a little on the draw: draw all noise before
anything is answered.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import ParameterError
from sfumato.privacy.enclosure import bernoulli_exp, floor_exponential, self_test
from sfumato.privacy.randomness import Bits

__all__ = ["discrete_gaussian", "discrete_laplace", "self_test", "uniform_below"]

LARGEST_SCALE = 2**56
LARGEST_VARIANCE = 2**110
_WHOLE = 2**20  # scales up to here are inverted in one piece, larger ones in two
_QUOTIENT_BITS = 16
_BLOCK = 1 << 14  # candidates drawn together: few calls, and arrays that stay in the cache
_SMALLEST_VARIANCE = Fraction(1, 2**100)  # what floats stand in with below it


def discrete_laplace(scale: Fraction, size: int, bits: Bits) -> NDArray[np.int64]:
    """`size` draws with P(X = k) ∝ exp(−|k| / scale), exactly.

    >>> from sfumato.privacy.randomness import SeededBits
    >>> discrete_laplace(Fraction(10, 3), 8, SeededBits(1))
    array([ 2, -4,  4, -3,  5, -3,  2, -6])
    """
    _check("scale", scale, LARGEST_SCALE)

    def block(count: int) -> NDArray[np.int64]:
        candidates = _candidates(scale, count, bits)
        return candidates.signed(candidates.keep)

    return _collect(size, block)


def discrete_gaussian(variance: Fraction, size: int, bits: Bits) -> NDArray[np.int64]:
    """`size` draws with P(X = k) ∝ exp(−k² / (2 · variance)), exactly.

    >>> from sfumato.privacy.randomness import SeededBits
    >>> discrete_gaussian(Fraction(100), 8, SeededBits(1))
    array([  8, -15,  13, -12,  16, -12,   7, -21])
    """
    _check("variance", variance, LARGEST_VARIANCE)
    t = isqrt(variance.numerator // variance.denominator) + 1  # ⌊σ⌋ + 1
    centre = variance / t
    rounded = max(variance, _SMALLEST_VARIANCE)
    near, rate = float(rounded / t), float(1 / (2 * rounded))

    def block(count: int) -> NDArray[np.int64]:
        candidates = _candidates(Fraction(t), count, bits)
        z = candidates.floats()
        z -= near
        z *= z
        z *= rate
        accepted = bernoulli_exp(
            z, lambda i: (candidates.magnitude(i) - centre) ** 2 / (2 * variance), bits
        )
        return candidates.signed(candidates.keep & accepted)

    return _collect(size, block)


def uniform_below(bound: int, size: int, bits: Bits) -> NDArray[np.int64]:
    """`size` draws from 0, 1, …, bound − 1, all equally likely, for bounds up to 2⁶³.

    >>> from sfumato.privacy.randomness import SeededBits
    >>> uniform_below(6, 8, SeededBits(1))
    array([0, 5, 0, 5, 2, 1, 5, 0])
    """
    if isinstance(bound, bool) or not isinstance(bound, int) or not 1 <= bound <= 2**63:
        raise ParameterError(f"bound must be a whole number from 1 to 2**63, got {bound!r}")
    last = np.uint64(2**64 - 2**64 % bound - 1)  # beyond it the remainders are not all there

    def block(count: int) -> NDArray[np.int64]:
        words = bits.words(count)
        words = words[words <= last]
        words -= words // np.uint64(bound) * np.uint64(bound)
        return words.view(np.int64)

    return _collect(size, block)


@dataclass(frozen=True, slots=True)
class _Candidates:
    """Magnitudes quotient · 2^shift + remainder, with signs; those under `keep` have the law."""

    quotient: NDArray[np.int64]
    remainder: NDArray[np.int64] | None
    shift: int
    sign: NDArray[np.int64]  # 0 or −1
    keep: NDArray[np.bool_]

    def magnitude(self, i: int) -> int:
        rest = 0 if self.remainder is None else int(self.remainder[i])
        return (int(self.quotient[i]) << self.shift) + rest

    def floats(self) -> NDArray[np.float64]:
        """The magnitudes within a relative 2⁻⁵²."""
        value = self.quotient.astype(np.float64)
        if self.remainder is not None:
            value *= 2.0**self.shift
            value += self.remainder
        return value

    def signed(self, keep: NDArray[np.bool_]) -> NDArray[np.int64]:
        value = self.quotient
        if self.remainder is not None:
            value = (value << self.shift) + self.remainder  # modulo 2⁶⁴
        value = (value ^ self.sign) - self.sign  # −v = (v ^ −1) + 1
        return value.compress(keep)


def _candidates(scale: Fraction, count: int, bits: Bits) -> _Candidates:
    """Two-sided geometric candidates: P(kept and X = k) ∝ exp(−|k| / scale)."""
    words = bits.words(count)
    sign = -(words & np.uint64(1)).view(np.int64)
    if scale <= _WHOLE:
        quotient = floor_exponential(scale, words, bits)
        # Zero with a minus sign is dropped, or zero would be counted twice.
        return _Candidates(quotient, None, 0, sign, (quotient | ~sign) != 0)
    shift = int(scale).bit_length() - _QUOTIENT_BITS
    quotient = floor_exponential(scale / 2**shift, words, bits)
    remainder = (bits.words(count) >> np.uint64(64 - shift)).view(np.int64)
    z = remainder.astype(np.float64)
    z *= float(1 / scale)
    keep = bernoulli_exp(z, lambda i: int(remainder[i]) / scale, bits)
    keep &= (quotient | remainder | ~sign) != 0
    return _Candidates(quotient, remainder, shift, sign, keep)


def _collect(size: int, block: Callable[[int], NDArray[np.int64]]) -> NDArray[np.int64]:
    """The first `size` of a stream of independent draws that comes in blocks of any length."""
    if isinstance(size, bool) or not isinstance(size, int) or size < 0:
        raise ParameterError(f"size must be a whole number of at least 0, got {size!r}")
    out = np.empty(size, dtype=np.int64)
    filled = 0
    while filled < size:
        missing = size - filled
        found = block(min(_BLOCK, missing + missing // 8 + 8))[:missing]
        out[filled : filled + found.size] = found
        filled += found.size
    return out


def _check(name: str, value: Fraction, largest: int) -> None:
    if not isinstance(value, Fraction) or value <= 0:
        raise ParameterError(f"{name} must be a Fraction above 0, got {value!r}")
    if value > largest:
        power = largest.bit_length() - 1
        raise ParameterError(
            f"{name} must be at most 2**{power}: coarsen the grid or raise epsilon"
        )
