"""How far a release has come, and which step may follow which: for the auditor."""

from typing import NamedTuple

from sfumato.ledger.table_part import TablePart
from sfumato.privacy.budget import Charge

__all__ = ["BEFORE", "Step"]

# The events of which one must stand last under a release for this one to follow.
BEFORE: dict[str, tuple[str | None, ...]] = {
    "reserve": (None,),
    "part": (None,),
    "draw": ("reserve", "part"),
    "refund": ("reserve",),
    "settle": ("draw",),
    "stop": ("draw",),
    "inspect": ("settle",),
}


class Step(NamedTuple):
    """How far a release has come."""

    kind: str | None
    dataset: str
    amount: Charge
    part: TablePart | None = None  # of the table, that its release reads
    rest: Charge | None = None  # what a stop gives back, where it may stop
    charged: int = 0  # its first line
