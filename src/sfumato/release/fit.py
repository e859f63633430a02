"""How well the records fitted the schema that they were read by, as a release tells it.

Each record counts once: it fits, or it stands in the cell of its first column that does not and
of what is wrong there.  The counts are under noise, like all that a release says.
"""

from dataclasses import dataclass

__all__ = ["Fit", "Misfit"]


@dataclass(frozen=True, slots=True)
class Misfit:
    """Records that do not fit in one column, for one reason; what they hold in later ones is open.

    `low` and `high` hold for all columns and complaints of a release together.
    """

    column: str
    complaint: str  # unreadable, below, above, not listed, missing
    records: int
    low: int
    high: int
    significant: bool  # more than noise alone would show


@dataclass(frozen=True, slots=True)
class Fit:
    """What a release says about the file that it was made from, beside its schema."""

    misfits: tuple[Misfit, ...]
    fitting: int  # records that fit in every column
    records: int  # how many there are; an estimate where their number is not public
