"""What can be said against one value of a record, in place of reading it as it stands.

>>> Complaint.NOT_LISTED.words
'not listed'
"""

from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from sfumato.numeric.arrays import Mask, Vector

__all__ = ["TORN", "Complaint", "Complaints", "against_numbers", "against_unread"]

# Said of batches of a text file: where a value is null, its row had too many or too few fields.
TORN = {b"sfumato": b"nulls are torn rows"}

Complaints = NDArray[np.uint8]  # of records, a row each and a column per axis


class Complaint(IntEnum):
    """Why a value does not fit its column; every value has exactly one of these."""

    FITS = 0
    UNREADABLE = 1  # there is a value, but it cannot be read as the kind of the column
    BELOW = 2  # the range
    ABOVE = 3  # the range
    NOT_LISTED = 4  # among the values, and `other` is not declared
    MISSING = 5  # and `missing: allowed` is not declared

    @property
    def words(self) -> str:
        """As a person would say it."""
        return self.name.lower().replace("_", " ")


def against_unread(absent: Mask, *, allowed: bool) -> Complaints:
    """What is said against values that could not be read, by whether there was any."""
    missing = Complaint.FITS if allowed else Complaint.MISSING
    return np.where(absent, missing, Complaint.UNREADABLE).astype(np.uint8)


def against_numbers(values: Vector, low: float, high: float, slack: float) -> Complaints:
    """What is said against numbers that could be read; infinities lie outside.

    `slack`: how far beyond an end a number lies that was meant to be that end, such as 0.1 kept
    in 32 bits.

    >>> against_numbers(np.array([-1.0, 0.5, np.inf]), 0.0, 1.0, 0.0).tolist()
    [2, 0, 3]
    """
    found = np.zeros(len(values), np.uint8)
    found[values < low - slack] = Complaint.BELOW
    found[values > high + slack] = Complaint.ABOVE
    return found
