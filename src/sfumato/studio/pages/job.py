"""S6: a release under way, and what became of it; no rows, no times.

The page is the same for whoever started it, reloads it, or opens it after the studio was killed.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from functools import partial

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from sfumato.errors import LedgerError, ParameterError, Refused
from sfumato.studio.asked import PHASES, is_job
from sfumato.studio.forms import Form
from sfumato.studio.page import jobs_of, page, project_of, studio_of, templates, to
from sfumato.studio.standing import Standing
from sfumato.studio.words import PHASE_WORDS

__all__ = ["ROUTES"]

_PAUSE = 0.2  # seconds between two looks at what was said
_READ = "Of the records nothing is shown here: four steps, and no more."
_COUNTED = "Of the records nothing is shown here but counts under noise, which were paid for."


def show(request: Request) -> Response:
    """Where it stands, and what can be done about it."""
    return _shown(request, "")


def _shown(request: Request, told: str, status: int = 200) -> Response:
    jobs, job = jobs_of(request), _job(request)
    found, asked, entry = jobs.standing(job), jobs.asked(job), jobs.entry(job)
    return page(
        request,
        "job.html",
        status=status,
        title=_TITLES[found.what],
        step=5,
        job=job,
        asked=asked,
        name=entry.dataset if entry is not None else asked.name if asked is not None else "",
        state="" if entry is None else entry.state,
        charge=str(entry.charge) if entry is not None else "",
        found=found,
        may_finish=found.may_finish and asked is not None,
        back=asked is not None and _is_there(request, asked.dataset),
        doubt=_doubt(found),
        told=told,
        phases=_phases(found.done),
        done=found.done,
        read=_COUNTED if found.what == "misfit" else _READ,
    )


_TITLES = {
    "under way": "Under way",
    "not begun": "Not charged",
    "given up": "Stopped before the charge",
    "refused": "Not published",
    "charged": "Stopped after the charge",
    "whole": "Stopped before the ledger was told",
    "lost": "Stopped after its noise was drawn",
    "released": "Published",
    "gone": "Published, and not in its place",
    "ahead": "Published, and not in this ledger",
    "misfit": "Not published: the records do not fit",
    "refunded": "Given back",
    "elsewhere": "Begun by another program",
}


def _is_there(request: Request, dataset: str) -> bool:
    """Whether its data set still has pages."""
    with suppress(ParameterError):
        return bool(project_of(request).dataset(dataset))
    return False


def _doubt(found: Standing) -> str:
    """The doubt that a release was refused for, if it was: it can be published all the same."""
    doubt = found.text.removesuffix(" Nothing was charged")
    return doubt if found.what == "refused" and doubt != found.text else ""


def _phases(done: int) -> list[tuple[str, str]]:
    """Each phase with its words: done, now, or later."""
    return [
        (PHASE_WORDS[phase][k == done], "done" if k < done else "now" if k == done else "later")
        for k, phase in enumerate(PHASES)
    ]


async def events(request: Request) -> Response:
    """The same four steps as they come, and then the page on which it has ended."""
    job = _job(request)
    await run_in_threadpool(jobs_of(request).standing, job)  # refused here, if there is none
    return StreamingResponse(_told(request, job), media_type="text/event-stream")


async def _told(request: Request, job: str) -> AsyncIterator[str]:
    """Each step by itself and in order, however quick it was: what is sent tells no times.

    With each comes what can be done at it: *Stop* is there as long as it gives something back.
    """
    jobs, stopping, shown = jobs_of(request), studio_of(request).stopping, -1
    template = templates().get_template("phases.html")
    while not stopping.is_set():
        try:
            done = await run_in_threadpool(jobs.done, job)
            upto = done if done is not None else (await run_in_threadpool(jobs.standing, job)).done
        except LedgerError:  # others hold it: what was told stays true, and it is asked again
            done = upto = max(shown, 0)
        for k in range(shown + 1, upto + 1):
            text = template.render(phases=_phases(k), done=k, job=job).replace("\n", "")
            yield f"data: {text}\n\n"
        shown = max(shown, upto)
        if done is None:
            yield f"event: next\ndata: /jobs/{job}\n\n"
            return
        try:
            await asyncio.wait_for(stopping.wait(), _PAUSE)
        except TimeoutError:
            continue


def stop(request: Request) -> Response:
    """End it, with its budget given back if its noise was not drawn."""
    return _done(request, partial(jobs_of(request).stop, _job(request)))


def finish(request: Request) -> Response:
    """Go on where it stopped, under the same id."""
    doubted = Form.of(request).text("doubted")
    return _done(request, partial(jobs_of(request).finish, _job(request), doubted=doubted))


def refund(request: Request) -> Response:
    """Give the budget back, for a reason that the ledger keeps."""
    reason = Form.of(request).text("reason", 500)
    if not any(map(str.isalnum, reason)):
        return _shown(request, "Say why it is given back: the ledger keeps it.", 422)
    return _done(request, partial(jobs_of(request).refund, _job(request), reason=reason))


def _done(request: Request, act: Callable[[], None]) -> Response:
    """Do it, and lead back to the page; or show the page with what the ledger says against it."""
    try:
        act()
    except Refused as refusal:
        return _shown(request, str(refusal), 409)
    return to(f"/jobs/{_job(request)}")


def _job(request: Request) -> str:
    job = str(request.path_params["job"])
    if not is_job(job):
        raise ParameterError("there is no such job here: begin at the start page")
    return job


ROUTES = [
    Route("/jobs/{job}", show),
    Route("/jobs/{job}/events", events),
    Route("/jobs/{job}/stop", stop, methods=["POST"]),
    Route("/jobs/{job}/finish", finish, methods=["POST"]),
    Route("/jobs/{job}/refund", refund, methods=["POST"]),
]
