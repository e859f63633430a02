"""Columns of the design matrix: what a moment, a direction or a sampled record speaks of.

A grid column is one feature (code / points, in [0, 1]); where missing is declared it
gets a second one, the flag, and a missing value stands at the middle of its range.  A
column of two levels is one 0/1 feature; of three or more, a block of dummies; of one
level, nothing.  `unit` is the whole number that stands for 1.

>>> from sfumato.schema import Schema
>>> features = Features.of(Domain.of(Schema.of({"name": "t", "columns": {
...     "age": {"kind": "integer", "low": 0, "high": 110},
...     "ward": {"kind": "category", "values": ["a", "b", "c"]}}})))
>>> features.units.tolist(), features.continuous, features.binary, features.blocks
([110, 1, 1, 1], 1, 0, 1)
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import SchemaError
from sfumato.schema.domain import MISSING, Domain, Grid

__all__ = ["Features"]

_MOST_PRODUCTS = 2**13  # features whose products are kept: half a GiB for each matrix


@dataclass(frozen=True, slots=True)
class _Feature:
    axis: int
    unit: int
    level: int | None = None  # the level a 0/1 feature points at; MISSING for a flag
    block: int | None = None  # dummies of one column share a block


@dataclass(frozen=True)
class Features:
    """The features of a domain, in the order of its axes."""

    domain: Domain
    items: tuple[_Feature, ...]

    @classmethod
    def of(cls, domain: Domain, *, without: Iterable[int] = ()) -> "Features":
        """All features, leaving out those of the axes in `without` (a label, say)."""
        items: list[_Feature] = []
        for position, axis in enumerate(domain.axes):
            if position in without:
                continue
            if isinstance(axis, Grid):
                items.append(_Feature(position, axis.points))
                if axis.missing:
                    items.append(_Feature(position, 1, level=MISSING))
            elif axis.codes == 2:
                items.append(_Feature(position, 1, level=1))
            elif axis.codes > 2:
                items += [_Feature(position, 1, k, block=position) for k in range(axis.codes)]
        return cls(domain, tuple(items))

    def __len__(self) -> int:
        return len(self.items)

    def check_products(self) -> None:
        """Refuse features of which all products would take more memory than there is."""
        if len(self.items) > _MOST_PRODUCTS:
            raise SchemaError(
                f"columns and their values make {len(self.items):,} features, and all their "
                f"products are kept: at most {_MOST_PRODUCTS:,}; choose mosaic, or fewer values"
            )

    @cached_property
    def names(self) -> tuple[str, ...]:
        """A name for each feature: the column, and the level where there is one."""
        return tuple(self._name(item) for item in self.items)

    def _name(self, item: _Feature) -> str:
        axis = self.domain.axes[item.axis]
        if item.level is None:
            return axis.name
        if item.level == MISSING or isinstance(axis, Grid) or item.level >= len(axis.values):
            return f"{axis.name}=(missing)"
        return f"{axis.name}={axis.values[item.level]}"

    @cached_property
    def units(self) -> NDArray[np.int64]:
        """The whole number that stands for 1 in each feature."""
        return np.array([item.unit for item in self.items], np.int64)

    @cached_property
    def blocks(self) -> int:
        """How many one-hot blocks there are."""
        return len({item.block for item in self.items} - {None})

    @cached_property
    def binary(self) -> int:
        """How many features take only 0 and 1 and belong to no block."""
        return sum(item.unit == 1 and item.block is None for item in self.items)

    @cached_property
    def continuous(self) -> int:
        """How many features take values between 0 and 1."""
        return sum(item.unit > 1 for item in self.items)

    @cached_property
    def fixed(self) -> NDArray[np.bool_]:
        """Products that structure fixes, so that releasing them would waste budget.

        The square of a 0/1 feature is the feature; two dummies of a block are never both
        1; a value times its own missing flag is the middle of the range times the flag.
        """
        block = np.array([-1 if i.block is None else i.block for i in self.items])
        same_block = (block[:, None] == block) & (block >= 0)
        axis = np.array([item.axis for item in self.items])
        own_flag = (axis[:, None] == axis) & ~np.eye(len(axis), dtype=bool)
        fixed: NDArray[np.bool_] = same_block | own_flag | np.diag(self.units == 1)
        return fixed

    def design(self, codes: NDArray[np.int32]) -> NDArray[np.float64]:
        """NOT PRIVATE if the codes are: whole-number design matrix, one row per record."""
        X = np.empty((len(codes), len(self.items)), order="F")
        for j, item in enumerate(self.items):
            column = codes[:, item.axis]
            if item.level is not None:
                X[:, j] = column == item.level
            else:
                axis = self.domain.axes[item.axis]
                assert isinstance(axis, Grid)  # noqa: S101  only grids have units without levels
                X[:, j] = (
                    np.where(column == MISSING, axis.middle, column) if axis.missing else column
                )
        return X
