"""The service over HTTP: public facts, keys, and answers that cost the budget.

    GET  /facts    length, epsilon per answer, answers left: public, like everything it says
    GET  /keys     the public list of keys
    POST /answer   a question, as JSON or bytes (`sfumato.retrieval.protocol`)

Refusals are JSON, {"error": "…"}: 400 a question that does not fit, 403 the budget is spent, 409 an
id that was used for another question, 413 a message that is too long, 415 another content
type, 503 the ledger or the disk does not work.  No answer ever depends on how a question came.

Web pages.  No cross-origin header is sent, other content types than the two are refused, and on
a loopback address so are other host names: a page in the owner's browser cannot spend the budget.
Limits.  There is no login and no encryption: whoever reaches the port can ask, until the
budget is spent.  Put it behind something that has both before it leaves the host.
"""

import asyncio
import json
import logging
import os
import re
import socket
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from ipaddress import ip_address
from typing import Any

from sfumato.errors import MissingExtra, ParameterError, SfumatoError
from sfumato.retrieval.desk import Answered, Desk, Refusal
from sfumato.retrieval.protocol import BYTES, JSON, Question, largest_message

try:
    import uvicorn
    from starlette.applications import Starlette
    from starlette.middleware import Middleware
    from starlette.middleware.trustedhost import TrustedHostMiddleware
    from starlette.requests import ClientDisconnect, Request
    from starlette.responses import JSONResponse, Response
    from starlette.routing import Route
except ImportError:
    raise MissingExtra("the service needs starlette: pip install 'sfumato[service]'") from None

__all__ = ["application", "listening", "serve"]

_LOCAL = ("127.0.0.1", "localhost", "::1", "[::1]")
_LONG = 2**16  # bytes from which on a message is read beside the loop
_BROKEN = Refusal(503, "the charge could not be recorded: ask again later, under the same id")
_MOST_WAITING = 1024
_LENGTH = re.compile("[0-9]{1,18}")  # of a message; str.isdigit takes ² for a digit
_PATIENCE = 0.01  # seconds: a batch has four commits of some milliseconds each


class _Counter:
    """Where questions wait: those that come while a batch is at the disk form the next one."""

    def __init__(self, desk: Desk, say: Callable[[str], None]) -> None:
        self._desk, self._say = desk, say
        self._waiting: list[tuple[Question, asyncio.Future[Answered | Refusal]]] = []
        self._arrived, self._open = asyncio.Event(), True

    async def ask(self, question: Question) -> Answered | Refusal:
        """The reply, when its batch is on the disk."""
        if not self._open:
            return Refusal(503, "the service is stopping: ask again later, under the same id")
        reply: asyncio.Future[Answered | Refusal] = asyncio.get_running_loop().create_future()
        self._waiting.append((question, reply))
        self._arrived.set()
        return await reply

    async def run(self) -> None:
        """Batch after batch, until closed and empty."""
        crowd = 1
        while self._open or self._waiting:
            await self._arrived.wait()
            await self._gathered(crowd)
            batch = self._waiting[: self._desk.most]
            del self._waiting[: len(batch)]
            if not self._waiting and self._open:
                self._arrived.clear()
            if batch:
                crowd = await self._served(batch)

    async def _gathered(self, crowd: int) -> None:
        """Wait a little for as many as there were: less than a commit takes."""
        deadline = time.monotonic() + _PATIENCE
        while self._open and len(self._waiting) < crowd and time.monotonic() < deadline:
            await asyncio.sleep(_PATIENCE / 10)

    async def _served(
        self, batch: list[tuple[Question, asyncio.Future[Answered | Refusal]]]
    ) -> int:
        """How many clients there are: those answered, who may ask again, and those who wait."""
        questions = [question for question, _ in batch]
        try:
            replies = await asyncio.to_thread(self._desk.answer, questions)
        except Exception as error:
            self._tell(error)
            replies = [_BROKEN] * len(batch)
        crowd = len(batch) + len(self._waiting)
        for (_, reply), found in zip(batch, replies, strict=True):
            if not reply.done():  # a client that went away
                reply.set_result(found)
        try:
            await asyncio.to_thread(self._desk.settle)
        except SfumatoError as error:
            self._tell(error)
        return crowd

    def _tell(self, error: Exception) -> None:
        # Ours are written for people; of others the kind alone, for they may quote the data.
        self._say(str(error) if isinstance(error, SfumatoError) else type(error).__name__)

    def close(self) -> None:
        """Let `run` end when nobody waits any more."""
        self._open = False
        self._arrived.set()


