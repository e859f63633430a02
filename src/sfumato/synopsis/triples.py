"""Noisy three-way tables: two columns, and bands of a number that is to be predicted."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from sfumato.numeric.arrays import Whole
from sfumato.synopsis.bins import Partition

__all__ = ["BANDS", "THREE_WAY", "Pair", "Triples", "band_values"]

THREE_WAY = "three-way tables"  # what they are called in a certificate
BANDS = 5  # of a target, at most; missing is one more

Pair = tuple[int, int]  # columns, by their place in a partition


@dataclass(frozen=True, eq=False)
class Triples:
    """Tables of pairs within bands of the target, in the order in which they were chosen."""

    target: int  # a column
    band: Whole  # of each of its bins
    tables: Mapping[Pair, Whole]  # by band, cell of the first column, cell of the second

    @property
    def bands(self) -> int:
        """How many there are."""
        return int(self.band.max(initial=-1)) + 1

    def to_json(self) -> dict[str, Any]:
        """What a synopsis says of them."""
        return {
            "bands": self.band.tolist(),
            "triples": [
                {"columns": list(pair), "counts": table.tolist()}
                for pair, table in self.tables.items()
            ],
        }

    def fit(self, partition: Partition) -> bool:
        """Whether bands are runs of the target's bins, and tables have the cells they call for.

        Missing is no bin of the numbers: it is a band by itself.
        """
        column, bins = partition.columns[self.target], np.diff(partition.offset)
        if self.band.shape != (column.bins,) or not column.fine.ordered:
            return False
        steps, numbers = np.diff(self.band), int(column.group[column.fine.ordered - 1]) + 1
        in_runs = self.band[0] == 0 and bool(np.isin(steps, (0, 1)).all())
        return (
            in_runs
            and self.band[numbers - 1] < BANDS
            and bool((steps[numbers - 1 :] == 1).all())
            and all(
                0 <= i < j < len(bins)
                and self.target not in (i, j)
                and table.shape == (self.bands, bins[i], bins[j])
                for (i, j), table in self.tables.items()
            )
        )


def band_values(band: Whole, numbers: int) -> tuple[int, ...]:
    """Whole numbers for the bands of so many bins, from low to high about 0; 0 for missing.

    >>> band_values(np.array([0, 0, 1, 2, 3]), 4)
    (-2, 0, 2, 0)
    """
    ordered = int(band[numbers - 1]) + 1
    values = [2 * t - (ordered - 1) for t in range(ordered)]
    return (*values, *[0] * (int(band.max()) + 1 - ordered))
