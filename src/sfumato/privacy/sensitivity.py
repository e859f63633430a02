"""How far one record can move a statistic: exact or certified, in rationals.

Every function returns a `Sensitivity`: the ℓ₁ distance and the *square* of the ℓ₂
distance between the statistics of two neighbouring tables.  The proofs are in
`docs/proofs/moments.md`; where a bound is not known to be attained, it says certified.

>>> moments(continuous=1, blocks=2, neighbours="replace-one", repeat=True).l1
Fraction(57, 4)
"""

from dataclasses import dataclass
from fractions import Fraction
from math import isqrt
from typing import Literal

from sfumato.errors import ParameterError

__all__ = ["Neighbours", "Sensitivity", "ball", "box", "class_moments", "moments", "record", "root"]

Neighbours = Literal["replace-one", "add-remove"]

_ROOT_PLACES = 10**9


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """ℓ₁ distance and squared ℓ₂ distance; both are positive."""

    l1: Fraction
    l2_squared: Fraction

    def __post_init__(self) -> None:
        if self.l1 <= 0 or self.l2_squared <= 0:
            raise ParameterError(
                "sensitivity must be above 0: a statistic without records is public"
            )


def root(value: Fraction) -> Fraction:
    """A square root, rounded up to nine places: noise may be larger than needed, never smaller."""
    scaled = value * _ROOT_PLACES**2
    whole = -(-scaled.numerator // scaled.denominator)
    up = isqrt(whole)
    return Fraction(up if up * up == whole else up + 1, _ROOT_PLACES)


def moments(
    continuous: int = 0,
    binary: int = 0,
    blocks: int = 0,
    *,
    neighbours: Neighbours = "replace-one",
    repeat: bool = False,
) -> Sensitivity:
    """Sum and upper triangle of the second moment of features in [0, 1]; exact.

    `binary` features take 0 and 1 only; `blocks` are one-hot blocks of three or more
    levels.  Squares of 0/1 features are left out, because they equal the sums, unless
    `repeat`.  Under add-remove the number of records is one more entry.
    """
    if neighbours == "add-remove":
        return _one_record(continuous, binary, blocks, repeat)
    return _pair(continuous, binary, blocks, repeat, lean=blocks - 1, extra=0)


def class_moments(
    continuous: int = 0,
    binary: int = 0,
    blocks: int = 0,
    *,
    neighbours: Neighbours = "replace-one",
    repeat: bool = False,
    counts: int = 2,
) -> Sensitivity:
    """Class counts, class sums and the shared upper triangle; the label may change; exact.

    `counts` is how far the released counts move: 2, or 1 where there are two classes, the
    number of records is public and only one count is released.
    """
    if neighbours == "add-remove":
        return _one_record(continuous, binary, blocks, repeat)
    return _pair(continuous, binary, blocks, repeat, lean=blocks + 1, extra=counts)


def _one_record(continuous: int, binary: int, blocks: int, repeat: bool) -> Sensitivity:
    """Every entry of one record lies in [0, 1]: count, sums, squares, products."""
    active = continuous + binary + blocks
    squares = active if repeat else continuous
    entries = Fraction(1 + active + squares + active * (active - 1) // 2)
    return Sensitivity(entries, entries)


def _pair(
    continuous: int, binary: int, blocks: int, repeat: bool, *, lean: int, extra: int
) -> Sensitivity:
    """Two records, the first all ones, the second t on the continuous features, s binary ones.

    All blocks change.  What t and s add to the value at zero is, with S their sum,
    lean·S − S²/2 + s/2 − (continuous t²)/2: concave in t, so t is a clipped rational.
    With `repeat` a binary feature counts as a continuous one that only takes 0 and 1.
    """
    features = continuous + binary
    squares = features if repeat else continuous
    block_entries = blocks * (blocks - 1) + (4 if repeat else 2) * blocks
    base = Fraction(
        extra
        + features
        + squares
        + blocks * features
        + features * (features - 1) // 2
        + block_entries
    )
    sign = -1 if repeat else 1

    def gain(t: Fraction, s: int) -> Fraction:
        total = continuous * t + s
        return lean * total - total**2 / 2 + Fraction(sign * s, 2) - continuous * t**2 / 2

    def best_t(s: int) -> Fraction:
        return min(max(Fraction(lean - s, continuous + 1), Fraction(0)), Fraction(1))

    l1 = base + max(gain(best_t(s), s) for s in range(binary + 1))
    # Squared, every entry is convex in t, so the continuous features sit at 0 or 1 as well.
    l2 = base + max(
        _vertex(lean, ones, s, sign) for s in range(binary + 1) for ones in range(continuous + 1)
    )
    return Sensitivity(l1, l2)


def _vertex(lean: int, ones: int, s: int, sign: int) -> Fraction:
    total = ones + s
    return lean * total - Fraction(total**2, 2) + Fraction(sign * s - ones, 2)


def record(continuous: int = 0, binary: int = 0, blocks: int = 0) -> Sensitivity:
    """One record itself, features in [0, 1], when it is replaced; exact."""
    changes = Fraction(continuous + binary + 2 * blocks)
    return Sensitivity(changes, changes)


def ball(dimension: int, neighbours: Neighbours = "replace-one") -> Sensitivity:
    """Upper triangle of Σ x xᵀ for ‖x‖₂ ≤ 1.

    Replace-one: ℓ₁ certified by Cauchy–Schwarz, √(d(d + 3)/2); ℓ₂ exact, √2 (1 at d = 1).
    Add-remove: (d + 1)/2 and 1, exact.
    """
    d = dimension
    if neighbours == "add-remove":
        return Sensitivity(Fraction(d + 1, 2), Fraction(1))
    if d == 1:
        return Sensitivity(Fraction(1), Fraction(1))
    return Sensitivity(root(Fraction(d * (d + 3), 2)), Fraction(2))


def box(
    dimension: int, neighbours: Neighbours = "replace-one", *, full: bool = False
) -> Sensitivity:
    """Second moment Σ x xᵀ for x in [-1, 1]^M: upper triangle, or the `full` matrix.

    ℓ₁ exact: M(M + 1)/2, full M².  Squared ℓ₂, replace-one: triangle certified M² (attained
    for even M), full certified 2M²; add-remove: as many as there are entries, exact.
    """
    m = dimension
    entries = Fraction(m * m if full else m * (m + 1) // 2)
    if neighbours == "add-remove":
        return Sensitivity(entries, entries)
    return Sensitivity(entries, Fraction(2 * m * m if full else m * m))
