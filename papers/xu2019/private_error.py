"""Figures 3 and 4 corrected: what records cost when they are private, and two floors.

The error of a release is the squared distance between each record and what is published in
its place, expected over the noise of the coordinates (known exactly), for directions that
were really bought.  It is given as a share of the squared norm about the public centre,
so 1 is what the centre itself scores, in every row, for nothing.  The other floor is the
mean, bought by Laplace noise with the whole budget and published in every row.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import NamedTuple

import numpy as np

from papers.declared import Declared
from papers.outcome import Outcome, Outcomes
from papers.xu2019.private import CONTENDERS, LOP, Kept, bought_directions, space_of
from papers.xu2019.settings import DIRECTIONS, RANKS, Settings
from sfumato.measure.projection import Projection
from sfumato.measure.scatter import exact_scatter
from sfumato.numeric.arrays import Codes, Matrix, Whole
from sfumato.privacy.guarantee import PureDP
from sfumato.privacy.mechanism import Noise, Purse
from sfumato.privacy.randomness import SeededBits
from sfumato.synopsis.centred import UNIT, Centred
from sfumato.synopsis.directions import Directions
from sfumato.synopsis.scatter import ScatterLayout
from sfumato.table.records import Records

__all__ = ["MEAN", "Energies", "error_at", "run"]

MEAN = "noisy mean for everyone"


def error_at(name: str, rank: int | None = None) -> str:
    """The measure, as results call it; the mean has no rank."""
    return f"private error, {name}" + (f", k = {rank}" if rank else "")


def run(
    name: str,
    data: Declared,
    settings: Settings,
    found: Outcomes,
    tick: Callable[[str], None],
) -> None:
    """One data set: every budget, trial, contender and rank, and the mean for everyone."""
    space, records = space_of(name, data.domain), Kept(data.table, data.domain)
    energies = Energies.of(space, records)
    ranks = [k for k in RANKS if k <= len(space)]
    for epsilon in settings.budgets:
        whole = Fraction(str(epsilon))
        for trial in range(settings.trials):
            for who in CONTENDERS:
                share = 0 if who == LOP else DIRECTIONS
                seed = settings.seed_of("private", name, who, epsilon, trial)
                directions = bought_directions(who, space, records, max(ranks), whole * share, seed)
                rest = PureDP(whole * (1 - share))
                for k in ranks:
                    error = energies.of_projection(_first(directions, k), rest)
                    found.add(Outcome("private", who, epsilon, trial, error_at(name, k), error))
            seed = settings.seed_of("private", name, MEAN, epsilon, trial)
            error = energies.of_constant(PureDP(whole), seed)
            found.add(Outcome("private", MEAN, epsilon, trial, error_at(name), error))
            tick(f"private records, {name}, ε = {epsilon:g}")


class _Sums(NamedTuple):
    square: float
    total: Matrix
    cross: Matrix


@dataclass(frozen=True)
class Energies:
    """NOT PRIVATE: moments of the records as they are (x) and as drawn into the ball (z).

    Mean of ‖x‖², Σ z in whole numbers, means of x, of x zᵀ and of z zᵀ.
    """

    layout: ScatterLayout
    rows: int
    square: float
    sums: Whole
    mean: Matrix
    cross: Matrix
    second: Matrix

    @classmethod
    def of(cls, space: Centred, records: Records) -> "Energies":
        """From two passes over the records."""
        free = Centred(space.features)

        def partial(codes: Codes) -> _Sums:
            X, Z = free.design(codes) / UNIT, space.design(codes) / UNIT
            return _Sums(float(np.einsum("ij,ij->", X, X)), X.sum(axis=0), X.T @ Z)

        def merge(a: _Sums, b: _Sums) -> _Sums:
            return _Sums(a.square + b.square, a.total + b.total, a.cross + b.cross)

        layout = ScatterLayout(space, "replace-one")
        exact, (square, total, cross) = (
            exact_scatter(layout, records),
            reduce(merge, map(partial, records.parts())),
        )
        n, second = exact.rows, exact.second / (float(UNIT) ** 2 * exact.rows)
        return cls(layout, n, square / n, exact.sums, total / n, cross / n, second)

    def of_projection(self, directions: Directions, budget: PureDP) -> float:
        """Mean of ‖x − UᵀU z‖², plus the energy of the noise on the coordinates, as a share."""
        U = directions.matrix
        left_out = self.square - 2 * np.einsum("ij,jk,ik->", U, self.cross, U)
        left_out += np.einsum("ij,jk,ik->", U, self.second, U)
        scale = float(Projection(directions, budget).noise.event.noise or 0)
        return float((left_out + directions.rank * 2 * scale**2) / self.square)

    def of_constant(self, budget: PureDP, seed: int) -> float:
        """Mean of ‖x − m‖² for a noisy mean m, cut to the ranges, as a share."""
        paid = Purse(budget, SeededBits(seed)).pay(
            Noise("sums", self.layout.sums_sensitivity, budget)
        )
        middle = self.layout.centred.middle
        noisy = paid.add(self.sums, self.layout.centred.units) / (float(UNIT) * self.rows)
        m = np.clip(noisy, -middle, 1 - middle)
        return float((self.square - 2 * self.mean @ m + m @ m) / self.square)


def _first(directions: Directions, rank: int) -> Directions:
    return Directions(directions.space, directions.steps[:rank])
