"""Weights as whole numbers of a binary step, so that lengths are added without rounding.

The step is the finest power of two for which every path length of the published network
stays below 2⁵³ steps.  Such sums are exact in double precision too: whoever looks for
shortest paths in the release, with whatever program, finds the ones that were kept.

Weights that people write have few decimals, and 0.1 + 0.2 is as long as 0.3.  So that it stays
so, such weights count whole numbers of their last decimal, each of as many steps.
"""

from dataclasses import dataclass
from math import floor, frexp

import numpy as np

from sfumato.errors import DataError
from sfumato.graph.network import Indices, Topology, Weights

__all__ = ["LONGEST", "FixedPoint", "Units"]

Units = Indices  # whole numbers of steps
LONGEST = 2**53  # steps of a path, the last whole number that floats reach one by one
_LARGEST = 2.0**1000
_MOST_DECIMALS = 6
_FEW = 1000
_ROUNDING = 2.0**-50  # of a number that was written in decimals and read as a float
_LEAST = 2**10  # steps in the smallest weight: a change of a thousandth can still be told


@dataclass(frozen=True)
class FixedPoint:
    """A step of 2^exponent; `decimals` of the weights, where they have only so many.

    >>> grid = FixedPoint(-4)
    >>> grid.units(np.array([1.0, 0.3])).tolist()
    [16, 5]
    >>> grid.weights(np.array([16, 5])).tolist()
    [1.0, 0.3125]
    >>> one, two, three = FixedPoint(-40, decimals=1).units(np.array([0.1, 0.2, 0.3]))
    >>> bool(one + two == three)
    True
    """

    exponent: int
    decimals: int | None = None

    @classmethod
    def of(cls, topology: Topology, weight: Weights, growth: float = 2.0) -> "FixedPoint":
        """The finest step for weights that may grow by this factor."""
        # A shortest path is simple: it has at most size - 1 edges, each taken once.
        most = min(topology.edges, topology.size - 1)
        if not float(weight.max()) < _LARGEST:
            raise DataError(
                "the weights are too large to be added up: divide them all by one number"
            )
        heaviest = np.partition(weight, len(weight) - most)[len(weight) - most :]
        longest = growth * float(heaviest.sum())
        exponent = frexp(longest)[1] - 53  # longest < 2^(exponent + 53)
        if not float(weight.min()) >= _LEAST * 2.0**exponent:
            raise DataError(
                "the weights lie too many powers of ten apart for exact path lengths: the "
                "smallest would vanish beside the longest path; rescale or drop tiny weights"
            )
        return cls(exponent, _decimals(weight, 2.0**exponent))

    @property
    def step(self) -> float:
        """The step in the owner's units."""
        return float(2.0**self.exponent)

    def units(self, weight: Weights) -> Units:
        """The nearest whole number of steps, or of decimals."""
        if self.decimals is None:
            return np.rint(np.ldexp(weight, -self.exponent)).astype(np.int64)
        each = floor(10.0**-self.decimals / self.step)
        return np.rint(weight * 10.0**self.decimals).astype(np.int64) * each

    def weights(self, units: Units) -> Weights:
        """Steps as weights, without rounding."""
        return np.ldexp(units.astype(np.float64), self.exponent)


def _decimals(weight: Weights, step: float) -> int | None:
    """How many decimals all weights have, if few enough for a decimal to be many steps.

    None for weights that are whole numbers of steps: these need no rounding at all.
    """
    parts = (weight[:_FEW], weight)  # a few first: where one fails, most do
    if all(np.all(np.rint(some / step) == some / step) for some in parts):
        return None
    for decimals in range(_MOST_DECIMALS + 1):
        if 10.0**-decimals < _LEAST * step:
            return None
        if all(_whole(some * 10.0**decimals) for some in parts):
            return decimals
    return None


def _whole(counted: Weights) -> bool:
    """Whether these are whole numbers, but for how decimals are read as floats."""
    return bool(np.all(np.abs(counted - np.rint(counted)) <= _ROUNDING * counted))
