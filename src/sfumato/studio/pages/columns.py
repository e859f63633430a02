"""S3: what is known of each column without looking at the records."""

from copy import deepcopy
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from sfumato.errors import ParameterError, Refused
from sfumato.studio.codebook import CodeBook, book_files, code_book, read_book, take_over
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
from sfumato.studio.stale import differing, is_newest, is_of, mark_of
from sfumato.studio.words import KINDS, READ_PUBLIC, READ_SO_FAR
from sfumato.studio.writing import DATES, NUMBERS, OTHERWISE, Writing, idle_words
from sfumato.untrusted.visible import visible

__all__ = ["ROUTES"]

_MOST_NAMED = 10  # columns
_OF_OTHERS = (
    "this was not sent by a page of these columns: the first line of the file may have been read "
    "anew since, in another window. Go back and reload it; nothing that was sent is kept"
)


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
    kept: Draft | None = None,
    told: bool = False,
    taken: str = "",
    fresh: str = "",
    fault: str = "",
    pasted: str = "",
    lines: str = "",
    unread_lines: list[str] | None = None,
) -> Response:
    """What is `kept` stands beside what was typed where that was not taken."""
    found, written = declared(draft), written_lines(draft)
    others = [] if kept is None else differing(kept, draft)
    return page(
        request,
        "columns.html",
        status=409 if kept else 422 if fault or unread_lines else 200,
        title="Columns",
        step=2,
        draft=draft,
        kinds=KINDS,
        known_from=KNOWN_FROM,
        writing=Writing.of(draft),
        ways={"numbers": NUMBERS, "dates": DATES},
        otherwise=OTHERWISE,
        idle=idle_words(draft),
        rows=[_row(place, one, found, told) for place, one in enumerate(draft.columns)],
        todo=len(found.faults),
        whole=[*found.whole, *open_questions(draft)] if told else [],
        sound=told and found.schema is not None,
        taken=int(taken) if taken.isdecimal() else None,
        fresh=int(fresh) if fresh.isdecimal() else None,
        stale=kept is not None,
        others=[visible(one) for one in others[:_MOST_NAMED]],
        more=max(len(others) - _MOST_NAMED, 0),
        mark=mark_of(kept or draft),
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
    return Row(
        place, shown_name(column.name, place), column, fault, note, _warned(place, column, found)
    )


def _warned(place: int, column: TypedColumn, found: Declared) -> list[str]:
    """What the eye would miss in a field."""
    warnings = []
    if (seen := visible(column.facts)) != column.facts:
        warnings.append(f"with characters that are not seen: {seen}")
    if alike := found.alike.get(column.name):
        warnings.append(f"these look alike, and count as different values: {alike}")
    if place in found.idle:
        warnings.append(
            "a record with a word for missing does not fit unless it May lack the value"
        )
    return warnings


def save(request: Request) -> Response:
    """Keep all that was typed, then do what the button says."""
    project, form = project_of(request), Form.of(request)
    kept = project.dataset(request.path_params["dataset"])
    mark, do = form.text("columns", LONGEST), form.text("do", 20)
    if not is_of(mark, kept):
        raise ParameterError(_OF_OTHERS)
    typed, lines = deepcopy(kept), form.text("lines", LONGEST)
    take_fields(typed, form)
    unread_lines = take_lines(typed, lines, form.text("lines-before", LONGEST))
    pasted = form.text("pasted", LONGEST)
    book = _book(project, form, pasted) if do == "import" and not unread_lines else None
    draft, taken = deepcopy(typed), 0
    if isinstance(book, CodeBook):
        taken = take_over(draft, book)
    accepting = form.flag("accept") and any(column.acceptable for column in draft.columns)
    # What is sent twice at once changes nothing the second time.
    if not is_newest(mark, kept) and (accepting or draft != kept):
        said = lines if unread_lines else ""
        return _shown(request, typed, kept=kept, lines=said, pasted=pasted)
    if accepting:
        for column in draft.columns:
            column.proposed &= not column.acceptable
    if draft != kept or isinstance(book, CodeBook):
        draft.declared = False
        project.keep(draft)
    if unread_lines:
        return _shown(request, draft, told=True, lines=lines, unread_lines=unread_lines)
    if isinstance(book, str):
        return _shown(request, draft, fault=book, pasted=pasted)
    here = f"/d/{draft.slug}/schema"
    match do:
        case "import":
            return to(f"{here}?taken={taken}#columns")
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


def _book(project: Project, form: Form, pasted: str) -> CodeBook | str:
    """The code book that was pasted or chosen, or why it cannot be read."""
    try:
        if pasted:
            return code_book(pasted, "the pasted text")
        return read_book(project, form.text("book", 300))
    except Refused as refusal:
        return str(refusal)


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
