"""NOT PRIVATE: a perturbed matrix beside the original, row by row, as the matrix attacks see it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import DataError, ParameterError
from sfumato.numeric.arrays import Matrix
from sfumato.perturb.matrix import real_matrix

__all__ = ["Indices", "Pair", "elsewhere"]

Indices = NDArray[np.int64]


@dataclass(frozen=True)
class Pair:
    """The perturbed matrix P and the original A: row i of one is row i of the other."""

    P: Matrix
    A: Matrix

    @classmethod
    def of(cls, perturbed: Any, original: Any, *, same_columns: bool = False) -> "Pair":
        """Checked; `same_columns` where column j of one must stand for column j of the other."""
        P, A = real_matrix(perturbed), real_matrix(original)
        if len(P) != len(A):
            raise DataError(
                f"the perturbed matrix must have one row per record, got {len(P)} for {len(A)}"
            )
        if same_columns and P.shape[1] != A.shape[1]:
            raise DataError(
                f"both matrices must have the same columns, got {P.shape[1]} and {A.shape[1]}"
            )
        constant = np.flatnonzero(np.ptp(A, axis=0) == 0)
        if len(constant):
            raise DataError(
                f"column {', '.join(map(str, constant))} of the original (counted from 0) is "
                "constant, so there is nothing to guess: leave it out"
            )
        return cls(P, A)

    @cached_property
    def deviations(self) -> NDArray[np.float64]:
        """Standard deviation of each original column."""
        found: NDArray[np.float64] = self.A.std(axis=0)
        return found

    def known(self, known: Sequence[int] | None, least: int, seed: int) -> Indices:
        """Row numbers of the records an attacker knows; by default 2 × `least`, drawn."""
        n = len(self.A)
        if known is None:
            drawn = np.random.default_rng(seed).choice(n, min(n, 2 * least), replace=False)
            return self.known([int(row) for row in drawn], least, seed)
        if not all(isinstance(row, Integral) and 0 <= row < n for row in known):
            raise ParameterError(f"known must name rows from 0 to {n - 1}")
        rows = np.unique(np.asarray(known, np.int64))
        if len(rows) < least:
            raise ParameterError(
                f"known must name at least {least} different records, as many as there are "
                f"columns, got {len(rows)}"
            )
        return rows


def elsewhere(n: int, seed: int) -> Indices:
    """A wrong row for every row: a random order in which nobody keeps their place."""
    order = np.random.default_rng(seed).permutation(n)
    wrong = np.empty(n, np.int64)
    wrong[order] = np.roll(order, 1)
    return wrong
