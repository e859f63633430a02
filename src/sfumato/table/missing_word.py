"""Where a value is one of the words that the schema declares for a missing one.

>>> from sfumato.schema import Integer
>>> age = Integer(kind="integer", low=0, high=110, missing_words=["NA", "-99"])
>>> said_missing(age, pa.array([7, -99]), np.array([7.0, -99.0])).tolist()
[False, True]
"""

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.numeric.arrays import Mask
from sfumato.schema import Date, Integer, Number
from sfumato.schema.consistent import moment_of, numbers_of
from sfumato.schema.written_number import written_in
from sfumato.table.read_levels import named
from sfumato.table.read_numbers import numbers
from sfumato.table.stored import among

__all__ = ["said_missing"]


def said_missing(
    declared: Number | Integer | Date, column: pa.Array, found: NDArray[Any]
) -> Mask | None:
    """NOT PRIVATE: for each value, stored or written, whether it is such a word.

    `found` are the numbers or moments that the column was read as; None where there are no words.
    """
    words = declared.missing_words or ()
    if not words:
        return None
    if not isinstance(declared, Date):
        said = numbers_of(words, written_in(declared))
        return among(column, words) | np.isin(found, np.array(list(said), np.float64))
    dates = {moment_of(word, declared.format) for word in words} - {None}
    told = among(column, words) | np.isin(found, np.array(list(dates), "datetime64[s]"))
    return told | named(numbers(column), words)
