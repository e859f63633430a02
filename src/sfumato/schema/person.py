"""Who is the unit of protection: one row, or one person with all of their rows.

`person` names the id column that tells whose row it is; `tables` says the same of two files, one
of persons and one of their events.  A column with `per: person` has one value for each person,
the others one for each row.

>>> from sfumato.schema import Schema
>>> visits = Schema.of({"name": "visits", "person": "patient", "order": "year", "columns": {
...     "patient": {"kind": "id"},
...     "born": {"kind": "integer", "low": 1920, "high": 2010, "per": "person"},
...     "year": {"kind": "integer", "low": 2015, "high": 2025}}})
>>> visits.people
People(person='patient', order='year', rows=64, per_person=('born',), per_row=('year',), key=None)
>>> visits.people.linked, str(visits.people)
(False, 'one person (patient), with at most 64 of their rows, in the order of year')
"""

from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, Field

from sfumato.errors import SchemaError

__all__ = [
    "MOST_ROWS",
    "PERSON",
    "RECORD",
    "ROWS",
    "People",
    "Tables",
    "check_one_row_each",
]

# The units of protection, as ledger and certificate name them.
RECORD = "one record (row) of the table"
PERSON = "one person, with all of their rows"
ROWS = 64  # of a person that are used, where the schema says nothing else: what was certified stays
MOST_ROWS = 4_096
_CLOSED = ConfigDict(frozen=True, extra="forbid")


class PersonsTable(BaseModel):
    """The file with one row for each person."""

    model_config = _CLOSED
    key: str = Field(min_length=1, description="its column of kind id, different in every row")


class EventsTable(BaseModel):
    """The file with the rows of these persons."""

    model_config = _CLOSED
    person: str = Field(min_length=1, description="its column of kind id: whose row it is")
    order: str | None = Field(
        default=None, min_length=1, description="the column by which rows of a person follow"
    )


class Tables(BaseModel):
    """Two files: one of persons, one of their events."""

    model_config = _CLOSED
    persons: PersonsTable
    events: EventsTable


@dataclass(frozen=True, slots=True)
class People:
    """That a person is the unit: whose rows they are, how they follow, and how many are used."""

    person: str  # the id column that says whose row it is
    order: str | None  # the column by which rows of a person follow; without one they have no order
    rows: int  # of a person that are used, at most: a public bound
    per_person: tuple[str, ...]  # released columns with one value for each person
    per_row: tuple[str, ...]  # the others
    key: str | None = None  # the id column of the file of persons, where there are two files

    @property
    def linked(self) -> bool:
        """Whether persons and their events are two files."""
        return self.key is not None

    def __str__(self) -> str:
        follow = f", in the order of {self.order}" if self.order else ""
        return f"one person ({self.person}), with at most {self.rows} of their rows{follow}"


def check_one_row_each(people: People | None, what: str, instead: str = "") -> None:
    """Refuse to take rows for units where a schema says that persons are.

    `what` is whatever cannot do otherwise, with its verb: "modips measures".
    """
    if people is None:
        return
    word, remedy = "person", "take person out of the schema if each person has one row"
    if people.linked:
        word, remedy = "tables", "publish one file, in which each person has one row"
    remedy = f"{instead}, or {remedy}" if instead else remedy
    raise SchemaError(
        f"{what} each row as a unit of its own, and the schema ({word}: {people.person}) makes a "
        f"person with all of their rows the unit: {remedy}"
    )
