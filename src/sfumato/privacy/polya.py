"""Shares of discrete Laplace noise: so many of them, drawn apart, add up to the law exactly.

Statement.  Let a = exp(−1/scale) and N(r) be the negative binomial (Pólya) law of real r > 0,

    P(N = k) = (1 − a)^r · r (r + 1) … (r + k − 1) / k! · a^k.

`laplace_share` draws N(1/h) − N'(1/h).  The sum of h independent shares is discrete Laplace of
that scale; every further share is independent of it.  Proof in `docs/proofs/party.md`.

Sampling.  N(r) is Σ k · M_k with independent M_k, Poisson of mean r a^k / k.  All M_k together
are a Poisson process, thinned here from one whose means are rational:

    k in [2^j, 2^(j+1)), j below J:            mean r / 2^j each, so r for the whole block
    k in [(q+1) B, (q+2) B), B = 2^J ≥ scale:  mean r / (B 2^q) each, so 2r for all q ≥ 0

A point at k is kept with probability (2^j / k) exp(−k / scale) or (B / k) 2^q exp(−k / scale).
The number of points is Poisson of mean r (J + 2), found by inversion.  No float decides.
"""

from decimal import ROUND_CEILING, ROUND_FLOOR
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import ParameterError
from sfumato.privacy.enclosure import Uniform, bernoulli, bernoulli_exp, exp_bound
from sfumato.privacy.noise import LARGEST_SCALE, discrete_laplace, uniform_below
from sfumato.privacy.randomness import Bits

__all__ = ["laplace_share", "poisson", "polya"]

_LARGEST_MEAN = 64
_DIGITS = 60  # decimals of the first table of a Poisson law: three times the 64 bits of a word
_SMALLEST_SCALE = Fraction(1, 2**100)  # what floats stand in with below it
_BLOCK = 1 << 14  # entries that are drawn together


def laplace_share(scale: Fraction, shares: int, size: int, bits: Bits) -> NDArray[np.int64]:
    """`size` draws of which `shares` independent ones add up to discrete Laplace noise.

    >>> from sfumato.privacy.randomness import SeededBits
    >>> laplace_share(Fraction(10), 3, 8, SeededBits(1))
    array([  9,   0, -16,   2,  -1,   1,   0,   0])
    """
    if shares == 1:  # geometric less geometric: the noise itself, at a hundredth of the time
        return discrete_laplace(scale, size, bits)
    return polya(scale, shares, size, bits) - polya(scale, shares, size, bits)


def polya(scale: Fraction, shares: int, size: int, bits: Bits) -> NDArray[np.int64]:
    """`size` draws of N(1/shares), modulo 2⁶⁴.

    >>> from sfumato.privacy.randomness import SeededBits
    >>> polya(Fraction(10), 3, 8, SeededBits(1))
    array([13,  0,  0,  2,  0,  1,  0,  0])
    """
    if not isinstance(scale, Fraction) or not 0 < scale <= LARGEST_SCALE:
        raise ParameterError("scale must be a Fraction above 0 and at most 2**56")
    if isinstance(shares, bool) or not isinstance(shares, int) or shares < 1:
        raise ParameterError(f"shares must be a whole number of at least 1, got {shares!r}")
    parts = [
        _block(scale, shares, min(_BLOCK, size - start), bits) for start in range(0, size, _BLOCK)
    ]
    return np.concatenate([np.zeros(0, np.int64), *parts])


def _block(scale: Fraction, shares: int, size: int, bits: Bits) -> NDArray[np.int64]:
    blocks = max((-(-scale.numerator // scale.denominator) - 1).bit_length(), 0)  # J: 2^J ≥ scale
    points = poisson(Fraction(blocks + 2, shares), size, bits)
    count = int(points.sum())
    slot = np.minimum(uniform_below(blocks + 2, count, bits), blocks)
    # In the last slot, a block of its own after each coin that shows heads.
    q = np.where(slot == blocks, _heads(count, bits), 0)
    # A word without its highest bit, so that a block of one value needs no shift by 64.
    u = ((bits.words(count) >> np.uint64(1)) >> (63 - slot).astype(np.uint64)).view(np.int64)
    width = np.int64(1) << slot
    value = (q + 1) * width + u  # modulo 2⁶⁴
    rate = float(1 / max(scale, _SMALLEST_SCALE))
    near: NDArray[np.float64] = (q + 1.0) * width + u

    def exact(i: int) -> int:
        return (int(q[i]) + 1) * int(width[i]) + int(u[i])

    kept = bernoulli(width / near, lambda i: Fraction(int(width[i]), exact(i)), bits)
    kept &= bernoulli_exp(near * rate, lambda i: exact(i) / scale, bits, q)
    total = np.zeros(size, np.int64)
    np.add.at(total, np.repeat(np.arange(size), points)[kept], value[kept])
    return total


def _heads(count: int, bits: Bits) -> NDArray[np.int64]:
    """How many heads before the first tails, for so many rows of coins."""
    words = bits.words(count)
    # The lowest bit that is set is a power of two, which a float holds exactly.
    found = np.frexp((words & (~words + np.uint64(1))).astype(np.float64))[1].astype(np.int64) - 1
    for i in np.flatnonzero(words == 0):
        found[i] = 64 + int(_heads(1, bits)[0])
    return found


def poisson(mean: Fraction, size: int, bits: Bits) -> NDArray[np.int64]:
    """`size` draws with P(X = k) = exp(−mean) mean^k / k!, exactly, for means up to 64.

    >>> from sfumato.privacy.randomness import SeededBits
    >>> poisson(Fraction(3), 8, SeededBits(1))
    array([3, 2, 2, 2, 2, 2, 6, 3])
    """
    if not isinstance(mean, Fraction) or not 0 < mean <= _LARGEST_MEAN:
        raise ParameterError(f"mean must be a Fraction above 0 and at most {_LARGEST_MEAN}")
    low, high = _edges(mean)
    words = bits.words(size)
    found = np.searchsorted(high, words, "left")  # edges that the uniform has certainly passed
    undecided = np.flatnonzero(found != np.searchsorted(low, words, "right"))
    for i in undecided:
        found[i] = _inverted(mean, Uniform(bits, int(words[i]), 64))
    return found.astype(np.int64)


@lru_cache(maxsize=64)
def _edges(mean: Fraction) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Between which words P(X ≤ k) lies, for k = 0, 1, …, as far as words tell them apart."""
    least, most = (exp_bound(-mean, way, _DIGITS) for way in (ROUND_FLOOR, ROUND_CEILING))
    low, high = list[int](), list[int]()
    term = total = Fraction(1)
    while not low or low[-1] < 2**64 - 1:
        low.append(int(least * total * 2**64))
        high.append(min(int(most * total * 2**64), 2**64 - 1))
        term *= mean / len(low)
        total += term
    return np.array(low, np.uint64), np.array(high, np.uint64)


def _inverted(mean: Fraction, uniform: Uniform) -> int:
    """The first k with U < P(X ≤ k), exactly."""
    k, term, total = 0, Fraction(1), Fraction(1)
    while True:
        digits = uniform.digits
        if Fraction(uniform.prefix + 1, 2**uniform.width) <= total * exp_bound(
            -mean, ROUND_FLOOR, digits
        ):
            return k
        if Fraction(uniform.prefix, 2**uniform.width) >= total * exp_bound(
            -mean, ROUND_CEILING, digits
        ):
            k += 1
            term *= mean / k
            total += term
        else:
            uniform.narrow()
