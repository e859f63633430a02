"""The pages of the studio as one application, which stands behind the gate."""

from importlib.resources import files

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from sfumato.errors import MissingExtra, SfumatoError
from sfumato.studio.page import Studio, page
from sfumato.studio.pages import (
    columns,
    entry,
    file,
    job,
    ledger,
    look,
    officer,
    promise,
    release,
    review,
    start,
)

__all__ = ["application"]

_STATIC = {
    "studio.css": "text/css",
    "release.css": "text/css",
    "promise.css": "text/css",
    "studio.js": "text/javascript",
    "icon.svg": "image/svg+xml",
}
_ROUTES = [
    *entry.ROUTES,
    *start.ROUTES,
    *file.ROUTES,
    *columns.ROUTES,
    *promise.ROUTES,
    *review.ROUTES,
    *job.ROUTES,
    *release.ROUTES,
    *ledger.ROUTES,
    *officer.ROUTES,
    *look.ROUTES,
]
_RECEIVED = [*entry.ROUTES, *release.ROUTES, *release.ALONE]  # nothing of an owner's


def application(studio: Studio) -> Starlette:
    """The application; `studio` is what its pages share."""
    app = Starlette(
        routes=[
            *(_RECEIVED if studio.project is None else _ROUTES),
            Route("/static/{name}", _static),
        ],
        exception_handlers={
            SfumatoError: _refused,
            HTTPException: _not_found,
            Exception: _broken,
        },
    )
    app.state.studio = studio
    return app


def _static(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in _STATIC:
        raise HTTPException(404)
    content = (files("sfumato.studio") / "static" / name).read_bytes()
    return Response(content, media_type=_STATIC[name])


def _refused(request: Request, error: Exception) -> Response:
    """Ours are written for people, and never quote a record."""
    status = 501 if isinstance(error, MissingExtra) else 409
    return page(request, "refused.html", status=status, title="Not possible", reason=str(error))


def _not_found(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 404
    if not request.url.path.startswith(("/d/", "/r/")) and status != 404:
        return PlainTextResponse("This way of asking is not served here.\n", status)
    reason = "There is no such page: begin at the start page."
    return page(request, "refused.html", status=status, title="No such page", reason=reason)


def _broken(request: Request, _error: Exception) -> Response:
    """What it says may quote a record: it stays unsaid; the gate says where the fault lies."""
    reason = (
        "The program has a fault. What you typed on earlier pages is kept, and a charge that was "
        "made stays. Where the studio was started, a line says where the fault lies."
    )
    return page(request, "refused.html", status=500, title="A fault of the program", reason=reason)
