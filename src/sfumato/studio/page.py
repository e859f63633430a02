"""How a page is put together: what every template knows, and how an answer leads on."""

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from sfumato.errors import ParameterError
from sfumato.studio.asked import Asked, is_job
from sfumato.studio.draft import Draft
from sfumato.studio.forecasts import Forecasts
from sfumato.studio.gate import ENTERED, Key
from sfumato.studio.jobs import Jobs
from sfumato.studio.project import Project
from sfumato.studio.shelf import Shelf
from sfumato.studio.steps import Step, steps
from sfumato.studio.words import READ_RELEASE, READ_SO_FAR, at_home, greek, sentence
from sfumato.untrusted.visible import seen_on_a_page, visible

if TYPE_CHECKING:
    from asyncio import Event

    from jinja2 import Environment

__all__ = ["Studio", "jobs_of", "page", "project_of", "studio_of", "templates", "to"]

_NO_PROJECT = "only a received release is open here, no project"


@dataclass
class Studio:
    """What all pages share."""

    project: Project | None  # None: one received release is all that there is
    jobs: Jobs | None
    shelf: Shelf
    key: Key
    cookie: str
    stop: Callable[[], None]  # the server, within two seconds
    stopping: "Event"  # set when that begins: whoever sends events ends them
    forecasts: Forecasts = field(default_factory=Forecasts)
    opened: Callable[[], None] = field(default=lambda: None)  # the key was used


def studio_of(request: Request) -> Studio:
    """What all pages share."""
    studio: Studio = request.app.state.studio
    return studio


def project_of(request: Request) -> Project:
    """The folder that is open."""
    project = studio_of(request).project
    if project is None:
        raise ParameterError(_NO_PROJECT)
    return project


def jobs_of(request: Request) -> Jobs:
    """The jobs of this folder."""
    jobs = studio_of(request).jobs
    if jobs is None:
        raise ParameterError(_NO_PROJECT)
    return jobs


@cache
def templates() -> "Environment":
    """Templates of this package, with all that is put into them escaped and made visible."""
    from jinja2 import Environment, PackageLoader, StrictUndefined, pass_context
    from markupsafe import Markup, escape

    found = Environment(
        loader=PackageLoader("sfumato.studio"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=seen_on_a_page,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters["sentence"] = pass_context(_sentence)
    found.filters["greek"] = greek
    # A text of ours may have several lines; what stands in a line is made visible as elsewhere.
    found.filters["lines"] = lambda text: Markup("\n").join(map(visible, text.split("\n")))
    # In a field stands what was typed, to be sent again as it was.
    found.filters["exact"] = escape
    found.tests["job"] = is_job
    return found


def page(request: Request, template: str, *, status: int = 200, **given: object) -> Response:
    """A page; `draft`, `asked`, `read` and `title` are for the layout, the rest for the template.

    `step` is which of the five it is, for the data set of the `draft`, or that which was `asked`
    to be published.
    """
    studio = studio_of(request)
    place = studio.shelf.folder if studio.project is None else studio.project.folder
    shown = {
        "draft": None,
        "read": READ_SO_FAR if studio.project else READ_RELEASE,
        # What is refused before the key was used is seen by everybody on this machine.
        "folder": at_home(place) if request.scope[ENTERED] else "",
        "lies_at": place,
        "received": studio.project is None,
        **given,
        "steps": _steps(studio.project, given),
    }
    return HTMLResponse(templates().get_template(template).render(shown), status)


def _steps(project: Project | None, given: Mapping[str, object]) -> list[Step]:
    """The line of steps; none where a page is not one of them."""
    here, draft, asked = given.get("step"), given.get("draft"), given.get("asked")
    if project is None or not isinstance(here, int):
        return []
    if draft is None and isinstance(asked, Asked):
        with suppress(ParameterError):  # its data set was moved away since
            draft = project.dataset(asked.dataset)
    return list(steps(project, draft if isinstance(draft, Draft) else None, here))


def _sentence(context: Mapping[str, object], text: str) -> str:
    """A message as a page says it: what lies in the folder of the page is named from there on."""
    place = Path(str(context["lies_at"]))
    return sentence(text.replace(f"{place}{os.sep}", "").replace(str(place), at_home(place)))


def to(path: str) -> Response:
    """Lead on to another page, so that a reload sends no form twice."""
    return RedirectResponse(quote(path, safe="/?=&#"), 303)
