"""What a row weighs, in whole numbers: a person is one record of mass at most one.

A person with c rows has c · ⌊W / max(c, k₀)⌋ ≤ W tickets in any table in which each of its rows
falls into one cell, so W tickets are one record.  W follows from the public bound k on c alone.  It
is a multiple of 1 … 12, so that those weights are exact, and at least 108 k, so that the floor
takes less than c / W, 1 in 108, of a person's mass.  Noise of a count in tickets is W times that
of a count of records, which leaves the largest noise (`sfumato.privacy.noise`) far away: 2⁵⁶ holds
W < 2¹⁹, that of the largest k, at every epsilon above 2⁻³⁷.
"""

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import ParameterError
from sfumato.numeric.arrays import Whole

__all__ = ["mass", "tickets"]

_MULTIPLE, _EACH = 27_720, 256


def mass(most: int) -> int:
    """W: the tickets of a whole record, where persons have at most so many rows.

    >>> mass(64), mass(256), mass(257)
    (27720, 27720, 55440)
    """
    if most < 1:
        raise ParameterError("rows per person must be at least 1")
    return _MULTIPLE * -(-most // _EACH)


def tickets(counts: NDArray[np.integer], least: int, whole: int) -> Whole:
    """Of each row of persons with so many rows: ⌊W / max(c, k₀)⌋, and nothing above W / k₀.

    >>> tickets(np.array([0, 1, 2, 5, 64]), 2, mass(64)).tolist()
    [13860, 13860, 13860, 5544, 433]
    """
    if not 1 <= least <= whole:
        raise ParameterError(f"the least number of rows must be from 1 to {whole:,}")
    return np.asarray(whole // np.maximum(counts.astype(np.int64), least), np.int64)
