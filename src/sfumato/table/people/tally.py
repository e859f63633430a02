"""How many persons there are, and a sum of keyed hashes by which all their rows are known again."""

import hmac
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.schema.domain import Domain
from sfumato.table.people.layout import PeopleLayout

__all__ = ["PeopleTally", "Tallied"]


class Tallied(NamedTuple):
    """Persons, and the sums of two hashes of all rows, those that were cut too, modulo 2⁶⁴."""

    persons: int
    sums: NDArray[np.uint64]

    def with_more(self, persons: int, sums: NDArray[np.uint64]) -> "Tallied":
        """NOT PRIVATE: with so many more."""
        return Tallied(self.persons + persons, self.sums + sums)

    def digest(self, key: bytes, domain: Domain, layout: PeopleLayout) -> bytes:
        """Keyed, and bound to what the codes stand for."""
        axes = (*layout.person_axes(domain), *layout.row_axes(domain))
        facts = repr([layout.linked, *((axis.name, axis.codes) for axis in axes)]).encode()
        number = self.persons.to_bytes(8, "big")
        content = b"persons" + number + self.sums.astype("<u8").tobytes() + facts
        return hmac.digest(key, content, "sha256")


class PeopleTally:
    """The sum over persons that every first pass takes."""

    def zero(self) -> Tallied:
        """Of nobody."""
        return Tallied(0, np.zeros(2, np.uint64))

    def merge(self, a: Tallied, b: Tallied) -> Tallied:
        """NOT PRIVATE: of both together."""
        return a.with_more(*b)
