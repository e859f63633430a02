"""How well the rows of persons fit the schema, a person as the unit, under exact noise.

Guarantee.  ε-DP (discrete Laplace) or ρ-zCDP (discrete Gaussian), under both neighbour relations.
Sensitivity.  A person is W tickets.  Each of their c kept rows takes ⌊W / c⌋ of them to the cell of
its first complaint; where persons have a table of their own, their row there takes W / 2 and the
others share the rest.  What no row takes stays with *fits*: a person adds W in all, never more and
never less, so the counts move by W where one is added and by 2W where one is replaced
(`docs/proofs/fit.md`).
Limits.  Rows that were cut, that have no id, or whose person is in no table are not counted; a
person whose rows all fail takes less than one in a hundred of themselves for one that fits.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from sfumato.errors import ParameterError
from sfumato.measure.fit import STATISTIC
from sfumato.numeric.arrays import Whole
from sfumato.privacy.guarantee import ZCDP, PureDP
from sfumato.privacy.mechanism import Noise, Purse
from sfumato.privacy.sensitivity import Sensitivity
from sfumato.schema.domain import Domain
from sfumato.schema.person import People as Unit
from sfumato.table.complaint import Complaint
from sfumato.table.first_complaint import ComplaintCells
from sfumato.table.people.panel import Cells, Panel, PeopleStatistic
from sfumato.table.people.people import People
from sfumato.table.people.ticket import mass, tickets

__all__ = ["PeopleFitCounts", "PersonComplaints"]

_UNSAID = "these persons were read without what is said against their rows: ask for complaints"


@dataclass(frozen=True)
class PersonComplaints(PeopleStatistic[Whole]):
    """Tickets of persons whose rows fit, then those of rows by their first complaint.

    >>> from sfumato.schema import Schema
    >>> cells = ComplaintCells(Domain.of(Schema.of({"name": "t", "columns": {
    ...     "smoker": {"kind": "boolean"}}})))
    >>> four_rows = Panel(np.empty((1, 0), np.int32), np.array([0, 4]), np.zeros((4, 1), np.int32),
    ...                   said=np.array([0, 2, 0, 0], np.uint8))
    >>> statistic = PersonComplaints(cells, 100)
    >>> statistic.add(statistic.zero(), four_rows).tolist()
    [75, 0, 25]
    """

    cells: ComplaintCells
    whole: int  # tickets of a person

    def zero(self) -> Whole:
        """Of nobody."""
        return np.zeros(1 + len(self.cells.named), np.int64)

    def add(self, total: Whole, panel: Panel) -> Whole:
        """NOT PRIVATE: with these persons."""
        if panel.said is None:
            raise ParameterError(_UNSAID)
        shared = self.whole
        total[0] += self.whole * panel.persons  # all fit, but for what is taken away now
        if panel.person_said is not None:
            shared = self.whole // 2
            own = np.where(panel.counts > 0, self.whole - shared, self.whole)
            self._take(total, panel.person_said, own)
        self._take(total, panel.said, tickets(panel.counts, 1, shared)[panel.owner])
        return total

    def merge(self, a: Whole, b: Whole) -> Whole:
        """NOT PRIVATE: of both together."""
        return np.add(a, b, out=a)

    def _take(self, total: Whole, said: Cells, weight: Whole) -> None:
        wrong = np.flatnonzero(said)
        np.add.at(total, said[wrong], weight[wrong])
        total[0] -= weight[wrong].sum()


@dataclass(frozen=True)
class PeopleFitCounts:
    """Noisy counts of rows by their first complaint, in tickets; what fits comes first."""

    domain: Domain
    budget: PureDP | ZCDP

    @property
    def _unit(self) -> Unit:
        people = self.domain.schema.people
        if people is None:
            raise ParameterError("the schema names no column that says who a person is")
        return people

    @property
    def tickets(self) -> int:
        """Of one person: a public fact."""
        return mass(self._unit.rows)

    @property
    def cells(self) -> tuple[tuple[str, Complaint], ...]:
        """Column and complaint of each count after the first."""
        return self.statistic.cells.named

    @property
    def noise(self) -> Noise:
        """One price for all of them."""
        moves = 1 if self.domain.schema.neighbours == "add-remove" else 2
        moved = Sensitivity(Fraction(moves * self.tickets), Fraction(moves * self.tickets**2))
        return Noise(f"{STATISTIC}, in steps of 1/{self.tickets}", moved, self.budget)

    @cached_property
    def statistic(self) -> PersonComplaints:
        """NOT PRIVATE: what is counted, exactly."""
        return PersonComplaints(ComplaintCells(self.domain), self.tickets)

    def query(self, people: People) -> Whole:
        """NOT PRIVATE: how many tickets fit, then how many stand in each cell."""
        if not people.complaints:  # said before a record is read, whether or not there is one
            raise ParameterError(_UNSAID)
        (found,) = people.fold(self.statistic)
        return np.asarray(found)

    def perturb(self, people: People, purse: Purse) -> tuple[Whole, int | None]:
        """`query` under its noise, and the number of persons where that is public."""
        exact = self.query(people)
        public = self.domain.schema.neighbours == "replace-one"
        noisy = purse.pay(self.noise).add(exact, np.ones(len(exact), np.int64))
        return noisy, int(exact.sum()) // self.tickets if public else None
