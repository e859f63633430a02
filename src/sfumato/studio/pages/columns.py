"""S3: what is known of each column without looking at the records."""

import json
from dataclasses import dataclass
from hashlib import sha256

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from sfumato.errors import ParameterError, Refused
from sfumato.studio.codebook import book_files, code_book, read_book, take_over
from sfumato.studio.declaring import (
    KNOWN_FROM,
    Declared,
    declared,
    notes,
    open_questions,
)
from sfumato.studio.draft import Draft, TypedColumn
from sfumato.studio.filling import LONGEST, take_fields, take_lines
from sfumato.studio.forms import Form
from sfumato.studio.header import shown_name
from sfumato.studio.lines import marks, written_lines
from sfumato.studio.page import page, project_of, to
from sfumato.studio.project import Project
from sfumato.studio.public_file import propose
from sfumato.studio.words import KINDS, READ_PUBLIC, READ_SO_FAR
from sfumato.studio.writing import DATES, NUMBERS, OTHERWISE, Writing
from sfumato.untrusted.visible import visible

__all__ = ["ROUTES"]


@dataclass(frozen=True)
class Row:
    """One column, as the page shows it."""

    place: int
    name: str
    column: TypedColumn
    fault: str
    note: str
    warnings: list[str]


def show(request: Request) -> Response:
    """All columns; with `check` in the address, what is still wrong with them."""
    project, asked = project_of(request), Form.of(request)
    draft = project.dataset(request.path_params["dataset"])
    taken, fresh = asked.text("taken", 9), asked.text("fresh", 9)
    return _shown(request, draft, told=asked.flag("check"), taken=taken, fresh=fresh)


def _shown(
    request: Request,
    draft: Draft,
    *,
    told: bool = False,
    taken: str = "",
    fresh: str = "",
    fault: str = "",
    pasted: str = "",
    lines: str = "",
    unread_lines: list[str] | None = None,
) -> Response:
    found, written = declared(draft), written_lines(draft)
    return page(
        request,
        "columns.html",
        status=422 if fault or unread_lines else 200,
        title="Columns",
        step=2,
        draft=draft,
        kinds=KINDS,
        known_from=KNOWN_FROM,
        writing=Writing.of(draft),
        ways={"numbers": NUMBERS, "dates": DATES},
        otherwise=OTHERWISE,
        rows=[_row(place, one, found, told) for place, one in enumerate(draft.columns)],
        todo=len(found.faults),
        whole=[*found.whole, *open_questions(draft)] if told else [],
        sound=told and found.schema is not None,
        taken=int(taken) if taken.isdecimal() else None,
        fresh=int(fresh) if fresh.isdecimal() else None,
        mark=_mark(draft),
        books=book_files(project_of(request)),
        fault=fault,
        pasted=pasted,
        lines=lines or written,
        lines_before=marks(written),
        unread_lines=unread_lines or [],
        proposals=sum(column.acceptable for column in draft.columns),
        read=READ_PUBLIC if draft.read_records else READ_SO_FAR,
    )


def _row(place: int, column: TypedColumn, found: Declared, told: bool) -> Row:
    fault = found.faults.get(place, "") if told else ""
    note = column.label
    if column.acceptable:
        note = f"proposed: {column.source or KINDS.get(column.kind, column.kind)}"
    elif told and column.name in found.becomes:
        note = found.becomes[column.name]
    return Row(place, shown_name(column.name, place), column, fault, note, _warned(column, found))


def _warned(column: TypedColumn, found: Declared) -> list[str]:
    """What the eye would miss in a field."""
    warnings = []
    if (seen := visible(column.facts)) != column.facts:
        warnings.append(f"with characters that are not seen: {seen}")
    if alike := found.alike.get(column.name):
        warnings.append(f"these look alike, and count as different values: {alike}")
    return warnings


def save(request: Request) -> Response:
    """Keep all that was typed, then do what the button says."""
    project, form = project_of(request), Form.of(request)
    draft = project.dataset(request.path_params["dataset"])
    if form.text("columns", LONGEST) not in ("", _mark(draft)):
        raise ParameterError(
            "the first line of the file was read anew since this page was made, in another window: "
            "go back and reload it; nothing that was sent from it is kept"
        )
    before = draft.to_json()
    lines = form.text("lines", LONGEST)
    take_fields(draft, form)
    unread_lines = take_lines(draft, lines, form.text("lines-before", LONGEST))
    if form.flag("accept"):
        for column in draft.columns:
            column.proposed &= not column.acceptable
    if draft.to_json() != before:
        draft.declared = False
        project.keep(draft)
    if unread_lines:
        return _shown(request, draft, told=True, lines=lines, unread_lines=unread_lines)
    here = f"/d/{draft.slug}/schema"
    match form.text("do", 20):
        case "import":
            return _import(request, draft, form.text("book", 300), form.text("pasted", LONGEST))
        case "propose":
            propose(project, draft)
            project.keep(draft)
            return to(f"{here}#columns")
        case "lines":
            return to(f"{here}?check=1#columns")
        case "next" if _declare(project, draft):
            return to(f"/d/{draft.slug}/budget")
        case _:
            return to(f"{here}?check=1#open")


def _mark(draft: Draft) -> str:
    """Which columns these are, and in which order: fields are sent by place."""
    return sha256(json.dumps(list(draft.positions)).encode()).hexdigest()[:16]


def _import(request: Request, draft: Draft, name: str, pasted: str) -> Response:
    """Take over from a code book; one that cannot be read is told beside its field."""
    project = project_of(request)
    try:
        book = code_book(pasted, "the pasted text") if pasted else read_book(project, name)
    except Refused as refusal:
        return _shown(request, draft, fault=str(refusal), pasted=pasted)
    taken = take_over(draft, book)
    draft.declared = False
    project.keep(draft)
    return to(f"/d/{draft.slug}/schema?taken={taken}#columns")


def _declare(project: Project, draft: Draft) -> bool:
    """Write the schema, if all is declared."""
    found = declared(draft)
    if found.schema is None or open_questions(draft):
        return False
    project.declare(draft, found.schema, notes(draft))
    return True


ROUTES = [
    Route("/d/{dataset}/schema", show),
    Route("/d/{dataset}/schema", save, methods=["POST"]),
]
