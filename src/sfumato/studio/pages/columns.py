"""S3: what is known of each column without looking at the records."""

from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from sfumato.errors import Refused
from sfumato.studio.codebook import book_files, code_book, read_book, take_over
from sfumato.studio.declaring import KNOWN_FROM, Declared, declared, notes, open_questions
from sfumato.studio.draft import Draft, TypedColumn
from sfumato.studio.forms import Form
from sfumato.studio.header import shown_name
from sfumato.studio.page import page, project_of, to
from sfumato.studio.project import Project
from sfumato.studio.public_file import propose
from sfumato.studio.words import KINDS, READ_PUBLIC, READ_SO_FAR

__all__ = ["ROUTES"]


@dataclass(frozen=True)
class Row:
    """One column, as the page shows it."""

    place: int
    name: str
    column: TypedColumn
    fault: str
    note: str


def show(request: Request) -> Response:
    """All columns; with `check` in the address, what is still wrong with them."""
    project, asked = project_of(request), Form.of(request)
    draft = project.dataset(request.path_params["dataset"])
    return _shown(request, draft, told=asked.flag("check"), taken=asked.text("taken", 9))


def _shown(
    request: Request,
    draft: Draft,
    *,
    told: bool = False,
    taken: str = "",
    fault: str = "",
    pasted: str = "",
) -> Response:
    found = declared(draft)
    return page(
        request,
        "columns.html",
        status=422 if fault else 200,
        title="Columns",
        step=2,
        draft=draft,
        kinds=KINDS,
        known_from=KNOWN_FROM,
        rows=[_row(place, one, found, told) for place, one in enumerate(draft.columns)],
        todo=len(found.faults),
        whole=[*found.whole, *open_questions(draft)] if told else [],
        sound=told and found.schema is not None,
        taken=int(taken) if taken.isdecimal() else None,
        books=book_files(project_of(request)),
        fault=fault,
        pasted=pasted,
        read=READ_PUBLIC if draft.read_records else READ_SO_FAR,
    )


def _row(place: int, column: TypedColumn, found: Declared, told: bool) -> Row:
    fault = found.faults.get(place, "") if told else ""
    note = column.label
    if column.proposed and not fault:
        note = "from the name: check"
    elif told and column.name in found.becomes:
        note = found.becomes[column.name]
    return Row(place, shown_name(column.name, place), column, fault, note)


def save(request: Request) -> Response:
    """Keep all that was typed, then do what the button says."""
    project, form = project_of(request), Form.of(request)
    draft = project.dataset(request.path_params["dataset"])
    before = draft.to_json()
    _take(draft, form)
    if draft.to_json() != before:
        draft.declared = False
        project.keep(draft)
    here = f"/d/{draft.slug}/schema"
    match form.text("do", 20):
        case "import":
            return _import(request, draft, form.text("book", 300), form.text("pasted", 2**20))
        case "propose":
            propose(project, draft)
            project.keep(draft)
            return to(f"{here}#columns")
        case "next" if _declare(project, draft):
            return to(f"/d/{draft.slug}/budget")
        case _:
            return to(f"{here}?check=1#open")


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


def _take(draft: Draft, form: Form) -> None:
    """What the fields say now; a proposal that was changed is none any more."""
    for place, column in enumerate(draft.columns):
        kind, facts = form.text(f"k{place}", 20), form.text(f"f{place}")
        if kind != column.kind:
            column.beyond = {}
        column.proposed = column.proposed and (kind, facts) == (column.kind, column.facts)
        column.kind, column.facts = kind if kind in KINDS else "", facts
        column.missing, column.per_person = form.flag(f"m{place}"), form.flag(f"p{place}")
    draft.predicts = _named(draft, form.text("y", 9))
    if draft.several:
        draft.person = _named(draft, form.text("who", 9))
        draft.rows_per_person = form.text("rows", 9)
    draft.known_from, draft.source = form.text("known", 40), form.text("source", 400)
    draft.unread = form.flag("unread")


def _named(draft: Draft, place: str) -> str:
    known = place.isdecimal() and int(place[:9]) < len(draft.columns)
    return draft.columns[int(place)].name if known else ""


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
