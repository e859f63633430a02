"""A statistic that keeps every record, for tests of who is counted."""

from dataclasses import dataclass

import numpy as np

from sfumato.table.statistic import Statistic

__all__ = ["KeptCodes"]


@dataclass(frozen=True)
class KeptCodes(Statistic):
    """All records, in the order in which they came."""

    def zero(self):
        return []

    def add(self, total, records):
        return [*total, *np.asarray(records).tolist()]

    def merge(self, a, b):
        return a + b
