"""S2: which file, who is in it, and what the ledger shall call it; reads the header, once asked.

The same questions can be answered anew for a data set that was begun: its name stays, and so does
what was typed of columns that are still there.
"""

from dataclasses import replace

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from sfumato.errors import ParameterError, Refused
from sfumato.studio.anew import anew, lost
from sfumato.studio.draft import Draft
from sfumato.studio.file_answers import Typed, begun, faults, unfit
from sfumato.studio.filling import LONGEST
from sfumato.studio.forms import Form
from sfumato.studio.header import Header, read_header
from sfumato.studio.page import page, project_of, to
from sfumato.studio.project import Project
from sfumato.studio.words import NOTHING_READ, READ_PUBLIC, READ_SO_FAR, several
from sfumato.untrusted.visible import visible

__all__ = ["ROUTES"]

_MOST_NAMED = 10  # columns in one sentence


def show(request: Request) -> Response:
    """The questions, with nothing answered that could be guessed wrongly."""
    alike = _alike(project_of(request), Form.of(request).text("file", LONGEST))
    return _shown(request, Typed(file=alike[0] if alike else ""), {})


def show_again(request: Request) -> Response:
    """The same questions for a data set that was begun, as they were answered."""
    draft = _draft(request)
    return _shown(request, Typed.before(draft), {}, draft)


def read(request: Request) -> Response:
    """Read the header of the chosen file, if all is answered."""
    typed, header, so_far = _answered(request)
    if isinstance(header, dict):
        return _shown(request, typed, header, status=422, so_far=so_far)
    project, draft = project_of(request), begun(typed, header)
    try:
        return to(f"/d/{project.begin(draft).slug}/schema")
    except ParameterError as refusal:
        taken = next((one.slug for one in project.datasets if one.name == draft.name), "")
        said = {"name": str(refusal)}
        return _shown(request, typed, said, status=422, taken=taken, so_far=so_far)


def read_again(request: Request) -> Response:
    """Read the header anew, and keep what was typed of columns that are still there."""
    old = _draft(request)
    typed, header, _ = _answered(request)
    if isinstance(header, dict):
        return _shown(request, typed, header, old, status=422)
    new = begun(typed, header)
    if (gone := lost(old, new)) and not typed.drop:
        return _shown(request, typed, {"drop": _dropped(gone)}, old, status=422)
    project_of(request).keep(anew(old, new))
    fresh = sum(name not in old.positions for name in new.positions)
    return to(f"/d/{old.slug}/schema?fresh={fresh}")


def _answered(request: Request) -> tuple[Typed, Header | dict[str, str], str]:
    """What was typed, and the header that goes with it, or what is wrong, by its question.

    And what was read of the file for that.
    """
    project, typed = project_of(request), Typed.sent(Form.of(request))
    so_far = NOTHING_READ
    try:
        typed = replace(typed, file=_chosen(project, typed.file))
        if found := faults(typed):
            return typed, found, so_far
        place, so_far = project.file(typed.file), READ_SO_FAR
        header = read_header(place)
    except Refused as refusal:
        return typed, {"file": str(refusal)}, so_far
    return typed, unfit(typed, header) or header, so_far


def _alike(project: Project, shown: str) -> list[str]:
    """The files that a page calls so."""
    return [name for name in project.files if visible(name).strip() == shown]


def _chosen(project: Project, shown: str) -> str:
    """The file that the page calls so: what cannot be seen in a name is written out there."""
    found = _alike(project, shown)
    if len(found) > 1:
        raise ParameterError("two files have names that look the same: rename one of them")
    name = found[0] if found else shown
    if any("\ud800" <= character <= "\udfff" for character in name):
        raise ParameterError("the name of this file is not UTF-8: rename the file")
    return name


def _dropped(gone: list[str]) -> str:
    named = ", ".join(gone[:_MOST_NAMED]) + (" …" if len(gone) > _MOST_NAMED else "")
    return f"What you typed of {several(len(gone), 'column')} would be dropped: {named}."


def _draft(request: Request) -> Draft:
    return project_of(request).dataset(request.path_params["dataset"])


def _shown(
    request: Request,
    typed: Typed,
    found: dict[str, str],
    draft: Draft | None = None,
    *,
    status: int = 200,
    taken: str = "",
    so_far: str = NOTHING_READ,
) -> Response:
    project = project_of(request)
    if draft is not None:
        so_far = READ_PUBLIC if draft.read_records else READ_SO_FAR
    return page(
        request,
        "file.html",
        status=status,
        title="File",
        step=1,
        draft=draft,
        here="/new" if draft is None else f"/d/{draft.slug}/file",
        typed=typed,
        faults=found,
        taken=taken,
        files=project.files,
        example=not any(one.made_up for one in project.datasets),
        read=so_far,
    )


ROUTES = [
    Route("/new", show),
    Route("/new", read, methods=["POST"]),
    Route("/d/{dataset}/file", show_again),
    Route("/d/{dataset}/file", read_again, methods=["POST"]),
]
