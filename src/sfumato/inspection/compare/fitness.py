"""NOT PRIVATE: how well a release fits records that had no part in it, as a whole number.

Sensitivity.  Given the release, a record enters each score by itself: exchanging one for
another moves

    right answers of m models       by at most m,
    cells of m pairs of columns     by at most 2 in ℓ₁ for each pair, so by 2m,

so two releases' scores move apart by at most twice that.  Both are attained.  The proof page
is docs/proofs/private-choice.md.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from typing import Protocol

import numpy as np
import pyarrow as pa

from sfumato.inspection.classify import named, needed
from sfumato.inspection.information import Cells
from sfumato.inspection.task import MODELS
from sfumato.numeric.arrays import Codes
from sfumato.render.decode import Decoder
from sfumato.schema.domain import Domain

__all__ = ["Fitness", "PairCells", "RightAnswers", "fitness"]


class Fitness(Protocol):
    """A score of a release by held-out records; larger is better."""

    @property
    def sensitivity(self) -> Fraction:
        """How far exchanging one held-out record moves the score of any one release."""

    @property
    def what(self) -> str:
        """What one step of the score is."""

    def score(self, release: pa.Table, held_out: Codes) -> int:
        """NOT PRIVATE: the score, exactly."""


def fitness(domain: Domain) -> Fitness:
    """Right answers where the schema has a label, else cells of pairs of columns.

    What judging needs is there when this returns: after the charge it is too late to miss it.
    """
    if domain.label is None:
        return PairCells(domain)
    needed()
    return RightAnswers(domain)


@dataclass(frozen=True)
class RightAnswers:
    """How many held-out records the models taught by a release name rightly, all together."""

    domain: Domain

    @property
    def sensitivity(self) -> Fraction:
        """Each model is right about a record or not."""
        return Fraction(len(MODELS))

    @property
    def what(self) -> str:
        """What is counted."""
        return f"records named rightly, by {', '.join(MODELS)} together"

    def score(self, release: pa.Table, held_out: Codes) -> int:
        """NOT PRIVATE: right answers of all models."""
        assert self.domain.label is not None  # noqa: S101  `fitness` has seen to it
        asked, schema = Decoder(self.domain).batch(held_out), self.domain.schema
        truth = held_out[:, self.domain.label]
        return sum(int((named(release, asked, schema, name) == truth).sum()) for name in MODELS)


@dataclass(frozen=True)
class PairCells:
    """How near the release's tables of pairs of columns are to the held-out records'.

    Minus Σ |count − expected| over all cells of all pairs (of all columns, where there is
    one), `expected` the release's share times the number of held-out records, rounded.
    """

    domain: Domain

    @cached_property
    def _pairs(self) -> list[tuple[int, ...]]:
        columns = range(len(self.domain.axes))
        return list(combinations(columns, 2)) or [(0,)]

    @property
    def sensitivity(self) -> Fraction:
        """In each table one record leaves a cell and enters another."""
        return Fraction(2 * len(self._pairs))

    @property
    def what(self) -> str:
        """What is counted."""
        return "records in another cell than released, over all pairs of columns"

    def score(self, release: pa.Table, held_out: Codes) -> int:
        """NOT PRIVATE: minus the distance, in records."""
        count = len(held_out)
        theirs = Cells.of(Decoder(self.domain).batch(held_out), self.domain)
        ours = Cells.of(release, self.domain) if release.num_rows else None
        total = 0
        for pair in self._pairs:
            counts = theirs.counts(pair)
            # An empty release expects nobody anywhere.
            due = 0 if ours is None else np.rint(count * ours.shares(pair)).astype(np.int64)
            total -= int(np.abs(counts - due).sum())
        return total
