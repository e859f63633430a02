"""Power iteration on the scatter, every product under exact noise (Hardt and Price 2014).

Guarantee.  ρ-zCDP, and through it (ε, δ), for both neighbour relations: T products
A X of the scatter A = Σ z zᵀ, each under discrete Gaussian noise for its share of ρ.  The X of
a step is a function of what earlier steps released, so adaptive composition adds the shares.
Sensitivity.  One record moves A by M with at most two eigenvalues other than zero, each
of size at most B, the largest ‖z‖² (one eigenvalue under add-remove).  So

    ‖M X‖_F  ≤  √min(k, 2) · B · ‖X‖          (add-remove: B · ‖X‖)

for X of k columns; ‖X‖ is certified in integers before X is used.  Products are whole
numbers, brought to a grid that fits 64 bits by an exact floor, which moves each of the d k
entries by less than one step more: √(d k) steps are added to the bound.
Limits.  Exact up to 2^32 records and `MOST_FEATURES` features.  Proof:
`docs/proofs/power-method.md`.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from sfumato.measure.scatter import exact_scatter
from sfumato.numeric.arrays import Matrix, Whole
from sfumato.privacy.budget import Budget
from sfumato.privacy.mechanism import Event, Noise, Purse
from sfumato.privacy.sensitivity import Sensitivity, root
from sfumato.synopsis.centred import UNIT as FEATURE_UNIT
from sfumato.synopsis.scatter import ScatterLayout
from sfumato.table.records import Records

__all__ = ["MOST_FEATURES", "UNIT", "LastProduct", "PowerIteration", "product", "stretch", "whole"]

UNIT = 2**18  # what stands for 1 in a direction, and in a product
MOST_FEATURES = 2**12  # so that the lower halves of a product, 2^32 · 2^18 each, fit 64 bits


@dataclass(frozen=True)
class LastProduct:
    """What the last step gives: Y is the noisy covariance times X; public once measured."""

    X: Matrix
    Y: Matrix
    mean: Matrix  # centred; zero where no mean was bought


@dataclass(frozen=True)
class PowerIteration:
    """T noisy products, from a public start of orthonormal columns."""

    layout: ScatterLayout
    start: Matrix
    for_steps: tuple[Budget, ...]
    for_sums: Budget | None = None

    @cached_property
    def sensitivity(self) -> Sensitivity:
        """How far one record moves a product, in real units; certified."""
        entries, columns = self.start.size, self.start.shape[1]
        eigenvalues = 1 if self.layout.neighbours == "add-remove" else min(columns, 2)
        moved = root(Fraction(eigenvalues)) * self.layout.centred.largest_square
        moved = moved * stretch(self.start) + root(Fraction(entries)) / UNIT
        return Sensitivity(root(Fraction(entries)) * moved, moved**2)

    @cached_property
    def noises(self) -> tuple[Noise, ...]:
        """What each step costs; under add-remove the first one counts the records as well."""
        one, moved = self.layout.counts, self.sensitivity
        first = Sensitivity(moved.l1 + one, moved.l2_squared + one)
        return tuple(
            Noise(f"power step {t}", first if t == 1 else moved, part)
            for t, part in enumerate(self.for_steps, 1)
        )

    @property
    def sums_noise(self) -> Noise | None:
        """What the sums cost, where they are bought."""
        if self.for_sums is None:
            return None
        return Noise("sums", self.layout.sums_sensitivity, self.for_sums)

    @property
    def events(self) -> tuple[Event, ...]:
        """All of them, in the order in which they are bought."""
        paid = (self.sums_noise, *self.noises)
        return tuple(noise.event for noise in paid if noise is not None)

    def check(self) -> None:
        """Refuse noise that cannot be drawn, before anything is read or paid."""
        for noise in self.noises:
            noise.check(UNIT)
        if self.sums_noise is not None:
            self.sums_noise.check(FEATURE_UNIT)

    def perturb(self, records: Records, purse: Purse) -> LastProduct:
        """All steps: one pass over the records, then products under noise."""
        exact, middle = exact_scatter(self.layout, records), self.layout.centred.middle
        sums = np.zeros(len(middle))
        if self.sums_noise is not None:
            units = np.full(len(sums), FEATURE_UNIT, np.int64)
            sums = purse.pay(self.sums_noise).add(exact.sums, units) / FEATURE_UNIT
        ones = self.layout.counts  # under add-remove all that follows uses the noisy count
        count, mean, Y = exact.rows, sums, self.start
        for noise in self.noises:
            X = whole(np.linalg.qr(Y)[0])
            counted, units = np.full(ones, exact.rows), np.full(ones + X.size, UNIT)
            units[:ones] = 1
            entries = np.concatenate([counted, product(exact.second, X).ravel()])
            noisy = purse.pay(noise).add(entries, units)
            if noise is self.noises[0]:
                count = max(int(noisy[0]) if ones else count, 1)
                mean = np.clip(sums / count, -middle, 1 - middle)
            Y = noisy[ones:].reshape(X.shape) / (UNIT * float(count))
            Y -= np.outer(mean, mean @ X / UNIT)
            ones = 0
        return LastProduct(X / UNIT, Y, mean)


def product(second: Whole, X: Whole) -> Whole:
    """NOT PRIVATE: ⌊second X / 2³⁰⌋, which counts steps of 1/`UNIT`; exact.

    Each factor of `second` is split into 32 lower bits and the rest, so that no sum of
    products passes 64 bits; the upper half is a multiple of 2³², so the floor is that of
    the lower half.

    >>> product(np.array([[5 * 2**30 + 1]]), np.array([[-7]])).tolist()
    [[-36]]
    """
    upper, lower = second >> 32, second & (2**32 - 1)
    return np.asarray(((upper @ X) << 2) + ((lower @ X) >> 30))


def stretch(Q: Matrix) -> Fraction:
    """The largest ‖X‖ / `UNIT` that `whole` lets through: 1, and room for the rounding."""
    return 1 + root(Fraction(Q.size)) / UNIT


def whole(Q: Matrix) -> Whole:
    """Orthonormal columns as whole numbers whose norm is certified to be within `stretch`.

    ‖X‖² is at most the largest absolute row sum of Xᵀ X.  Columns that are further from
    orthonormal than rounding explains are halved until they fit.

    >>> whole(np.array([[0.6], [0.8]])).tolist()
    [[157286], [209715]]
    """
    X = np.rint(np.clip(Q, -1, 1) * UNIT).astype(np.int64)
    limit = (stretch(Q) * UNIT) ** 2
    while int(np.abs(X.T @ X).sum(axis=1).max()) > limit:
        X >>= 1
    return X
