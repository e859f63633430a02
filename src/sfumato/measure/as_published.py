"""LIP and LOP as they were printed (Xu et al. 2019).  NOT PRIVATE, whatever the noise.

Both papers' algorithms work on records in the unit ball and add Laplace noise in one place:

    LIP, Algorithm 1   noise 2d/(nε) on Xᵀ X / n, then Z = X V' V'ᵀ: the records themselves are
                       projected without noise, so the zero record comes back as zero and
                       hardly any other does;
    LOP, Algorithm 2   noise 2d/ε on the coordinates X V, but V are the components of the very
                       records, without noise, and every row of Z lies in their span.

So two neighbouring tables can give releases that never agree (total variation distance
1), at every ε: `docs/proofs/lip.md`, `docs/proofs/lop.md`.  The code is here to be compared
with, under the label `Heuristic`; the noise it does add is exact all the same.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from sfumato.measure.projection import Projection
from sfumato.measure.scatter import exact_scatter
from sfumato.numeric.arrays import Codes, Matrix, Whole
from sfumato.privacy.guarantee import Heuristic, PureDP
from sfumato.privacy.keyed import NoiseKey
from sfumato.privacy.mechanism import Event, Noise, Purse
from sfumato.privacy.sensitivity import Sensitivity, root
from sfumato.synopsis.centred import UNIT, Centred
from sfumato.synopsis.directions import Directions
from sfumato.synopsis.scatter import ScatterLayout
from sfumato.table.mapped import Mapped
from sfumato.table.records import Records

__all__ = ["AsPublished", "lip", "lop"]


@dataclass(frozen=True)
class AsPublished:
    """NOT PRIVATE: the two statistics of a printed algorithm; None stands for no noise.

    A claim is how far the paper says that one record moves the statistic.
    """

    space: Centred
    budget: PureDP
    cost: Heuristic
    claimed_moments: Fraction | None
    claimed_records: Fraction | None

    @property
    def events(self) -> tuple[Event, ...]:
        """Both statistics with the noise that the paper gives them, at no promise."""
        moments = self._noise("second moments", self.claimed_moments)
        records = self._noise("projected records", self.claimed_records)
        return self._event("second moments", moments), self._event("projected records", records)

    def check(self) -> None:
        """Refuse noise that cannot be drawn, before anything is read."""
        for claimed, unit in (
            (self.claimed_moments, UNIT**2),
            (self.claimed_records, Directions.unit),
        ):
            noise = self._noise("records", claimed)
            if noise is not None:
                noise.check(unit)

    def second(self, records: Records, purse: Purse) -> Matrix:
        """NOT PRIVATE without noise: mean of z zᵀ; noise on the upper triangle, copied below."""
        bits = purse.spend(self.events[0])
        exact = exact_scatter(ScatterLayout(self.space, "replace-one"), records)
        triangle = np.triu_indices(len(self.space))
        entries = exact.second[triangle]
        noise = self._noise("second moments", self.claimed_moments)
        if noise is not None:
            entries = entries + noise.draw(np.full(len(entries), UNIT**2), bits)
        A = np.zeros(exact.second.shape)
        A[triangle] = entries / (float(UNIT) ** 2 * max(exact.rows, 1))
        return np.asarray(A + np.triu(A, 1).T)

    def coordinates(self, directions: Directions, records: Records, purse: Purse) -> Mapped[Matrix]:
        """NOT PRIVATE: every record along the directions, in order."""
        noise = self._noise("projected records", self.claimed_records)
        key = purse.spend_by_part(self.events[1])
        return records.map(_Printed(Projection(directions, self.budget), noise, key))

    def _noise(self, statistic: str, claimed: Fraction | None) -> Noise | None:
        if claimed is None:
            return None
        return Noise(statistic, Sensitivity(claimed, claimed), self.budget)

    def _event(self, statistic: str, noise: Noise | None) -> Event:
        if noise is None:
            return Event(statistic, "exact", None, None, self.cost)
        event = noise.event
        return Event(statistic, event.mechanism, event.sensitivity, event.noise, self.cost)


@dataclass(frozen=True, eq=False)
class _Printed:
    """NOT PRIVATE: coordinates under the noise that the paper gives them, if any."""

    projection: Projection
    noise: Noise | None
    key: NoiseKey

    def __call__(self, number: int, codes: Codes, /) -> Matrix:
        Y: Whole = self.projection.query(codes)
        unit = self.projection.directions.unit
        if self.noise is not None:
            Y = Y + self.noise.draw(np.full(Y.shape, unit), self.key.part(number, codes))
        return np.asarray(Y / unit)


def lip(space: Centred, budget: PureDP) -> AsPublished:
    """Algorithm 1: the claim 2d of the unit ball, at the scale of the records."""
    reason = (
        "the rows are projected on noisy components without any noise of their own, so that a "
        "record at the centre is told apart from others with certainty"
    )
    return AsPublished(
        space, budget, Heuristic(reason), 2 * len(space) * space.largest_square, None
    )


def lop(space: Centred, budget: PureDP) -> AsPublished:
    """Algorithm 2: the claim 2d of the unit ball, at the scale of the records."""
    reason = (
        "the components are those of the records, without noise, and every row lies exactly in "
        "their span, which one record can turn"
    )
    radius = root(space.largest_square)
    return AsPublished(space, budget, Heuristic(reason), None, 2 * len(space) * radius)
