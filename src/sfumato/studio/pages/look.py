"""Looks at the records without noise: each has a reason, is counted first, and is shown here alone.

What a look finds is INTERNAL: it is kept in the memory of this studio, shown in a frame that can
run and load nothing, and written nowhere unless its owner asks for that.
"""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import NamedTuple

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from sfumato.errors import ParameterError, Refused
from sfumato.ledger.rules import line_text
from sfumato.studio.account import address_of
from sfumato.studio.asked import Asked, Kind, is_job, new_job
from sfumato.studio.choice import read_choice
from sfumato.studio.forms import Form
from sfumato.studio.page import jobs_of, page, project_of, studio_of, to
from sfumato.studio.place import inside, write_whole
from sfumato.untrusted.plain_file import content

__all__ = ["ALONE", "ROUTES"]

_LARGEST = 2**26  # bytes of a page
_PAUSE = 0.2  # seconds between two looks at whether it has ended
ALONE = {
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox"
}


class _Words(NamedTuple):
    title: str
    lead: str


_LOOKS: dict[Kind, _Words] = {
    "fit": _Words(
        "Does the file fit?",
        "Every record is read, and it is counted how many values do not fit the schema, column by "
        "column. No value is shown.",
    ),
    "compare": _Words(
        "Compare methods on the records",
        "Every method that fits is tried on the records, several times and without a charge, and "
        "judged beside them. This takes minutes.",
    ),
    "inspect": _Words(
        "Look at the release beside the records",
        "Distributions, utility and attacks are computed from the release and the records.",
    ),
}


def ask_fit(request: Request) -> Response:
    """What a look at the fit is, and why it is wanted."""
    return _asked_for(request, "fit")


def ask_compare(request: Request) -> Response:
    """What a comparison is, and why it is wanted."""
    return _asked_for(request, "compare")


def ask_inspect(request: Request) -> Response:
    """What an inspection of a release is, and why it is wanted."""
    return _asked_for(request, "inspect")


def fit(request: Request) -> Response:
    """Count the look, and begin it."""
    return _begun(request, "fit")


def compare(request: Request) -> Response:
    """Count the comparison, and begin it."""
    return _begun(request, "compare")


def inspect(request: Request) -> Response:
    """Count the inspection, and begin it."""
    return _begun(request, "inspect")


def _asked_for(request: Request, kind: Kind, fault: str = "", status: int = 200) -> Response:
    return page(
        request,
        "look_ask.html",
        status=status,
        title=_LOOKS[kind].title,
        lead=_LOOKS[kind].lead,
        path=request.url.path,
        once=new_job(),
        reason=Form.of(request).text("reason", 400),
        fault=fault,
        release=request.path_params.get("release", ""),
        slug=_begun_here(request, request.path_params.get("dataset", "")),
        read="Nothing is read before the ledger has counted this look.",
    )


def _begun_here(request: Request, dataset: str) -> str:
    """The same, if that data set has pages to go back to; they may have been moved away."""
    known = any(draft.slug == dataset for draft in project_of(request).datasets)
    return dataset if known else ""


def _begun(request: Request, kind: Kind) -> Response:
    form = Form.of(request)
    job, reason = form.text("once", 16), " ".join(form.text("reason", 400).split())
    if is_job(job) and jobs_of(request).asked(job) is not None:
        return to(f"/looks/{job}")
    try:
        if not is_job(job):
            raise ParameterError("this look has no number of its own yet: it has one now")
        line_text(reason=reason)
        jobs_of(request).look(_asked(request, kind, job, f"{kind}: {reason}"))
    except Refused as refusal:
        return _asked_for(request, kind, str(refusal), 422)
    return to(f"/looks/{job}")


def _asked(request: Request, kind: Kind, job: str, reason: str) -> Asked:
    project, release = project_of(request), request.path_params.get("release", "")
    if release:
        of = jobs_of(request).asked(release) if is_job(release) else None
        if of is None or of.kind != "publish":
            raise ParameterError("this release was not made here: its records are not known")
        return of.to_look(kind, job, reason)
    draft = project.dataset(request.path_params["dataset"])
    if not draft.declared:
        raise ParameterError("declare its columns first: there is nothing to fit yet")
    choice = read_choice(project, draft.slug)
    epsilon = None if choice is None else choice.epsilon
    if kind == "compare" and epsilon is None:
        raise ParameterError("choose an epsilon first: methods are compared at that")
    return Asked(
        job=job,
        kind=kind,
        dataset=draft.slug,
        name=draft.name,
        file=draft.file,
        schema=project.schema_text(draft.slug),
        delta=None if choice is None else choice.delta,
        epsilons=() if epsilon is None else (epsilon,),
        reason=reason,
    )


