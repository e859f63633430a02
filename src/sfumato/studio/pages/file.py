"""S2: which file, who is in it, and what the ledger shall call it; reads the header, once asked."""

from dataclasses import dataclass, replace

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from sfumato.errors import ParameterError, Refused
from sfumato.schema.person import MOST_ROWS, ROWS
from sfumato.studio.draft import Draft, TypedColumn
from sfumato.studio.filling import LONGEST
from sfumato.studio.forms import Form
from sfumato.studio.header import Header, read_header
from sfumato.studio.page import page, project_of, to
from sfumato.studio.preset import proposed
from sfumato.studio.project import Project
from sfumato.studio.words import NOTHING_READ, several
from sfumato.untrusted.visible import visible

__all__ = ["ROUTES"]
_LONGEST_NAME = 200  # as schemas have it


@dataclass(frozen=True)
class Typed:
    """The fields of this page."""

    file: str = ""
    header: str = ""
    unit: str = ""
    person: str = ""
    rows: str = str(ROWS)
    held: str = "secret"
    name: str = ""
    sure: bool = False


def show(request: Request) -> Response:
    """The questions, with nothing answered that could be guessed wrongly."""
    return _shown(request, Typed(), {})


def read(request: Request) -> Response:
    """Read the header of the chosen file, if all is answered."""
    project, form = project_of(request), Form.of(request)
    fields = ("file", "header", "unit", "person", "rows", "held", "name")
    typed = Typed(**{name: form.text(name, LONGEST) for name in fields}, sure=form.flag("sure"))
    try:
        typed = replace(typed, file=_chosen(project, typed.file))
        faults = _faults(typed)
        if faults:
            return _shown(request, typed, faults, status=422)
        header = read_header(project.file(typed.file))
    except Refused as refusal:
        return _shown(request, typed, {"file": str(refusal)}, status=422)
    if faults := _unfit(typed, header):
        return _shown(request, typed, faults, status=422)
    try:
        return to(f"/d/{project.begin(_begun(typed, header)).slug}/schema")
    except ParameterError as refusal:
        return _shown(request, typed, {"name": str(refusal)}, status=422)


def _chosen(project: Project, shown: str) -> str:
    """The file that the page calls so: what cannot be seen in a name is written out there."""
    found = [name for name in project.files if visible(name).strip() == shown]
    if len(found) > 1:
        raise ParameterError("two files have names that look the same: rename one of them")
    name = found[0] if found else shown
    if any("\ud800" <= character <= "\udfff" for character in name):
        raise ParameterError("the name of this file is not UTF-8: rename the file")
    return name


def _faults(typed: Typed) -> dict[str, str]:
    """What is not answered, or ends the way here."""
    faults = {}
    if not typed.file:
        faults["file"] = "Choose a file."
    if typed.header != "yes":
        faults["header"] = {
            "no": "Without names the studio cannot go on: put a line with them above the records.",
            "unsure": "Look at the first line of the file, in a spreadsheet or a text editor.",
        }.get(typed.header, "Say whether the first line names the columns.")
    if typed.unit not in ("one", "several"):
        faults["unit"] = "Say whether one row is one person: it decides what is protected."
    if typed.unit == "several":
        faults |= _unit_faults(typed)
    if typed.held not in ("secret", "public"):
        faults["held"] = "Say whether the file holds secrets."
    if len(typed.name) > _LONGEST_NAME:
        faults["name"] = f"At most {_LONGEST_NAME} characters."
    return faults


def _unit_faults(typed: Typed) -> dict[str, str]:
    faults = {}
    if not typed.person:
        faults["person"] = "Name the column that tells whose row it is."
    if not (typed.rows.isdecimal() and 1 <= int(typed.rows[:9]) <= MOST_ROWS):
        faults["rows"] = f"A whole number from 1 to {MOST_ROWS:,}."
    return faults


def _unfit(typed: Typed, header: Header) -> dict[str, str]:
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


def _begun(typed: Typed, header: Header) -> Draft:
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


def _shown(request: Request, typed: Typed, faults: dict[str, str], status: int = 200) -> Response:
    project = project_of(request)
    return page(
        request,
        "file.html",
        status=status,
        title="File",
        step=1,
        typed=typed,
        faults=faults,
        files=project.files,
        example=not any(draft.made_up for draft in project.datasets),
        read=NOTHING_READ,
    )


ROUTES = [Route("/new", show), Route("/new", read, methods=["POST"])]
