"""A release of made-up records: what is measured, at which noise, before a record is read.

How far noise moves a figure does not depend on the records it is added to; which figures there
are depends on them at most through bins that are found from noisy counts.  So whoever asks a
release of made-up records how near it is to the truth learns how near one of real records will be.

Made-up records are spread over what the schema allows, each column by itself: evenly, or heaped
at its beginning; where bins are found from noisy counts, one may find more of them than the other.
There are never more than some thousand: they are counted as often as there are to be records,
which takes as long for a hundred million as for five thousand.

>>> from sfumato.publishing.table import price
>>> plan = price({"name": "t", "columns": {"a": {"kind": "boolean"}}}, epsilon=1)
>>> rehearsed(plan, 45_000).synopsis["rows"]
45000
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa

from sfumato.errors import ParameterError
from sfumato.numeric.arrays import Codes
from sfumato.plan import Plan
from sfumato.privacy.mechanism import Purse
from sfumato.privacy.randomness import SeededBits
from sfumato.publishing.certify import certify
from sfumato.release.certificate import Certificate
from sfumato.release.content import TablesContent
from sfumato.schema.domain import MISSING, Domain, Levels
from sfumato.table.statistic import Statistic

__all__ = ["ABSENT", "MadeUp", "Rehearsal", "rehearsed"]

ABSENT = 0.05  # of the made-up values of a column, where values may be missing

T = TypeVar("T")
_SEED = 1
_HEAPED = 4  # half of the records in a sixteenth of the range
_MOST = 8_192  # records that are really there
_NOTHING = pa.table({})


@dataclass(frozen=True)
class MadeUp:
    """So many records that never were, in place of `sfumato.table.records.Records`."""

    domain: Domain
    records: int
    heaped: bool = False
    method: str = "the method"

    def fold(self, statistic: Statistic[T]) -> T:
        """The total of a statistic over all of them."""
        if statistic.reads != "codes":
            raise ParameterError("made-up records fit their schema: there is nothing to complain")
        times, rest = divmod(self.records, len(self._codes))
        total = statistic.add(statistic.zero(), self._codes[:rest])
        doubled = statistic.add(statistic.zero(), self._codes)
        while times:  # a total may be of any type, so it is merged with itself, and not multiplied
            if times % 2:
                total = statistic.merge(total, doubled)
            times //= 2
            if times:
                doubled = statistic.merge(doubled, doubled)
        return total

    def map(self, each: Any) -> Any:  # noqa: ARG002  whatever is made of them
        """Refused: what comes of each record by itself is known of none."""
        raise ParameterError(
            f"{self.method} publishes something of each record, of which nothing is known before "
            "they are read: choose mosaic or modips for a forecast of counts and means"
        )

    def parts(self) -> Any:
        """Refused in the same way."""
        return self.map(None)

    @cached_property
    def _codes(self) -> Codes:
        rng, many = np.random.default_rng(_SEED), min(self.records, _MOST)
        place = (np.arange(many) + 0.5) / many
        codes = np.empty((many, len(self.domain.axes)), np.int32, order="F")
        for k, axis in enumerate(self.domain.axes):
            there = axis.codes - axis.missing
            absent = axis.codes - 1 if isinstance(axis, Levels) else MISSING
            spread = place**_HEAPED if self.heaped else place
            gone = axis.missing & (rng.permutation(place) > 1 - ABSENT)
            found = np.where(gone, absent, np.minimum(spread * there, there - 1))
            codes[:, k] = rng.permutation(found)
        return codes


@dataclass(frozen=True)
class Rehearsal:
    """What a release would state: certificate and synopsis, and no data."""

    certificate: Certificate
    synopsis: Mapping[str, Any] | None

    @property
    def table(self) -> pa.Table:
        """Nothing was drawn."""
        return _NOTHING


def rehearsed(plan: Plan, records: int, *, heaped: bool = False) -> Rehearsal:
    """A plan carried out on so many made-up records, under noise that is no secret."""
    purse = Purse(plan.guarantee, SeededBits(_SEED))
    measured = plan.measure(MadeUp(plan.domain, records, heaped, plan.method), purse)
    synopsis = measured.to_json() if hasattr(measured, "to_json") else None
    paper = certify(
        plan.terms, purse, TablesContent(), synopsis=synopsis, release="forecast", ledger=None
    )
    return Rehearsal(paper, synopsis)
