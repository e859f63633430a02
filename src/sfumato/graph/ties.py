"""Where several shortest paths are equally long, one is chosen at random and made the only one.

Weights that people write (1, 2, 3 …) tie all the time.  Each weight is raised by a few
steps, too few to put any longer path ahead of a shortest one, and enough to tell the
shortest ones apart.
"""

import numpy as np
from numpy.random import Generator

from sfumato.graph.fixed import Units

__all__ = ["told_apart"]

_LEAST = 2**6  # steps, where weights have no common divisor and ties are accidents of rounding


def told_apart(units: Units, longest: int, rng: Generator, least: int = _LEAST) -> Units:
    """Weights among which hardly any two paths are equally long.

    `longest` is the length, in steps, of the longest shortest path that matters: none of
    its ties has more than longest / smallest weight edges, and lengths differ by at least
    the common divisor of all weights, so that no order of unequal lengths is turned.

    >>> rng = np.random.default_rng(1)
    >>> told_apart(np.array([2**20, 2**21, 2**20]), 2**21, rng) - [2**20, 2**21, 2**20]
    array([165391, 178894, 263949])
    """
    divisor, hops = int(np.gcd.reduce(units)), longest // int(units.min()) + 1
    return units + rng.integers(0, max(least, divisor // hops), len(units))
