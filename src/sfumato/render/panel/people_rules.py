"""Drawn persons who keep the constraints of their schema, which hold within each row."""

from dataclasses import dataclass

import numpy as np

from sfumato.numeric.arrays import Codes, Mask, Whole
from sfumato.render.panel_drawing import DrawnPersons
from sfumato.render.rules import Rules
from sfumato.schema.domain import Domain
from sfumato.synopsis.flat_people import FlatPeople

__all__ = ["PEOPLE_STATEMENT", "PeopleRules"]

PEOPLE_STATEMENT = (
    "The constraints of the schema hold in every row: drawn rows that break one are left out, and "
    "a drawn person who is left with none has one made-up row that keeps them. The records of the "
    "data were counted as they are."
)


@dataclass(frozen=True, eq=False)
class PeopleRules:
    """What rows and persons keep; rows that do not are left out, so that nothing else changes."""

    rules: Rules
    constants: Whole  # places among the axes of the schema
    rows: Whole
    linked: bool

    @classmethod
    def of(cls, flat: FlatPeople) -> "PeopleRules":
        """Of a schema with persons."""
        domain = Domain.of(flat.domain.schema)
        names = [axis.name for axis in domain.axes]
        places = (flat.people.per_person, flat.people.per_row)
        constants, rows = (np.array([names.index(n) for n in some], int) for some in places)
        return cls(Rules.of(domain), constants, rows, flat.people.linked)

    def of_persons(self, constants: Codes, rows: Codes) -> Mask:
        """Which of these keep all rules; a row of codes for each."""
        codes = np.empty((len(rows), len(self.rules.axes)), np.int32, order="F")
        codes[:, self.constants], codes[:, self.rows] = constants, rows
        return self.rules.keeps(codes)

    def kept(self, drawn: DrawnPersons) -> DrawnPersons:
        """Persons all of whose rows keep the rules."""
        if not self.rules.bind:
            return drawn
        constants, owner = (
            drawn.constants.copy(order="F"),
            np.repeat(np.arange(len(drawn.counts)), drawn.counts),
        )
        stay = self.of_persons(constants[owner], drawn.rows)
        counts = np.bincount(owner[stay], minlength=len(drawn.counts))
        rows = drawn.rows[stay]
        example = self.rules.example.astype(np.int32)
        alone = np.flatnonzero(counts == 0)
        if self.linked:  # persons may be without rows: what they have must be possible with some
            made_up = np.broadcast_to(example[self.rows], (len(alone), len(self.rows)))
            alone = alone[~self.of_persons(constants[alone], made_up)]
            constants[alone] = example[self.constants]
            return DrawnPersons(constants, counts, np.asfortranarray(rows))
        constants[alone] = example[self.constants]
        places = np.append(0, np.cumsum(counts))[alone]
        rows = np.insert(rows, places, example[self.rows], axis=0)
        counts[alone] = 1
        return DrawnPersons(constants, counts, np.asfortranarray(rows))
