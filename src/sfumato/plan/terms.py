"""What is to be published and at which price, for whatever kind of data: public facts alone.

Ledger and certificate are written from it, and `sfumato verify` builds it again.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from sfumato.ledger.table_part import TablePart
from sfumato.privacy.budget import Budget
from sfumato.privacy.guarantee import Guarantee, to_json
from sfumato.privacy.mechanism import Event

__all__ = ["FitTerms", "ReleaseTerms", "protection"]


def protection(unit: str, neighbours: str) -> str:
    """What a promise is about, in one line: budgets are added up only where this is the same.

    >>> protection("one record (row) of the table", "replace-one")
    'one record (row) of the table; replace-one'
    """
    return f"{unit}; {neighbours}"


@dataclass(frozen=True)
class FitTerms:
    """That a release begins with counts of what does not fit, and may stop there."""

    cost: Guarantee
    decided: Mapping[str, str]  # the share of the budget, and of the records that are let pass


@dataclass(frozen=True, eq=False)
class ReleaseTerms:
    """A plan as others see it; nothing in it depends on a private value."""

    method: str
    options: Mapping[str, Any]  # the same again give the same plan
    budget: Budget | None  # what the noise was planned for
    guarantee: Guarantee  # the budget, or plainly nothing
    events: tuple[Event, ...]
    subject: Mapping[str, Any]  # dataset, unit, neighbours, and what the data is
    columns: pa.Schema | None  # of the data file, where they are not those of a schema
    invariants: tuple[str, ...]  # published as they are
    caveats: tuple[str, ...] = field(repr=False)  # what a reader is to bear in mind
    part: TablePart | None = None  # the records that are used, as the ledger tells parts apart
    fit: FitTerms | None = None
    doubt: str | None = None  # why the release is expected to be hardly better than guessing

    @property
    def dataset(self) -> str:
        """What the ledger counts under."""
        return str(self.subject["dataset"])

    @property
    def protects(self) -> str:
        """Unit and neighbours, as the ledger keeps them apart."""
        return protection(str(self.subject["unit"]), str(self.subject["neighbours"]))

    def digest(self) -> str:
        """A fingerprint of everything that was decided before a private value was read."""
        decided = {
            "method": self.method,
            "options": dict(self.options),
            "subject": dict(self.subject),
            "guarantee": to_json(self.guarantee),
            "events": [event.to_json() for event in self.events],
        }
        if self.fit is not None:
            decided["fit"] = dict(self.fit.decided)
        return hashlib.sha256(json.dumps(decided, sort_keys=True).encode()).hexdigest()
