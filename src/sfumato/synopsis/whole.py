"""Whole numbers of a synopsis that someone else wrote."""

from typing import Any

import numpy as np

from sfumato.numeric.arrays import Whole

__all__ = ["whole_numbers"]

_LARGEST = 2**53  # floats hold all of them, and a thousand add up in 64 bits


def whole_numbers(values: Any) -> Whole:
    """Lists of whole numbers as an array; ValueError where they are not, or are beyond 2⁵³.

    No honest count is: a plan whose noise could reach so far is refused.

    >>> whole_numbers([[1, -2]]).tolist()
    [[1, -2]]
    """
    array = np.array(values)
    if array.dtype != np.int64:
        raise ValueError("not whole numbers of 64 bits")
    if ((array > _LARGEST) | (array < -_LARGEST)).any():
        raise ValueError("beyond any count")
    return array
