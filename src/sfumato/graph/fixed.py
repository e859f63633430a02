"""Weights as whole numbers of a binary step, so that lengths are added without rounding.

The step is the finest power of two for which every path length of the published network
stays below 2⁵³ steps.  Such sums are exact in double precision too: whoever looks for
shortest paths in the release, with whatever program, finds the ones that were kept.
"""

from dataclasses import dataclass
from math import frexp

import numpy as np

from sfumato.errors import DataError
from sfumato.graph.network import Indices, Topology, Weights

__all__ = ["LONGEST", "FixedPoint", "Units"]

Units = Indices  # whole numbers of steps
LONGEST = 2**53  # steps of a path, the last whole number that floats reach one by one
_LEAST = 2**10  # steps in the smallest weight: a change of a thousandth can still be told


@dataclass(frozen=True)
class FixedPoint:
    """A step of 2^exponent.

    >>> grid = FixedPoint(-4)
    >>> grid.units(np.array([1.0, 0.3])).tolist()
    [16, 5]
    >>> grid.weights(np.array([16, 5])).tolist()
    [1.0, 0.3125]
    """

    exponent: int

    @classmethod
    def of(cls, topology: Topology, weight: Weights, growth: float = 2.0) -> "FixedPoint":
        """The finest step for weights that may grow by this factor."""
        # A shortest path is simple: it has at most size - 1 edges, each taken once.
        most = min(topology.edges, topology.size - 1)
        longest = growth * float(np.sort(weight)[-most:].sum())
        exponent = frexp(longest)[1] - 53  # longest < 2^(exponent + 53)
        if not float(weight.min()) >= _LEAST * 2.0**exponent:
            raise DataError(
                "the weights lie too many powers of ten apart for exact path lengths: the "
                "smallest would vanish beside the longest path; rescale or drop tiny weights"
            )
        return cls(exponent)

    @property
    def step(self) -> float:
        """The step in the owner's units."""
        return float(2.0**self.exponent)

    def units(self, weight: Weights) -> Units:
        """The nearest whole number of steps."""
        return np.rint(np.ldexp(weight, -self.exponent)).astype(np.int64)

    def weights(self, units: Units) -> Weights:
        """Steps as weights, without rounding."""
        return np.ldexp(units.astype(np.float64), self.exponent)
