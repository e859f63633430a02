"""Answers from published counts, computed by whoever asks: the query is never sent to anyone."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sfumato.errors import ReleaseError
from sfumato.numeric.arrays import Vector
from sfumato.release.release import Release
from sfumato.retrieval.count_plan import CountPlan, replanned
from sfumato.retrieval.counts import Keys
from sfumato.retrieval.histogram import checked_query
from sfumato.retrieval.tail import Share, radius

__all__ = ["Estimate", "PublishedCounts"]


@dataclass(frozen=True, slots=True)
class Estimate:
    """An answer, the standard deviation of its noise, and an interval that holds the truth."""

    value: float
    deviation: float
    low: float
    high: float
    confidence: float


@dataclass(frozen=True, eq=False)
class PublishedCounts:
    """Noisy counts in one way or two.

    What was published in two ways is weighted by the inverse of the variances, which follow
    from the query and public facts: so a few keys are answered by the histogram, and long
    ranges by the wavelet, without anybody choosing.
    """

    keys: Keys
    plan: CountPlan
    columns: dict[str, Vector]

    @classmethod
    def of(cls, release: Release) -> "PublishedCounts":
        """The counts in a release made by `publish_counts`."""
        try:
            plan = replanned(release.certificate)
            keys = Keys(tuple(release.table.column("key").to_pylist()))
            columns = {
                name: np.asarray(release.table.column(name), np.float64) for name in plan.ways
            }
        except (KeyError, TypeError):
            raise ReleaseError("the release lacks what published counts need") from None
        if len(keys) != plan.length:
            raise ReleaseError("the release does not have a count for each of its keys")
        return cls(keys, plan, columns)

    @classmethod
    def load(cls, folder: str | Path) -> "PublishedCounts":
        """The counts in a release folder."""
        return cls.of(Release.load(folder))

    def shares(self, query: Any) -> list[Share]:
        """How the noise enters the answer: from the query and public facts alone."""
        numbers = checked_query(query, len(self.keys))
        found = [way.share(numbers) for way in self.plan.ways.values()]
        parts = _parts(found)
        return [
            Share(part * share.weights, share.law) for part, share in zip(parts, found, strict=True)
        ]

    def answer(self, query: Any, *, confidence: float = 0.95) -> Estimate:
        """The inner product of the true counts and the query, as near as it is known."""
        numbers = checked_query(query, len(self.keys))
        parts = _parts([way.share(numbers) for way in self.plan.ways.values()])
        answers = [float(column @ numbers) for column in self.columns.values()]
        value = sum(part * answer for part, answer in zip(parts, answers, strict=True))
        shares = self.shares(numbers)
        deviation = float(np.sqrt(sum(share.variance for share in shares)))
        far = radius(shares, 1 - confidence)
        return Estimate(value, deviation, value - far, value + far, confidence)


def _parts(shares: list[Share]) -> list[float]:
    """What part of the answer comes from each way: the smallest variance of the whole."""
    variances = [share.variance for share in shares]
    if len(shares) == 1 or 0.0 in variances:
        certain = variances.index(min(variances))
        return [float(place == certain) for place in range(len(shares))]
    precise = [1 / variance for variance in variances]
    return [part / sum(precise) for part in precise]
