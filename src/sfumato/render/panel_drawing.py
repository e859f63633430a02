"""Persons of a release in parts: each a pure function of the model, a seed and its number.

So persons are the same whoever draws them, in whatever order, and however often.  Nothing in a
drawing is private.

>>> def alike(start: int, count: int, _: np.random.Generator) -> DrawnPersons:
...     each = np.arange(start, start + count, dtype=np.int32)[:, None]
...     return DrawnPersons(each, np.full(count, 2), np.repeat(each, 2, axis=0))
>>> drawn = PanelDrawing(alike, persons=5, seed=7, part_persons=3)
>>> drawn.parts, drawn(1).constants.tolist(), drawn(1).rows.tolist()
(2, [[3], [4]], [[3], [3], [4], [4]])
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from sfumato.numeric.arrays import Codes, Whole
from sfumato.numeric.threads import one_blas_thread

__all__ = ["DrawnPersons", "PanelDrawing", "PersonModel"]


@dataclass(frozen=True, eq=False)
class DrawnPersons:
    """Some made-up persons, as codes of the public grid."""

    constants: Codes  # one row per person, a column per axis of `schema.people.per_person`
    counts: Whole  # how many rows each has
    rows: Codes  # of each person in order, a column per axis of `schema.people.per_row`


class PersonModel(Protocol):
    """What persons are drawn from; it can be pickled, and is not changed by drawing."""

    def __call__(self, start: int, count: int, rng: np.random.Generator, /) -> DrawnPersons:
        """So many persons, the first of which is person `start` of the release."""


@dataclass(frozen=True, eq=False)
class PanelDrawing:
    """All persons of a release that are drawn from a model, before they are."""

    model: PersonModel
    persons: int
    seed: int
    part_persons: int  # all parts have so many, but the last

    @classmethod
    def of(
        cls, model: PersonModel, persons: int, part_persons: int, rng: np.random.Generator
    ) -> "PanelDrawing":
        """With a seed of its own, taken from a generator."""
        return cls(model, persons, int.from_bytes(rng.bytes(16), "little"), part_persons)

    @property
    def parts(self) -> int:
        """How many there are."""
        return -(-self.persons // self.part_persons)

    def __call__(self, part: int) -> DrawnPersons:
        """The persons of one part."""
        start = part * self.part_persons
        entropy = np.random.SeedSequence(self.seed, spawn_key=(part,))
        rng = np.random.Generator(np.random.PCG64(entropy))
        with one_blas_thread:  # it is parts that threads share
            return self.model(start, min(self.part_persons, self.persons - start), rng)

    def __iter__(self) -> Iterator[DrawnPersons]:
        return map(self, range(self.parts))
