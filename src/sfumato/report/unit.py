"""What the page of a release says of its unit: who attacks, and what neighbours are.

Everything follows from the unit and the neighbours that the certificate states.
"""

from dataclasses import dataclass

from sfumato.release.certificate import Certificate
from sfumato.schema.person import PERSON

__all__ = ["UnitWords", "unit_words"]

_NEIGHBOURS = {
    "replace-one": "two sets of {0}s of the same size, of which one {0} holds something else. How "
    "many {0}s there are is public.",
    "add-remove": "two sets of {0}s of which one has a {0} more. So even whether a {0} is there is "
    "hidden; between two things that a {0} may hold, the budget counts twice, as it does in the "
    "figures here.",
}
_OF_PERSONS = {
    "replace-one": "two sets of persons of the same size, of which one person has other rows: "
    "other values, more of them or fewer. How many persons there are is public, how many rows "
    "is not.",
    "add-remove": "two sets of persons of which one has a person more, with all of their rows. So "
    "even whether a person is there is hidden; between two sets of rows that a person may have, "
    "the budget counts twice, as it does in the figures here.",
}
_STEPS = {"add-remove": 2}  # neighbours from one thing that a record may hold to another
_ATTACKER = {
    "table": "Think of an attacker who knows all rows but one, this program and its settings. "
    "Whatever the attacker holds to be likely about that row",
    "estimate": "Think of an attacker who knows all rows but one, this program and its settings. "
    "Whatever the attacker holds to be likely about that row",
    "network": "Think of an attacker who knows this program and its settings, and wants to know "
    "which of two neighbouring weightings is the true one. Whatever the attacker holds to be "
    "likely about that",
    "stream": "Think of an attacker who knows all bits but one, this program and its settings. "
    "Whatever the attacker holds to be likely about that bit",
    "counts": "Think of an attacker who knows all records but one, this program and its settings. "
    "Whatever the attacker holds to be likely about that record",
}
_AFTER_A_PERSON = (
    "Think of an attacker who knows all rows of all persons but one, this program and its "
    "settings. Whatever the attacker holds to be likely about that person"
)
_ASKED = "which of two neighbouring data sets was published"


@dataclass(frozen=True)
class UnitWords:
    """The unit of a release, in sentences."""

    about: str  # what a guess is about: one row
    record: str  # what one may be there or not
    attacker: str
    neighbours: str
    asked: str  # what no attacker answers better than by so much
    steps: int  # neighbours from one thing that a unit may hold to another
    compared: str  # what to bear in mind beside promises about other units
    accepted: str  # what an officer is asked about the unit


def unit_words(certificate: Certificate) -> UnitWords:
    """The sentences that suit what a certificate protects."""
    words, stated = certificate.words, certificate.neighbours
    steps = _STEPS.get(stated, 1)
    if certificate.unit == PERSON:
        asked = "which of two sets of rows that person has"
        return UnitWords(
            about=words.about,
            record=words.record,
            attacker=_AFTER_A_PERSON,
            neighbours=_OF_PERSONS.get(stated, f"{stated}."),
            asked=_ASKED if steps == 1 else asked,
            steps=steps,
            compared="Units differ",
            accepted="a person with all of their rows, while what several persons share, as in a "
            "household, is protected less",
        )
    return UnitWords(
        about=words.about,
        record=words.record,
        attacker=_ATTACKER[words.name],
        neighbours=_NEIGHBOURS.get(stated, f"{stated}.").format(words.record),
        asked=_ASKED if steps == 1 else f"which of two things that {words.record} holds",
        steps=steps,
        compared="Units differ, and a person with many records is many units",
        accepted="one person is one record, or the weaker promise for several is accepted",
    )
