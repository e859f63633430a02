"""The noisy tables of a release by person: counts in parts of a person, under a known law.

A row of a person with c rows has ⌊W / c⌋ of W tickets, so that each person counts once.  The noise
of a table is drawn on tickets, W times as wide as the certificate states it in persons; a count of
tickets in steps of 1/W is one of persons, and its law is exact (`docs/proofs/people.md`).

What may be combined is as for records (`sfumato.accuracy.tables`): a column from its own table and
runs, a pair from its own table.  Floors leave a person with more than a dozen rows a little less
than W tickets, so that a public number of persons bounds the sum of a table from above only.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from sfumato.accuracy.noisy import Blocks, Noisy, noise_of, often
from sfumato.accuracy.tables import Tables, places
from sfumato.release.certificate import Certificate, stated
from sfumato.schema.domain import Domain
from sfumato.synopsis.flat_people import FlatPeople
from sfumato.synopsis.panel import PanelSynopsis
from sfumato.synopsis.tables import ONE_WAY, TWO_WAY

__all__ = ["Tickets", "people_tables"]


@dataclass(frozen=True, eq=False)
class Tickets(Blocks):
    """Counts of which `whole` are one person; sizes of noise are in tickets, too.

    >>> two = Tickets(np.array([30, 90]), "laplace", Fraction(120), (), (Fraction(120),), whole=60,
    ...     lost=Fraction(0))
    >>> half = two.total([0], Fraction(1, 60))
    >>> half.value, two.sizes(half), half.law.deviation < 3
    (0.5, [Fraction(2, 1)], True)
    """

    whole: int = field(kw_only=True)
    lost: Fraction = field(kw_only=True)  # what a person may be short of, at most

    def steps(self, step: Fraction) -> Fraction:  # noqa: ARG002  whatever they are parts of
        """The size of the noise on a ticket."""
        return self.size

    def sizes(self, noisy: Noisy) -> list[Fraction]:
        """Scales or variances, in persons."""
        one = self.whole ** (1 if self.kind == "laplace" else 2)
        return [size / one for size in super().sizes(noisy)]

    def down(self, noisy: Noisy, chance: Fraction) -> float:
        """How far below it the truth may lie: further where it rests on the number of persons."""
        return super().down(noisy, chance) + float(self.lost * max(noisy.constant, Fraction(0)))

    def up(self, noisy: Noisy, chance: Fraction) -> float:
        """How far above it the truth may lie."""
        return super().up(noisy, chance) + float(self.lost * max(-noisy.constant, Fraction(0)))


def people_tables(certificate: Certificate, record: Mapping[str, Any]) -> Tables:
    """What a certificate and a synopsis of persons hold."""
    if certificate.people is None:
        raise ValueError("tables of persons, where no person is the unit")
    flat = FlatPeople.of(Domain.of(stated(certificate.public_schema)))
    panel = PanelSynopsis.from_json(record, flat)
    found, whole = panel.tables, panel.whole
    if len(found.fine) != len(flat.domain.axes):
        raise ValueError("every release by person has a table of each column")
    blocks = {
        ONE_WAY: [*found.fine.values(), *found.runs.values()],
        TWO_WAY: [*found.pairs.values()],
    }
    there = {name: tables for name, tables in blocks.items() if tables}
    kinds, sizes = zip(*(noise_of(certificate, name) for name in there), strict=True)
    in_tickets = tuple(size * whole ** (1 if kinds[0] == "laplace" else 2) for size in sizes)
    ends = np.cumsum([sum(t.size for t in tables) for tables in there.values()])
    entries = Tickets(
        np.concatenate([table.ravel() for tables in there.values() for table in tables]),
        kinds[0],
        max(in_tickets),
        tuple(ends[:-1].tolist()),
        in_tickets,
        often=often(certificate),
        whole=whole,
        lost=Fraction(max(whole % count for count in range(1, flat.people.rows + 1)), whole),
    )
    place = places([table for tables in there.values() for table in tables])
    fine = {axis: next(place) for axis in found.fine}
    runs = {axis: next(place) for axis in found.runs}
    pairs = dict(zip(found.pairs, place, strict=True))
    return Tables(
        flat.domain, found, entries, fine, runs, None, pairs, Fraction(1, whole), entries.lost
    )