def show(request: Request) -> Response:
    """A look under way, or what it has found."""
    jobs, asked = jobs_of(request), _look(request)
    under_way, ending = jobs.looking(asked.job), jobs.folder.ending(asked.job)
    return page(
        request,
        "look.html",
        title=_LOOKS[asked.kind].title,
        asked=asked,
        under_way=under_way,
        ending=ending,
        found=bool(_content(request, asked)) and not under_way,
        kept=_kept_as(request, asked),
        account=address_of(asked.name),
        release=asked.release,
        slug=_begun_here(request, asked.dataset),
        read="INTERNAL: computed from the records without noise. Do not pass it on.",
    )


def found(request: Request) -> Response:
    """What was found, alone: it may run and load nothing."""
    return Response(_told(request, _look(request)), media_type="text/html", headers=ALONE)


def keep(request: Request) -> Response:
    """Write what was found where only its owner can read it; asked twice, it is there already."""
    asked = _look(request)
    page_of_it, place = _told(request, asked), _kept(request, asked)
    if not place.exists():
        write_whole(place, page_of_it.decode())
    return to(f"/looks/{asked.job}")


def _told(request: Request, asked: Asked) -> bytes:
    """The page of what it found; refused where there is none."""
    found = _content(request, asked)
    if not found:
        raise ParameterError("what this look found was kept nowhere: a new look is counted anew")
    return found


def _content(request: Request, asked: Asked) -> bytes:
    """The same, from memory or from where its owner kept it; nothing where there is none."""
    kept = _kept(request, asked)
    if found := jobs_of(request).page(asked.job):
        return found
    try:
        return content(kept, _LARGEST)
    except FileNotFoundError:
        return b""
    except OSError as error:
        raise ParameterError(f"{kept.name} cannot be read: {error.strerror}") from None


def _kept_as(request: Request, asked: Asked) -> str:
    """Where it is kept, from the folder of the project on; empty where it is not."""
    place = _kept(request, asked)
    home = project_of(request).folder
    return place.relative_to(home).as_posix() if place.exists() else ""


def _kept(request: Request, asked: Asked) -> Path:
    return inside(project_of(request).internal, f"{asked.kind}-{asked.job}.html")


async def events(request: Request) -> Response:
    """Nothing but the end of the look."""
    asked = await run_in_threadpool(_look, request)
    return StreamingResponse(_ended(request, asked.job), media_type="text/event-stream")


async def _ended(request: Request, job: str) -> AsyncIterator[str]:
    jobs, stopping = jobs_of(request), studio_of(request).stopping
    while not stopping.is_set():
        if not await run_in_threadpool(jobs.looking, job):
            yield f"event: next\ndata: /looks/{job}\n\n"
            return
        try:
            await asyncio.wait_for(stopping.wait(), _PAUSE)
        except TimeoutError:
            continue


def _look(request: Request) -> Asked:
    job = request.path_params["job"]
    asked = jobs_of(request).asked(job) if is_job(job) else None
    if asked is None or asked.kind == "publish":
        raise ParameterError("there is no such look here: begin at the start page")
    return asked


ROUTES = [
    Route("/d/{dataset}/fit", ask_fit),
    Route("/d/{dataset}/fit", fit, methods=["POST"]),
    Route("/d/{dataset}/compare", ask_compare),
    Route("/d/{dataset}/compare", compare, methods=["POST"]),
    Route("/r/{release}/inspect", ask_inspect),
    Route("/r/{release}/inspect", inspect, methods=["POST"]),
    Route("/looks/{job}", show),
    Route("/looks/{job}/page", found),
    Route("/looks/{job}/keep", keep, methods=["POST"]),
    Route("/looks/{job}/events", events),
]
