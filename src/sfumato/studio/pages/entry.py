"""The door: a key for a cookie, once; and the way out."""

from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from sfumato.studio.forms import Form
from sfumato.studio.page import page, studio_of, templates, to

__all__ = ["ROUTES"]


def _door(request: Request) -> Response:
    """One button: a cookie that is set on the way here would be lost, for it began outside."""
    return _shown(Form.of(request).text("token", 200), "")


def _open(request: Request) -> Response:
    studio = studio_of(request)
    if not studio.key.opens(Form.of(request).text("token", 200)):
        fault = (
            "This key was used before, or is not the one of this studio. Stop the studio and start "
            "it anew: each start has a key of its own."
        )
        return _shown("", fault, 403)
    studio.opened()
    answer = to("/")
    answer.set_cookie(studio.cookie, studio.key.session, httponly=True, samesite="strict", path="/")
    return answer


def _shown(token: str, fault: str, status: int = 200) -> Response:
    text = templates().get_template("open.html").render(token=token, fault=fault)
    return HTMLResponse(text, status)


def _quit(request: Request) -> Response:
    answer = page(request, "stopped.html", title="Stopped")
    answer.background = BackgroundTask(studio_of(request).stop)
    return answer


ROUTES = [
    Route("/open", _door),
    Route("/open", _open, methods=["POST"]),
    Route("/quit", _quit, methods=["POST"]),
]
