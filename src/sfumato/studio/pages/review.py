"""S5: what is about to be published, charged and left unprotected; a name is typed to confirm it.

The id of the release is made with this page.  Whatever sends its form twice, or from two tabs,
finds the same job.
"""

from dataclasses import replace
from typing import Literal

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from sfumato.errors import Refused
from sfumato.studio.choice import read_choice
from sfumato.studio.draft import Draft
from sfumato.studio.forms import Form
from sfumato.studio.jobs import Jobs
from sfumato.studio.page import jobs_of, page, project_of, to
from sfumato.studio.review import Review, reviewed
from sfumato.studio.words import READ_PUBLIC, READ_SO_FAR

__all__ = ["ROUTES"]

_CHANGED = (
    "What you were shown has changed since, here or in another window: nothing was charged. This "
    "is how it is now."
)


def show(request: Request) -> Response:
    """The review of what was typed so far."""
    return _shown(request, {})


def publish(request: Request) -> Response:
    """Begin the release that was shown; the second time, lead to it."""
    form, jobs, draft = Form.of(request), jobs_of(request), _draft(request)
    job = form.text("release", 16)
    if _begun(jobs, job, draft):
        return to(f"/jobs/{job}")
    shown = _review(request, draft)
    faults = _faults(form, shown, job)
    if faults or isinstance(shown, str):
        # Sent twice at once, and the other was quicker: then something was charged.
        if _begun(jobs, job, draft):
            return to(f"/jobs/{job}")
        return _shown(request, faults, status=409 if "changed" in faults else 422)
    doubted = shown.doubt if form.flag("despite") else ""
    jobs.publish(replace(shown.asked, format=_format(form), doubted=doubted))
    return to(f"/jobs/{job}")


def _begun(jobs: Jobs, job: str, draft: Draft) -> bool:
    """Whether this release was confirmed before."""
    known = jobs.asked(job) if job else None
    return known is not None and known.kind == "publish" and known.dataset == draft.slug


def _draft(request: Request) -> Draft:
    return project_of(request).dataset(request.path_params["dataset"])


def _review(request: Request, draft: Draft) -> Review | str:
    """What there is to be confirmed, or what is missing for that."""
    project = project_of(request)
    if not draft.declared:
        return "Its columns are not declared yet."
    choice = read_choice(project, draft.slug)
    if choice is None:
        return "Its promise is not chosen yet: a method and a budget."
    try:
        return reviewed(project, draft, choice)
    except Refused as refusal:
        return str(refusal)


def _format(form: Form) -> Literal["csv", "parquet"]:
    return "parquet" if form.text("format") == "parquet" else "csv"


def _faults(form: Form, shown: Review | str, job: str) -> dict[str, str]:
    """What keeps it from being published."""
    if isinstance(shown, str) or shown.asked.job != job:
        return {"changed": _CHANGED}
    faults = {}
    if shown.funds.refusal:
        faults["funds"] = "Nothing was charged."
    if form.text("format", 99) not in ("csv", "parquet", ""):
        faults["format"] = "Choose one of these formats."
    if shown.doubt and not form.flag("despite"):
        faults["despite"] = "Say that you have read this."
    if form.text("name", 500) != shown.asked.name:
        faults["name"] = f"Type {shown.asked.name}, as it stands above, to publish it."
    return faults


def _shown(request: Request, faults: dict[str, str], status: int = 200) -> Response:
    draft, jobs = _draft(request), jobs_of(request)
    shown = _review(request, draft)
    before = [
        (asked, found)
        for asked, found in jobs.releases(draft.slug)
        if found.open
        or found.what == "ahead"
        or (isinstance(shown, Review) and asked.same_as(shown.asked))
    ]
    return page(
        request,
        "review.html",
        status=status,
        title=f"Review of {draft.name}",
        step=4,
        draft=draft,
        shown=shown if isinstance(shown, Review) else None,
        missing=shown if isinstance(shown, str) else "",
        before=before,
        faults=faults,
        read=_read(shown, draft),
    )


def _read(shown: Review | str, draft: Draft) -> str:
    """What was read of the data, for this page and before."""
    if isinstance(shown, str) or not (shown.funds.looks or shown.funds.releases):
        return READ_PUBLIC if draft.read_records else READ_SO_FAR
    return (
        "For this page no record was read. What was read before, for releases and looks, stands in "
        "the ledger."
    )


ROUTES = [
    Route("/d/{dataset}/review", show),
    Route("/d/{dataset}/publish", publish, methods=["POST"]),
]
