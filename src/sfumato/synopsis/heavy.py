"""Codes of a number that many records share, as noisy counts show them.

A number with more codes than fine bins may have values that are more than their bin: a cap, a
round sum, a rate fixed by law.  Of a noisy table of all codes only those above a public threshold
are kept, with their counts; they become bins of their own.

>>> from sfumato.schema import Schema
>>> from sfumato.schema.domain import Domain
>>> (axis,) = Domain.of(Schema.of({"name": "t", "columns": {
...     "gain": {"kind": "integer", "low": 0, "high": 9999}}})).axes
>>> noisy = np.zeros((1, 10_000), np.int64)
>>> noisy[0, [9, 7298]] = 3, 90
>>> found = HeavyCodes.above(40.0, noisy, Fine.of(0, axis, 512, 100), axis)
>>> found.codes.tolist(), found.counts.tolist(), found.bins.bins - found.within.bins
([7298], [[90]], 2)
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from sfumato.numeric.arrays import Whole
from sfumato.schema.domain import Grid
from sfumato.synopsis.bins import Fine
from sfumato.synopsis.whole import whole_numbers

__all__ = ["HeavyCodes"]


@dataclass(frozen=True, eq=False)
class HeavyCodes:
    """What is known of one column: its heavy codes in their order, and counts by class and code."""

    axis: Grid
    within: Fine  # bins as planned, in which the fine table is counted
    codes: Whole
    counts: Whole

    @classmethod
    def above(cls, threshold: float, noisy: Whole, within: Fine, axis: Grid) -> "HeavyCodes":
        """Post-processing of a noisy table by class and code: what is above, in any class."""
        codes = np.flatnonzero((noisy > threshold).any(axis=0))
        return cls(axis, within, codes, noisy[:, codes])

    @cached_property
    def bins(self) -> Fine:
        """The planned bins, with one for each heavy code."""
        return self.within.split(self.codes, self.axis)

    def all_above(self, threshold: float) -> bool:
        """Whether each of them had to be kept."""
        return bool((self.counts > threshold).any(axis=0).all())

    def to_json(self) -> dict[str, Any]:
        """Codes, and counts by class."""
        return {"codes": self.codes.tolist(), "counts": self.counts.tolist()}

    @classmethod
    def from_json(
        cls, record: Mapping[str, Any], within: Fine, axis: Grid, classes: int
    ) -> "HeavyCodes":
        """The inverse of `to_json`; ValueError where these are not codes in their order."""
        if (record["codes"], record["counts"]) == ([], [[]] * classes):  # nothing has no type
            codes, counts = np.empty(0, np.int64), np.empty((classes, 0), np.int64)
        else:
            codes, counts = (whole_numbers(record[name]) for name in ("codes", "counts"))
        if codes.ndim != 1 or counts.shape != (classes, len(codes)):
            raise ValueError("not whole numbers by class and code")
        inside = (np.diff(codes, prepend=-1, append=axis.points + 1) > 0).all()
        if not inside:
            raise ValueError("not codes of the column, in their order")
        return cls(axis, within, codes, counts)
