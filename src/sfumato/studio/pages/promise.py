"""S4: what is promised to everybody in the table, and how near the figures will be for readers.

Nothing is read but the schema and the ledger, and nothing is charged.
"""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from sfumato.errors import ParameterError
from sfumato.schema import Date, Schema
from sfumato.schema.domain import Domain, Grid
from sfumato.studio.choice import Choice, keep_choice, read_choice
from sfumato.studio.draft import Draft
from sfumato.studio.forms import Form
from sfumato.studio.grade import GRADES
from sfumato.studio.header import shown_name
from sfumato.studio.method_choice import grouped, offered, unpromised
from sfumato.studio.misfit import UNCHECKED, USUAL
from sfumato.studio.page import page, project_of, studio_of, to
from sfumato.studio.project import Project
from sfumato.studio.promise_view import View, stated, view
from sfumato.studio.promising import STOPS, Typed, nearest
from sfumato.studio.words import READ_PUBLIC, READ_SO_FAR

__all__ = ["ROUTES"]

_LINES = 8  # of the table, unless all are asked for
_SHARES = {
    "0.01": "more than 1 % of the records do not fit",
    USUAL: "more than 5 % do not fit (usual)",
    "0.2": "more than 20 % do not fit",
    UNCHECKED: "never: go on without the check, whatever the file holds",
}
_PATIENCE = 1.5  # seconds, of whoever pressed a button


def show(request: Request) -> Response:
    """The promise of what the address says, else of what was chosen before."""
    project, form = project_of(request), Form.of(request)
    draft = project.dataset(request.path_params["dataset"])
    if not draft.declared:
        return to(f"/d/{draft.slug}/schema?check=1")
    schema = _schema(project, draft)
    sent = bool(request.url.query)
    typed = (
        Typed.sent(form)
        if sent
        else Typed.kept(read_choice(project, draft.slug), stated(schema).schema)
    )
    # Script asks again by itself; whoever pressed a button would have to.
    wait = _PATIENCE if form.flag("do") else 0.0
    return _shown(request, draft, schema, _view(request, draft, schema, typed, wait))


def save(request: Request) -> Response:
    """Keep the choice for the review, and lead there."""
    project, form = project_of(request), Form.of(request)
    draft = project.dataset(request.path_params["dataset"])
    if not draft.declared:
        raise ParameterError("its columns are not declared yet: do that first")
    schema = _schema(project, draft)
    found = _view(request, draft, schema, Typed.sent(form), 0)
    meant = found.judged
    if not found.typed.records:
        who = "records" if stated(schema).schema.people is None else "people"
        meant = meant.wrong("records", f"Say about how many {who} there are.")
    if meant.faults:
        return _shown(request, draft, schema, found, faults=dict(meant.faults), status=422)
    chosen = stated(schema, found.typed.secret).schema
    if chosen.neighbours != stated(schema).schema.neighbours:
        _declare(project, draft, chosen)
    choice = Choice(
        method=found.typed.method,
        epsilon=meant.epsilon,
        delta=meant.delta,
        records=meant.records,
        misfit=found.typed.misfit,
    )
    keep_choice(project, draft.slug, choice)
    return to(f"/d/{draft.slug}/review")


def _schema(project: Project, draft: Draft) -> str:
    return project.schema_text(draft.slug)


def _declare(project: Project, draft: Draft, schema: Schema) -> None:
    """The number of records is public or secret by the schema, and stays so if it is typed anew."""
    draft.beyond["neighbours"] = schema.neighbours
    project.redeclare(draft, schema)


def _view(request: Request, draft: Draft, schema: str, typed: Typed, wait: float) -> View:
    forecasts = studio_of(request).forecasts
    return view(project_of(request), draft.name, schema, typed, forecasts, wait)


def _shown(
    request: Request,
    draft: Draft,
    text: str,
    found: View,
    *,
    faults: dict[str, str] | None = None,
    status: int = 200,
) -> Response:
    schema = stated(text).schema
    names = {name: shown_name(name, draft.positions.get(name, 0)) for name in schema.released}
    offers = offered(text, strong=found.judged.delta is None)
    lines = found.lines if found.typed.all else found.lines[:_LINES]
    return page(
        request,
        "promise.html",
        status=status,
        title="Promise",
        step=3,
        draft=draft,
        found=found,
        typed=found.typed,
        faults=dict(found.judged.faults) if faults is None else faults,
        stops=STOPS,
        stop=nearest(found.typed.epsilon),
        lines=lines,
        most=_LINES,
        grades=GRADES,
        names=names,
        people=schema.people is not None,
        means=_numbers(schema),
        offers=offers,
        refused=grouped(one for one in offers if one.name != found.typed.method),
        unpromised=unpromised(),
        shares=_SHARES,
        read=READ_PUBLIC if draft.read_records else READ_SO_FAR,
        # Without script a reload would take away what is being typed: for what was asked alone.
        reload=found.pending or found.wish_pending,
        again=found.pending or found.wish_pending or found.comparing,
    )


def _numbers(schema: Schema) -> list[str]:
    """Which columns have a mean."""
    return [
        axis.name
        for axis in Domain.of(schema).axes
        if isinstance(axis, Grid) and not isinstance(axis.column, Date)
    ]


ROUTES = [
    Route("/d/{dataset}/budget", show),
    Route("/d/{dataset}/budget", save, methods=["POST"]),
]
