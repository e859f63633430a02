"""The gate: who may speak to the studio, and what every answer carries.

Guarantee.  Only the browser that was shown the key gets an answer, and no page of another site or
of another port can make it act: the host is one of ours (else a foreign name could be pointed
here), the cookie is that of this session, and what changes anything comes from our own pages.
Limits.  Whoever sits at the keyboard, and every program of the same user, is inside.  Cookies
know no ports: a page that the same browser opens from another port of this machine is sent the
cookie, so that such pages must be of people who are trusted.
"""

import asyncio
import secrets
from collections.abc import Callable
from time import monotonic
from traceback import extract_tb

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["BODY", "ENTERED", "HEADERS", "Gate", "Key"]

_MOST = 2**20  # bytes of a form
_PATIENCE = 10.0  # seconds for a form to come in
_SAFE = ("GET", "HEAD")
BODY = "sfumato.body"  # where the form lies in the scope
ENTERED = "sfumato.entered"  # and whether it comes from the browser that was shown the key
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "cache-control": "no-store",
    # With no-referrer a browser would send `Origin: null` with our own forms.
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}


class Key:
    """A token that opens once, and the session that it opens.

    >>> key = Key()
    >>> key.opens(key.token), key.opens(key.token)
    (True, False)
    """

    def __init__(self) -> None:
        self.token, self.session = secrets.token_urlsafe(32), secrets.token_urlsafe(32)
        self.used = False

    def opens(self, token: str) -> bool:
        """Whether this is the token, and nobody has used it before."""
        right = secrets.compare_digest(token.encode(), self.token.encode()) and not self.used
        self.used |= right
        return right


class Gate:
    """Around the whole application; `say` gets one line for each fault of the program."""

    def __init__(self, app: ASGIApp, port: int, key: Key, say: Callable[[str], None]) -> None:
        self._app, self._key, self._say = app, key, say
        self._hosts = {f"127.0.0.1:{port}", f"localhost:{port}"}
        self.cookie = f"sfumato-{port}"
        self.last_asked = monotonic()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or refuse it."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        headers = {
            name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]
        }
        scope[ENTERED] = entered = self._knows(headers.get("cookie", ""))
        refusal = self._refusal(scope, headers, entered)
        if refusal is None:
            try:
                scope[BODY] = await _body(receive, headers.get("content-length"))
            except TimeoutError:
                refusal = 408, "The form did not come in time: send it again."
            except OverflowError:
                refusal = 413, "A form here has at most 1 MiB: send less at once."
            except ConnectionError:
                return
        out = _marked(send)
        if refusal is not None:
            status, text = refusal
            await PlainTextResponse(f"{text}\n", status)(scope, receive, out)
            return
        if entered:  # others on this machine do not keep it open
            self.last_asked = monotonic()
        try:
            await self._app(scope, _nothing_more(receive), out)
        except Exception as error:
            # The reply has been given; what the error says stays unsaid, for it may quote a record.
            self._say(_place(error))

    def _refusal(
        self, scope: Scope, headers: dict[str, str], entered: bool
    ) -> tuple[int, str] | None:
        host, path = headers.get("host", ""), scope["path"]
        open_to_all = path == "/open" or path.startswith("/static/")
        if host not in self._hosts:
            return 421, "This address is not served here."
        site = headers.get("sec-fetch-site")
        if scope["method"] not in _SAFE:
            origin = headers.get("origin")
            ours = site == "same-origin" if site is not None else origin == f"http://{host}"
            if not ours or origin not in (None, f"http://{host}"):
                return 403, "Another page sent this form: only pages of the studio may."
        elif site not in (None, "none", "same-origin") and not open_to_all:
            return 403, "Another page led here: open the studio by its own address."
        if not open_to_all and not entered:
            return 401, (
                "This browser has not opened the studio, or has been closed since. Stop the "
                "studio and start it anew: `sfumato studio`."
            )
        return None

    def _knows(self, cookies: str) -> bool:
        # By hand: `http.cookies` drops all of them where one, set by another program of this
        # machine, is not written as it should be.
        pairs = (one.strip().partition("=") for one in cookies.split(";"))
        return any(
            name == self.cookie
            and secrets.compare_digest(value.encode(), self._key.session.encode())
            for name, _, value in pairs
        )


async def _body(receive: Receive, declared: str | None) -> bytes:
    """All of a form; refused when it is too long or too slow, before anything is done with it."""
    if declared is not None and not (declared.isdecimal() and int(declared[:20]) <= _MOST):
        raise OverflowError
    body = bytearray()
    async with asyncio.timeout(_PATIENCE):
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise ConnectionError
            body += message.get("body", b"")
            if len(body) > _MOST:
                raise OverflowError
            if not message.get("more_body", False):
                return bytes(body)


def _nothing_more(receive: Receive) -> Receive:
    """The body is taken; what still comes is that the browser went away."""

    async def later() -> Message:
        while (message := await receive())["type"] != "http.disconnect":
            pass
        return message

    return later


def _marked(send: Send) -> Send:
    """Every answer with the headers; a page may state a narrower policy of its own."""

    async def out(message: Message) -> None:
        if message["type"] == "http.response.start":
            given = list(message.get("headers", []))
            stated = {name for name, _ in given}
            given += [
                (name.encode(), value.encode())
                for name, value in HEADERS.items()
                if name.encode() not in stated
            ]
            message = {**message, "headers": given}
        await send(message)

    return out


def _place(error: Exception) -> str:
    frame = extract_tb(error.__traceback__)[-1]
    file = frame.filename.replace("\\", "/").rpartition("/sfumato/")[2]
    return f"internal error: {type(error).__name__} at {file}:{frame.lineno}"
