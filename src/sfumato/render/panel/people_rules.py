"""Drawn persons who keep the constraints of their schema, which hold within each row."""

from dataclasses import dataclass

import numpy as np

from sfumato.numeric.arrays import Codes, Mask, Whole
from sfumato.render.panel_drawing import DrawnPersons
from sfumato.render.rules import Rules
from sfumato.schema.domain import MISSING, Domain
from sfumato.synopsis.flat_people import FlatPeople

__all__ = ["PEOPLE_STATEMENT", "PeopleRules"]

_TRIES = 4  # to move a row: which side of an equality gives way is drawn
PEOPLE_STATEMENT = (
    "The constraints of the schema hold in every row: drawn rows that break one are moved to "
    "values near by that keep all, or left out where those would not fit the person or the rows "
    "around; a drawn person who is left with none becomes like another one. The records of the "
    "data were counted as they are."
)


@dataclass(frozen=True, eq=False)
class PeopleRules:
    """What rows and persons keep; rows that do not are moved, or left out."""

    rules: Rules
    constants: Whole  # places among the axes of the schema
    rows: Whole
    rising: Whole  # places among the columns of rows of what never falls
    linked: bool

    @classmethod
    def of(cls, flat: FlatPeople) -> "PeopleRules":
        """Of a schema with persons."""
        domain = Domain.of(flat.domain.schema)
        names = [axis.name for axis in domain.axes]
        places = (flat.people.per_person, flat.people.per_row)
        constants, rows = (np.array([names.index(n) for n in some], int) for some in places)
        never_fall = {*flat.increasing, flat.order}
        rising = np.array([place for place, j in enumerate(flat.rows) if j in never_fall], int)
        return cls(Rules.of(domain), constants, rows, rising, flat.people.linked)

    def _joined(self, constants: Codes, rows: Codes) -> Codes:
        codes = np.empty((len(rows), len(self.rules.axes)), np.int32, order="F")
        codes[:, self.constants], codes[:, self.rows] = constants, rows
        return codes

    def kept(self, drawn: DrawnPersons, rng: np.random.Generator) -> DrawnPersons:
        """Persons all of whose rows keep the rules."""
        if not self.rules.bind:
            return drawn
        owner = np.repeat(np.arange(len(drawn.counts)), drawn.counts)
        rows, stay = self._mended(self._joined(drawn.constants[owner], drawn.rows), owner, rng)
        counts = np.bincount(owner[stay], minlength=len(drawn.counts))
        whole, again = np.flatnonzero(counts), np.flatnonzero((counts == 0) & (drawn.counts > 0))
        persons = np.arange(len(counts))
        if len(whole):
            persons[again] = rng.choice(whole, len(again))
        constants = np.asfortranarray(drawn.constants[persons])
        start, rows = np.append(0, np.cumsum(counts)), rows[stay]
        counts = counts[persons]
        first = np.repeat(start[persons] - np.append(0, np.cumsum(counts)[:-1]), counts)
        rows = rows[first + np.arange(len(first))]
        return self._at_least_one(DrawnPersons(constants, counts, np.asfortranarray(rows)))

    def _mended(self, codes: Codes, owner: Whole, rng: np.random.Generator) -> tuple[Codes, Mask]:
        """Rows that keep the rules, and which of them may stay: nothing else of a person moves."""
        stay, rows = self.rules.keeps(codes), codes[:, self.rows]
        for _ in range(_TRIES):
            moved, settled = np.flatnonzero(~stay), stay.copy()
            if not len(moved):
                break
            near = self.rules.moved(codes[moved], rng)
            same = (near[:, self.constants] == codes[moved][:, self.constants]).all(axis=1)
            moved, near = moved[same], near[same]
            rows[moved], stay[moved] = near[:, self.rows], True
            self._leave_out(rows, owner, stay, settled)
        return rows, stay

    def _leave_out(self, rows: Codes, owner: Whole, stay: Mask, settled: Mask) -> None:
        """Rows that are not settled and fall, or are before one that does, where nothing may."""
        falls = True
        while falls:  # settled ones never fall, so that one is left out each time
            falls = False
            for place in self.rising:
                known = np.flatnonzero(stay & (rows[:, place] != MISSING))
                a, b = known[:-1], known[1:]
                wrong = (owner[a] == owner[b]) & (rows[a, place] > rows[b, place])
                out = np.concatenate([a[wrong], b[wrong]])
                stay[out[~settled[out]]] = False
                falls |= bool(len(out))

    def _at_least_one(self, found: DrawnPersons) -> DrawnPersons:
        """An example for those who must have a row, or are what nobody with rows could be."""
        constants, alone = found.constants, np.flatnonzero(found.counts == 0)
        example = self.rules.example.astype(np.int32)
        if self.linked:  # persons may be without rows: what they have must be possible with some
            made_up = np.broadcast_to(example[self.rows], (len(alone), len(self.rows)))
            alone = alone[~self.rules.keeps(self._joined(constants[alone], made_up))]
            constants[alone] = example[self.constants]
            return found
        constants[alone] = example[self.constants]
        places = np.append(0, np.cumsum(found.counts))[alone]
        rows = np.insert(found.rows, places, example[self.rows], axis=0)
        counts = found.counts.copy()
        counts[alone] = 1
        return DrawnPersons(constants, counts, np.asfortranarray(rows))
