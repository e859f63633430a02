"""How far one record moves statistics about a public centre: in a box, or in a ball.

A centred record z has numbers and 0/1 features in [-½, ½] (the public range, its middle at
zero) and one-hot blocks of 0/1 dummies; with a radius R it is shrunk until ‖z‖₂ ≤ R.
Centring halves every number, so products move a quarter as far as those of features in
[0, 1].  Proofs: `docs/proofs/centred.md`; every ℓ₁ and ℓ₂ figure is at least certified.

>>> float(scatter(continuous=10).l1), float(scatter(continuous=10, radius=Fraction(1)).l1)
(13.75, 8.062257749)
"""

from dataclasses import dataclass
from fractions import Fraction

from sfumato.privacy.sensitivity import Neighbours, Sensitivity, ball, box, root

__all__ = ["eigenvalues", "largest_square", "mixture", "regression", "scatter", "sums"]


def largest_square(
    continuous: int = 0, binary: int = 0, blocks: int = 0, radius: Fraction | None = None
) -> Fraction:
    """The largest ‖z‖² there can be; exact."""
    box = Fraction(continuous + binary, 4) + blocks
    return box if radius is None else min(box, radius**2)


def scatter(
    continuous: int = 0,
    binary: int = 0,
    blocks: int = 0,
    *,
    width: int | None = None,
    radius: Fraction | None = None,
    neighbours: Neighbours = "replace-one",
) -> Sensitivity:
    """Upper triangle of Σ z zᵀ without what structure fixes; `width` counts all features.

    Fixed are products of two dummies of a block (zero) and, without a radius, squares of
    0/1 features (a quarter).  Under add-remove the number of records is one more entry.
    """
    m, b = continuous + binary, blocks
    squares = continuous if radius is None else m  # shrinking moves every square
    if neighbours == "add-remove":
        numbers = Fraction(m * m + squares - (m - squares), 8)
        l1 = numbers + Fraction(m * b, 2) + Fraction(b * (b + 1), 2)
        l2 = Fraction(m * m + m, 32) + Fraction(m * b, 4) + Fraction(b * (b + 1), 2)
    else:
        l1 = Fraction(m * m + squares, 8) + m * b + b * (b + 1)
        l2 = Fraction(m * m, 16) + _blocks_squared(m, b, shrunk=radius is not None)
    if radius is not None:
        d = width if width is not None else m
        inside = _ball(d, radius**2, neighbours)
        l1, l2 = min(l1, inside.l1), min(l2, inside.l2_squared)
    one = 1 if neighbours == "add-remove" else 0
    return Sensitivity(l1 + one, l2 + one)


def _blocks_squared(m: int, b: int, *, shrunk: bool) -> Fraction:
    """What blocks add to the squared ℓ₂ distance; without shrinking, unchanged ones add less."""
    if shrunk:
        return Fraction(m * b + b * (b + 1))
    # q blocks change: a number times its dummies moves by ¼ + ¼, else by at most 1.
    return max(
        m * (Fraction(q, 2) + (b - q)) + 2 * q + q * (q - 1) + 2 * q * (b - q) for q in range(b + 1)
    )


def _ball(d: int, square: Fraction, neighbours: Neighbours) -> Sensitivity:
    unit = ball(d, neighbours)
    return Sensitivity(square * unit.l1, square**2 * unit.l2_squared)


def sums(
    continuous: int = 0,
    binary: int = 0,
    blocks: int = 0,
    *,
    width: int | None = None,
    radius: Fraction | None = None,
    neighbours: Neighbours = "replace-one",
) -> Sensitivity:
    """Σ z; in the box exact."""
    m, one = continuous + binary, neighbours == "add-remove"
    l1 = Fraction(m, 2) + blocks if one else Fraction(m + 2 * blocks)
    l2 = Fraction(m, 4) + blocks if one else Fraction(m + 2 * blocks)
    if radius is not None:
        d, far = width if width is not None else m, radius if one else 2 * radius
        l1, l2 = min(l1, far * root(Fraction(d))), min(l2, far**2)
    return Sensitivity(l1, l2)


def eigenvalues(rank: int, square: Fraction, neighbours: Neighbours = "replace-one") -> Sensitivity:
    """The `rank` largest eigenvalues of Σ z zᵀ, ‖z‖² ≤ `square`.

    Replace-one: Σ|λ − λ'| is at most the trace norm of z zᵀ − z' z'ᵀ (Lidskii, Mirsky) and
    the first one moves by at most its norm (Weyl); squares by Hoffman and Wielandt.
    """
    moved = 1 if neighbours == "add-remove" else min(rank, 2)
    return Sensitivity(moved * square, moved * square**2)


@dataclass(frozen=True, slots=True)
class Parts:
    """Sensitivities of statistics that are paid for one by one."""

    counts: Sensitivity
    sums: Sensitivity
    second: Sensitivity


def regression(rank: int, neighbours: Neighbours = "replace-one") -> Parts:
    """Moments of (x, y), ‖x‖₂ ≤ 1 in `rank` dimensions, |y| ≤ 1; certified."""
    p, spread = rank, root(Fraction(rank))
    one = Sensitivity(Fraction(1), Fraction(1))
    if neighbours == "add-remove":
        second = Sensitivity(Fraction(p + 1, 2) + spread + 1, Fraction(3))
        return Parts(one, Sensitivity(spread + 1, Fraction(2)), second)
    by_parts = ball(p).l1 + 2 * spread + 1
    second = Sensitivity(min(box(p + 1).l1, by_parts), Fraction(7))
    return Parts(one, Sensitivity(2 * spread + 2, Fraction(8)), second)


def mixture(rank: int, classes: int, neighbours: Neighbours = "replace-one") -> Parts:
    """Counts, Σ x and triangles of Σ x xᵀ by class, ‖x‖₂ ≤ 1; the label may change."""
    moved = 1 if neighbours == "add-remove" else 2
    # Where n is public, the second of two counts follows from the first.
    counts = 1 if classes == 2 else moved
    return Parts(
        Sensitivity(Fraction(counts), Fraction(counts)),
        # Inside one class a sum moves by x − x', whose square is at most 4.
        Sensitivity(moved * root(Fraction(rank)), Fraction(moved**2)),
        Sensitivity(Fraction(moved * (rank + 1), 2), Fraction(moved)),
    )
