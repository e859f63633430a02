"""NOT PRIVATE: was this person, with all of their rows, in the data?  The best of several scores.

An attacker who knows everything about a person, what they have once and each of their rows, and
other people in the same way, calls them a member if a score is high enough:

- how close the nearest released person is (`sfumato.inspection.attack.portrait`);
- the same as a share of how close the nearest of other people is;
- the same for the fifth nearest, a ratio of densities;
- how close the nearest released rows are to rows of this person, beside those of other people:
  it finds rows that were kept and handed to somebody else;
- how much likelier tables make the person in the release than among others: the number of rows,
  pairs of columns of persons and of rows, and each column from one row to the next.

Thresholds are learnt and the score is chosen as `sfumato.inspection.attack.ensemble` says.  A
release that is ε-differentially private for persons keeps the advantage of each such attack below
(e^ε − 1) / (e^ε + 1).

Copies.  How many persons with two rows or more are in the release row for row, whatever the order.
Small domains have people in common by chance, so it stands beside how many have a twin among the
other records, and beside the same of control persons.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from sfumato.errors import DataError, ParameterError
from sfumato.inspection.attack.ensemble import Called, Trial, best_of
from sfumato.inspection.attack.outcome import Chance, Rate, gap
from sfumato.inspection.attack.parameter import confident, whole
from sfumato.inspection.attack.person_scores import PERSON_SCORES, person_scores
from sfumato.inspection.attack.result import Attack
from sfumato.inspection.attack.tables import TARGETS
from sfumato.inspection.panel.persons import signatures, some_persons
from sfumato.inspection.panel.reading import Frame, people_frame, recorded, released
from sfumato.inspection.utility import AnySchema
from sfumato.table.people.panel import Panel

__all__ = ["PERSON_SCORES", "PersonTables", "person_copies_attack", "person_membership_attack"]

CONTROL = "on persons who were not in the data"
_FEWEST = 2  # rows of a person whose copy is one


@dataclass(frozen=True)
class PersonTables:
    """Persons of the release, of the records and of the control, as codes."""

    frame: Frame
    release: Panel
    original: Panel
    control: Panel | None

    @classmethod
    def of(cls, release: Any, original: Any, schema: AnySchema, control: Any) -> "PersonTables":
        """Read; tables without persons are refused."""
        frame = people_frame(schema)
        out, own = released(release, frame).panel, recorded(original, frame)
        return cls(frame, out, own, None if control is None else recorded(control, frame)).checked()

    def checked(self) -> "PersonTables":
        """The same, if each of them has a row."""
        sides = {"release": self.release, "original": self.original, "control": self.control}
        for name, panel in sides.items():
            if panel is not None and not len(panel.rows):
                raise DataError(f"the {name} has no person with a row: there is nothing to attack")
        return self

    def membership(self, *, targets: int, confidence: float, seed: int) -> Attack:
        """The attack on so many persons of either side at most."""
        if self.control is None:
            raise ParameterError("control must be given: persons who had no part in the release")
        rng = np.random.default_rng(seed)
        members, strangers = (_drawn(side, targets, rng) for side in (self.original, self.control))
        called, bare = (
            _called(self.frame, side, members, strangers) for side in (self.release, self.original)
        )
        return best_of(
            called,
            bare,
            name="membership of a person",
            knows="all rows of a person, and of others whether they are in the data",
            control_is=CONTROL,
            confidence=confidence,
        )

    def copies(self, *, confidence: float) -> Attack:
        """Of all persons with two rows or more."""
        own, out = signatures(self.original), signatures(self.release)
        several = self.original.counts >= _FEWEST
        _, place, times = np.unique(own, return_inverse=True, return_counts=True)
        twins = times[place] > 1
        found = Rate(int(np.isin(own[several], out).sum()), int(several.sum()))
        chance = Chance(float(twins[several].mean()) if several.any() else 0.0)
        control = bare = None
        if self.control is not None:
            others = signatures(self.control)[self.control.counts >= _FEWEST]
            control, bare = (
                Rate(int(np.isin(others, side).sum()), len(others)) for side in (out, own)
            )
        return Attack(
            name="copies of persons",
            knows="all rows of a person who has two or more",
            success=found,
            baseline=chance,
            baseline_is="having the same rows as somebody else in the data",
            control=control,
            control_is=CONTROL,
            confidence=confidence,
            reach=gap(Rate(found.tries, found.tries), bare or chance, confidence),
        )


def person_membership_attack(
    release: Any,
    original: Any,
    schema: AnySchema,
    *,
    control: Any,
    targets: int = TARGETS,
    confidence: float = 0.95,
    seed: int = 0,
) -> Attack:
    """NOT PRIVATE: how much more often members are called members than `control` persons are.

    Each is a table, or `{"persons": …, "events": …}`; `control` are other persons of the same
    population.

    >>> import pyarrow as pa
    >>> schema = {"name": "t", "person": "id", "columns": {"id": {"kind": "id"},
    ...     "pay": {"kind": "integer", "low": 0, "high": 999}}}
    >>> rng = np.random.default_rng(0)
    >>> def some(count):
    ...     usual = np.repeat(rng.integers(100, 900, count), 3)
    ...     pay = usual + rng.integers(-90, 90, 3 * count)
    ...     return pa.table({"id": np.repeat(np.arange(count), 3), "pay": pay})
    >>> known, others, fresh = some(200), some(200), some(200)
    >>> person_membership_attack(known, known, schema, control=others).verdict
    'succeeds'
    >>> person_membership_attack(fresh, known, schema, control=others).verdict
    'fails'
    """
    tables = PersonTables.of(release, original, schema, control)
    return tables.membership(
        targets=whole("targets", targets), confidence=confident(confidence), seed=seed
    )


def person_copies_attack(
    release: Any,
    original: Any,
    schema: AnySchema,
    *,
    control: Any = None,
    confidence: float = 0.95,
) -> Attack:
    """NOT PRIVATE: how many persons with two rows or more are released row for row.

    >>> import pyarrow as pa
    >>> schema = {"name": "t", "person": "id", "columns": {"id": {"kind": "id"},
    ...     "pay": {"kind": "integer", "low": 0, "high": 999}}}
    >>> known = pa.table({"id": [7, 7, 8, 8], "pay": [1, 2, 3, 4]})
    >>> found = person_copies_attack(pa.table({"id": [1, 1], "pay": [4, 3]}), known, schema)
    >>> found.success
    Rate(hits=1, tries=2, effect=1.0)
    """
    return PersonTables.of(release, original, schema, control).copies(
        confidence=confident(confidence)
    )


def _drawn(panel: Panel, count: int, rng: np.random.Generator) -> Panel:
    return some_persons(panel, rng.permutation(panel.persons)[:count])


def _called(frame: Frame, release: Panel, members: Panel, strangers: Panel) -> Called:
    trial = Trial(members.persons, strangers.persons)
    others = some_persons(strangers, trial.others)
    inside, outside = (
        person_scores(frame, release, others, side)
        for side in (members, some_persons(strangers, trial.rest))
    )
    return trial.called(inside, outside)
