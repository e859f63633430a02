"""Numbers and dates in few bins, with as many released rows in each; levels as they are.

Bins come from the release, so an attacker can form them.

>>> from sfumato.schema import Schema
>>> domain = Domain.of(Schema.of({"name": "t", "columns": {
...     "age": {"kind": "integer", "low": 0, "high": 99}, "sick": {"kind": "boolean"}}}))
>>> released = np.array([[age, 0] for age in range(0, 100, 5)], np.int32)
>>> bins_of(domain, released)(np.array([[3, 1], [97, 0]], np.int32)).tolist()
[[0, 1], [9, 0]]
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from sfumato.numeric.arrays import Codes
from sfumato.schema.domain import MISSING, Domain, Grid

__all__ = ["BINS_OF_A_NUMBER", "Cells", "bins_of"]

BINS_OF_A_NUMBER = 10  # or of a date; missing is one more

Cells = NDArray[np.int64]  # a row for each record, the bin of each column


def bins_of(domain: Domain, released: Codes) -> Callable[[Codes], Cells]:
    """The bin of each value of a record; missing has one of its own."""
    edges: dict[int, Codes] = {}
    for j, axis in enumerate(domain.axes):
        known = released[released[:, j] != MISSING, j]
        if isinstance(axis, Grid) and axis.points >= BINS_OF_A_NUMBER and len(known):
            shares = np.arange(1, BINS_OF_A_NUMBER) / BINS_OF_A_NUMBER
            edges[j] = np.unique(np.quantile(known, shares, method="lower"))

    def bins(codes: Codes) -> Cells:
        found = codes.astype(np.int64)
        for j, cuts in edges.items():
            found[:, j] = np.searchsorted(cuts, codes[:, j], "right")
        found[codes == MISSING] = BINS_OF_A_NUMBER
        return found

    return bins