def application(
    desk: Desk,
    *,
    hosts: tuple[str, ...] = _LOCAL,
    say: Callable[[str], None] = lambda _: None,
) -> Starlette:
    """The service as an ASGI application; `say` gets what its owner must know."""
    length = desk.answering.length
    limit = largest_message(length)
    keys = json.dumps({"keys": desk.counts.keys.names}).encode()

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        app.state.counter = _Counter(desk, say)
        running = asyncio.create_task(app.state.counter.run())
        yield
        app.state.counter.close()
        await running
        await asyncio.to_thread(desk.close)

    async def facts(_: Request) -> Response:
        try:
            return JSONResponse(await asyncio.to_thread(desk.facts))
        except SfumatoError as error:
            say(str(error))
            return _refused(_BROKEN)

    async def key_list(_: Request) -> Response:
        return Response(keys, media_type=JSON)

    async def answer(request: Request) -> Response:
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind not in (JSON, BYTES):
            return _refused(Refusal(415, f"send a question as {JSON} or {BYTES}"))
        try:
            body = await _body(request, limit)
        except ClientDisconnect:  # nobody is left to be told
            return _refused(Refusal(400, "the message broke off"))
        if body is None:
            return _refused(Refusal(413, f"a question here has at most {limit} bytes"))
        read = Question.from_json if kind == JSON else Question.from_bytes
        try:
            if len(body) > _LONG:
                question = await asyncio.to_thread(read, body, length)
            else:
                question = read(body, length)
        except ParameterError as error:
            return _refused(Refusal(400, str(error)))
        reply = await request.app.state.counter.ask(question)
        if isinstance(reply, Refusal):
            return _refused(reply)
        return JSONResponse({"id": reply.id, "answer": reply.value})

    return Starlette(
        routes=[
            Route("/facts", facts),
            Route("/keys", key_list),
            Route("/answer", answer, methods=["POST"]),
        ],
        middleware=[Middleware(TrustedHostMiddleware, allowed_hosts=list(hosts))],
        lifespan=lifespan,
    )


def _refused(refusal: Refusal) -> Response:
    return JSONResponse({"error": refusal.reason}, refusal.status)


async def _body(request: Request, limit: int) -> bytes | None:
    """What was sent, or None if it is longer than it may be; then the rest is not read."""
    declared = request.headers.get("content-length")
    if declared is not None and not (_LENGTH.fullmatch(declared) and int(declared) <= limit):
        return None
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > limit:
            return None
    return bytes(body)


def listening(host: str, port: int) -> socket.socket:
    """A socket on this address; port 0 takes a free one.

    >>> with listening("127.0.0.1", 0) as taken:
    ...     taken.getsockname()[1] > 0
    True
    """
    if not isinstance(port, int) or not 0 <= port < 2**16:
        raise ParameterError(f"port must be from 0 to 65535, got {port!r}")
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        taken = socket.create_server((host, port), family=family)
        # Connections inherit it; with it off a reply of two packets waits for the client's 40 ms.
        taken.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return taken
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else "no such address"
        raise ParameterError(
            f"port {port} of {host} cannot be used: {reason}; choose another with --port"
        ) from None


def _names(address: str) -> tuple[str, ...]:
    """Host names that are answered: on a loopback address its own alone, for any other name
    there is a page in the owner's browser.

    >>> "127.0.0.2" in _names("127.0.0.2"), "*" in _names("127.0.0.2"), _names("192.0.2.7")
    (True, False, ('*',))
    """
    if not ip_address(address).is_loopback:
        return ("*",)
    return (*_LOCAL, address, f"[{address}]")


def serve(desk: Desk, taken: socket.socket, *, say: Callable[[str], None]) -> None:
    """Answer until interrupted; whoever waits is answered before this returns."""
    address = taken.getsockname()[0]
    settings: dict[str, Any] = {
        "log_config": None,
        "access_log": False,  # who asked when is nobody's business
        "server_header": False,
        "limit_concurrency": _MOST_WAITING,
        "timeout_graceful_shutdown": 10,
    }
    server = uvicorn.Server(
        uvicorn.Config(application(desk, hosts=_names(address), say=say), **settings)
    )
    with suppress(KeyboardInterrupt), _told(say):  # handed on when everything is shut down
        server.run(sockets=[taken])


@contextmanager
def _told(say: Callable[[str], None]) -> Iterator[None]:
    """What the server complains of, in one line each: tracebacks may quote a question."""
    log, lines = logging.getLogger("uvicorn"), _Lines(say)
    handed_on, log.propagate = log.propagate, False
    log.addHandler(lines)
    try:
        yield
    finally:
        log.removeHandler(lines)
        log.propagate = handed_on


class _Lines(logging.Handler):
    """A log of single lines."""

    def __init__(self, say: Callable[[str], None]) -> None:
        super().__init__(logging.WARNING)
        self._say = say

    def emit(self, record: logging.LogRecord) -> None:
        """The first line of what is to be logged, and of an error its kind alone."""
        error = record.exc_info[0] if record.exc_info else None
        text = record.getMessage().partition("\n")[0]
        self._say(text if error is None else f"{text} ({error.__name__})")
