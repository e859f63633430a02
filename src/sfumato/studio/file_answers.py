"""The questions about a file: what was answered, what is wrong with it, what it begins."""

from dataclasses import dataclass

from sfumato.schema.person import MOST_ROWS, ROWS
from sfumato.studio.draft import Draft, TypedColumn
from sfumato.studio.filling import LONGEST
from sfumato.studio.forms import Form
from sfumato.studio.header import Header
from sfumato.studio.preset import proposed
from sfumato.studio.words import several

__all__ = ["Typed", "begun", "faults", "unfit"]

_FIELDS = ("file", "header", "unit", "person", "rows", "held", "name")
_LONGEST_NAME = 200  # as schemas have it


@dataclass(frozen=True)
class Typed:
    """The fields of the page."""

    file: str = ""
    header: str = ""
    unit: str = ""
    person: str = ""
    rows: str = str(ROWS)
    held: str = "secret"
    name: str = ""
    sure: bool = False
    drop: bool = False  # what was typed of columns that are gone

    @classmethod
    def sent(cls, form: Form) -> "Typed":
        """What the form says."""
        said = {name: form.text(name, LONGEST) for name in _FIELDS}
        return cls(**said, sure=form.flag("sure"), drop=form.flag("drop"))

    @classmethod
    def before(cls, draft: Draft) -> "Typed":
        """What was answered when the data set was begun."""
        return cls(
            file=draft.file,
            header="yes",
            unit="several" if draft.several else "one",
            person=draft.person,
            rows=draft.rows_per_person or str(ROWS),
            held="public" if draft.public else "secret",
        )


def faults(typed: Typed) -> dict[str, str]:
    """What is not answered, or ends the way here."""
    found = {}
    if not typed.file:
        found["file"] = "Choose a file."
    if typed.header != "yes":
        found["header"] = {
            "no": "Without names the studio cannot go on: put a line with them above the records.",
            "unsure": "Look at the first line of the file, in a spreadsheet or a text editor.",
        }.get(typed.header, "Say whether the first line names the columns.")
    if typed.unit not in ("one", "several"):
        found["unit"] = "Say whether one row is one person: it decides what is protected."
    if typed.unit == "several":
        found |= _unit_faults(typed)
    if typed.held not in ("secret", "public"):
        found["held"] = "Say whether the file holds secrets."
    if len(typed.name) > _LONGEST_NAME:
        found["name"] = f"At most {_LONGEST_NAME} characters."
    return found


def _unit_faults(typed: Typed) -> dict[str, str]:
    found = {}
    if not typed.person:
        found["person"] = "Name the column that tells whose row it is."
    if not (typed.rows.isdecimal() and 1 <= int(typed.rows[:9]) <= MOST_ROWS):
        found["rows"] = f"A whole number from 1 to {MOST_ROWS:,}."
    return found


def unfit(typed: Typed, header: Header) -> dict[str, str]:
    """What the header says against it."""
    if typed.unit == "several" and typed.person not in header.columns:
        return {"person": "No column has this name: write it as the first line of the file does."}
    if (doubtful := header.doubtful) and not typed.sure:
        shown = ", ".join(map(str, doubtful[:10])) + (" …" if len(doubtful) > 10 else "")
        return {
            "sure": f"{several(len(doubtful), 'name')} in the first line could be values of a "
            f"record (position {shown}): they are not shown. If the line is a record, put a line "
            "with the names above it."
        }
    return {}


def begun(typed: Typed, header: Header) -> Draft:
    """The data set that the answers begin."""
    several_rows = typed.unit == "several"
    columns = [
        TypedColumn(name, "id") if several_rows and name == typed.person else proposed(name, kind)
        for name, kind in header.columns.items()
    ]
    return Draft(
        slug="",
        name=typed.name or header.stem,
        file=typed.file,
        columns=columns,
        public=typed.held == "public",
        several=several_rows,
        person=typed.person if several_rows else "",
        rows_per_person=typed.rows if several_rows else "",
    )
