"""Released directions on a whole-number scale, and how far one record moves along them."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.privacy.sensitivity import Sensitivity, root
from sfumato.synopsis.centred import Centred
from sfumato.synopsis.features import Features

__all__ = ["EXACT_RANK", "UNIT", "Directions"]

EXACT_RANK = 12  # 2^11 sign vectors; beyond it the certified bound is used
UNIT = 2**34  # coordinates count steps of 1/unit


@dataclass(frozen=True)
class Directions:
    """Directions as whole numbers: coordinate k is Σ_j steps[k, j] whole_j / unit.

    The whole numbers are those of the design matrix of `space`: plain features, or
    centred ones, which may be bound to a ball.
    """

    space: Features | Centred
    steps: NDArray[np.int64]
    unit: ClassVar[int] = UNIT

    @classmethod
    def of(cls, space: Features | Centred, U: NDArray[np.float64]) -> "Directions":
        """The nearest whole-number directions to the rows of U (features in [0, 1])."""
        return cls(space, np.rint(U * (UNIT / space.units)).astype(np.int64))

    @property
    def features(self) -> Features:
        """The features themselves, however they are centred."""
        return self.space.features if isinstance(self.space, Centred) else self.space

    @property
    def radius(self) -> Fraction | None:
        """The ball that records are bound to, if they are."""
        return self.space.radius if isinstance(self.space, Centred) else None

    @property
    def rank(self) -> int:
        """How many directions there are."""
        return len(self.steps)

    @cached_property
    def matrix(self) -> NDArray[np.float64]:
        """The directions in real units, one per row: what a coordinate really is."""
        return np.asarray(self.steps * self.space.units / self.unit)

    @cached_property
    def sensitivity(self) -> Sensitivity:
        """ℓ₁ and squared ℓ₂ distance between the coordinates of two records, in real units."""
        widest = Fraction(self._exact_l1()) if self.rank <= EXACT_RANK else self._certified_l1()
        if self.radius is not None:
            widest = min(widest, root(self.rank * self._certified_l2()))
        return Sensitivity(widest / self.unit, self._certified_l2() / self.unit**2)

    @cached_property
    def _moves(self) -> tuple[NDArray[np.int64], list[NDArray[np.int64]]]:
        """What a full move of each feature outside blocks does, and each block's dummies."""
        whole = self.steps * self.space.units  # about unit × U: far from 64 bits
        block = [item.block for item in self.features.items]
        single = [j for j, b in enumerate(block) if b is None]
        names = sorted({b for b in block if b is not None})
        blocks = [whole[:, [j for j, b in enumerate(block) if b == which]] for which in names]
        if self.radius is not None:
            # Drawn in, a dummy is some s ≤ 1: a block moves by s e_a − s' e_b, whose corners are
            # e_a − e_b, e_a and − e_b, so the origin counts as one more level.
            blocks = [np.pad(dummies, ((0, 0), (0, 1))) for dummies in blocks]
        return whole[:, single], blocks

    def _exact_l1(self) -> int:
        """Maximum over the sign vectors; the first sign may be fixed."""
        single, blocks = self._moves
        signs = _signs(self.rank)
        total = np.abs(signs @ single).sum(axis=1)
        for dummies in blocks:
            w = signs @ dummies
            total += w.max(axis=1) - w.min(axis=1)
        return int(total.max())

    def _certified_l1(self) -> Fraction:
        """The smaller of two bounds: by the triangle inequality, and by Cauchy and Schwarz."""
        single, blocks = self._moves
        total = int(np.abs(single).sum())
        for dummies in blocks:
            gaps = np.abs(dummies[:, :, None] - dummies[:, None, :]).sum(axis=0)
            total += int(gaps.max())
        return min(Fraction(total), root(self.rank * self._certified_l2()))

    def _certified_l2(self) -> Fraction:
        """‖V δ‖² ≤ ‖V‖² ‖δ‖², with ‖V‖² at most the largest absolute row sum of V Vᵀ."""
        single, blocks = self._moves
        V = np.concatenate([single, *blocks], axis=1).astype(object)  # squares pass 64 bits
        norm = max(int(row) for row in np.abs(V @ V.T).sum(axis=1))
        square = Fraction(single.shape[1] + 2 * len(blocks))
        if self.radius is not None:
            square = min(square, 4 * self.radius**2)  # two records of a ball
        return norm * square


def _signs(rank: int) -> NDArray[np.int64]:
    """All sign vectors that begin with +1."""
    rest = (np.arange(2 ** (rank - 1))[:, None] >> np.arange(rank - 1)) & 1
    return np.hstack([np.ones((len(rest), 1), np.int64), 1 - 2 * rest])
