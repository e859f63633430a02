"""Types of arrays, by what they hold; NumPy's types do not tell a vector from a matrix.

>>> import numpy as np
>>> point: Vector = np.array([0.5, 2.0])
>>> counts: Whole = np.array([3, 1])
>>> (point @ np.eye(2)).dtype, (counts + counts).dtype
(dtype('float64'), dtype('int64'))
"""

import numpy as np
from numpy.typing import NDArray

__all__ = ["Array", "Codes", "Mask", "Matrix", "Vector", "Whole"]

Vector = NDArray[np.float64]  # numbers in a line
Matrix = NDArray[np.float64]  # numbers in rows and columns; of records, one per row
Array = NDArray[np.float64]  # numbers in any shape, such as tables by class and cell
Whole = NDArray[np.int64]  # counts, sums, places: whole numbers in any shape
Codes = NDArray[np.int32]  # places on public grids; of records, a row each and a column per axis
Mask = NDArray[np.bool_]  # which ones
