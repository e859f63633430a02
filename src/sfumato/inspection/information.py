"""NOT PRIVATE: how much a release tells, and how far its distributions are from the records'.

Every measure counts records in public cells: a category or boolean has one cell per level,
a number, integer or date `BINS` cells over its public range, as equal as its codes allow
(fewer if it has fewer codes), and missing, where declared, one more.  No cell depends on
the records.  The scores are for the owner alone; `sfumato.inspection` says why.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import DataError, ParameterError
from sfumato.inspection.utility import AnySchema, domain_of, encoded
from sfumato.numeric.arrays import Codes
from sfumato.schema.domain import MISSING, Axis, Domain, Grid

__all__ = ["BINS", "SMOOTHING", "Cells", "Distances", "entropy", "kl_divergence", "total_variation"]

BINS = 20
SMOOTHING = 1e-3

Shares = NDArray[np.float64]


@dataclass(frozen=True)
class Distances:
    """Total variation of each column or pair of columns, the worst first."""

    by_columns: Mapping[tuple[str, ...], float]

    @property
    def mean(self) -> float:
        """The average over all columns or pairs."""
        return float(np.mean(list(self.by_columns.values())))

    @property
    def worst(self) -> tuple[tuple[str, ...], float]:
        """The column or pair that is farthest off, and how far."""
        return next(iter(self.by_columns.items()))


def entropy(release: Any, schema: AnySchema) -> float:
    """NOT PRIVATE if `release` is not: bits of information per record, column by column.

    The sum over columns of the Shannon entropy −Σ p log₂ p of their cells, that is, the
    entropy of a record whose columns are drawn independently.  The joint entropy of whole
    records is not used: with more cells than records its estimate says log₂ n and nothing
    else.

    >>> import pyarrow as pa
    >>> schema = {"name": "t", "columns": {
    ...     "ward": {"kind": "category", "values": ["a", "b", "c", "d"]},
    ...     "smoker": {"kind": "boolean"}}}
    >>> entropy(pa.table({"ward": ["a", "b", "c", "d"], "smoker": [True] * 4}), schema)
    2.0
    """
    cells = Cells.of(release, domain_of(schema))
    total = 0.0
    for column in range(len(cells.sizes)):
        p = cells.shares((column,))
        p = p[p > 0]
        total -= float(p @ np.log2(p))
    return total + 0.0  # never -0.0


def kl_divergence(
    release: Any, original: Any, schema: AnySchema, *, smoothing: float = SMOOTHING
) -> float:
    """NOT PRIVATE: D(P ‖ Q) in bits, P the release and Q the original, summed over columns.

    Both sides are first mixed with the uniform distribution, p ← (1 − s) p + s / cells with
    s = `smoothing`, because a released value that no record had would else make it infinite.
    It is 0 exactly when every column has the same shares on both sides.

    >>> import pyarrow as pa
    >>> schema = {"name": "t", "columns": {"smoker": {"kind": "boolean"}}}
    >>> fair, loaded = pa.table({"smoker": [True, False]}), pa.table({"smoker": [True, True]})
    >>> kl_divergence(fair, fair, schema), round(kl_divergence(loaded, fair, schema), 2)
    (0.0, 0.99)
    """
    if not 0 < smoothing < 1:
        raise ParameterError(f"smoothing must lie between 0 and 1, got {smoothing!r}")
    domain = domain_of(schema)
    ours, theirs = Cells.of(release, domain), Cells.of(original, domain)
    total = 0.0
    for column, size in enumerate(ours.sizes):
        p, q = (
            (1 - smoothing) * side.shares((column,)) + smoothing / size for side in (ours, theirs)
        )
        total += float(p @ np.log2(p / q))
    return max(total, 0.0)  # rounding may leave it a hair below


def total_variation(release: Any, original: Any, schema: AnySchema, *, ways: int = 1) -> Distances:
    """NOT PRIVATE: ½ Σ |p − q| over the cells of every column, or of every pair (`ways=2`).

    It is the largest difference, over all sets of cells, between what the release and the
    records say is their share: 0 if equal, 1 if they have nothing in common.

    >>> import pyarrow as pa
    >>> schema = {"name": "t", "columns": {
    ...     "a": {"kind": "boolean"}, "b": {"kind": "boolean"}}}
    >>> same = pa.table({"a": [True, False], "b": [True, False]})
    >>> crossed = pa.table({"a": [True, False], "b": [False, True]})
    >>> total_variation(crossed, same, schema).mean
    0.0
    >>> total_variation(crossed, same, schema, ways=2).worst
    (('a', 'b'), 1.0)
    """
    if ways not in (1, 2):
        raise ParameterError(f"ways must be 1 (columns) or 2 (pairs of columns), got {ways!r}")
    domain = domain_of(schema)
    if len(domain.axes) < ways:
        raise ParameterError("ways=2 needs at least two released columns: use ways=1")
    ours, theirs = Cells.of(release, domain), Cells.of(original, domain)
    found = {
        tuple(domain.axes[c].name for c in columns): float(
            np.abs(ours.shares(columns) - theirs.shares(columns)).sum() / 2
        )
        for columns in combinations(range(len(domain.axes)), ways)
    }
    return Distances(dict(sorted(found.items(), key=lambda item: -item[1])))


@dataclass(frozen=True)
class Cells:
    """NOT PRIVATE: the public cell of each record in each column."""

    cells: NDArray[np.int64]
    sizes: tuple[int, ...]

    @classmethod
    def of(cls, data: Any, domain: Domain) -> "Cells":
        """Counted in the cells of the schema; a table without records is refused."""
        codes = encoded(data, domain)
        if not len(codes):
            raise DataError("a table without records has no distribution to compare")
        return cls.of_codes(codes, domain)

    @classmethod
    def of_codes(cls, codes: Codes, domain: Domain) -> "Cells":
        """Of records that were read before."""
        columns = [_cell(axis, codes[:, j]) for j, axis in enumerate(domain.axes)]
        cells = np.empty((len(codes), len(columns)), np.int64, order="F")
        for j, (cell, _) in enumerate(columns):
            cells[:, j] = cell
        return cls(cells, tuple(size for _, size in columns))

    def counts(self, columns: tuple[int, ...]) -> NDArray[np.int64]:
        """Records in every joint cell of these columns."""
        joint, size = np.zeros(len(self.cells), np.int64), 1
        for column in columns:
            joint = joint * self.sizes[column] + self.cells[:, column]
            size *= self.sizes[column]
        return np.bincount(joint, minlength=size)

    def shares(self, columns: tuple[int, ...]) -> Shares:
        """Share of the records in every joint cell of these columns."""
        shares: Shares = self.counts(columns) / len(self.cells)
        return shares


def _cell(axis: Axis, codes: Codes) -> tuple[NDArray[np.int64], int]:
    wide = codes.astype(np.int64)
    if not isinstance(axis, Grid):
        return wide, axis.codes
    bins = min(BINS, axis.points + 1)
    cells = wide * bins // (axis.points + 1)
    return np.where(wide == MISSING, bins, cells), bins + axis.missing
