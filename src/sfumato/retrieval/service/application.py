"""What is asked and answered, as an ASGI application."""

import asyncio
import json
import math
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from sfumato.errors import ParameterError, SfumatoError
from sfumato.retrieval.desk import Answered, Asked, Desk, Refusal
from sfumato.retrieval.protocol import BYTES, JSON, Question, largest_message
from sfumato.retrieval.service.connection import LARGEST_HEAD
from sfumato.retrieval.service.counter import BROKEN, Counter
from sfumato.retrieval.service.gate import Asker, Gate
from sfumato.retrieval.service.limits import Limits, Room
from sfumato.retrieval.service.request_log import RequestLog

__all__ = ["LOCAL", "application"]

LOCAL = ("127.0.0.1", "localhost", "::1", "[::1]")
_LONG = 2**16  # bytes from which on a message is read beside the loop, and a reply sent in parts
_LENGTH = re.compile("[0-9]{1,18}")  # of a message; str.isdigit takes ² for a digit
_TWO_ENDS = {b"content-length", b"transfer-encoding"}
_COPIES = 4  # of a message while it is read: its bytes, text, numbers
_FULL = Refusal(503, "full", "too many messages are being read: ask again in a moment", 1.0)

Work = Callable[[Request, Asker], Awaitable[Response | Refusal]]


def application(
    desk: Desk,
    *,
    hosts: tuple[str, ...] = LOCAL,
    limits: Limits | None = None,
    log: RequestLog | None = None,
    behind_proxy: bool = False,
) -> Starlette:
    """The service as an ASGI application."""
    log = log or RequestLog.nowhere()
    made = _Service(desk, limits or Limits(), log, behind_proxy)
    found = Starlette(
        routes=[
            Route("/facts", made.guarded("facts", made.facts)),
            Route("/keys", made.guarded("keys", made.keys)),
            Route("/answer", made.guarded("answer", made.answer), methods=["POST"]),
            Route("/health", made.health),
        ],
        middleware=[Middleware(_Hosts, hosts=hosts, log=log)],
        exception_handlers={404: made.elsewhere, 405: made.elsewhere},
        lifespan=made.running,
    )
    found.router.redirect_slashes = False  # which answers before anybody was asked for a token
    return found


class _Hosts:
    """Lets in whose head is not too long, has one end and names this host; others get a line."""

    def __init__(self, app: ASGIApp, hosts: tuple[str, ...], log: RequestLog) -> None:
        self._app, self._hosts, self._log = app, list(hosts), log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and _head(scope) > LARGEST_HEAD:
            # The server below has a limit for what is incomplete, not for what comes at once.
            self._log.say("request", client=None, status=431, refusal="head")
            too_long = JSONResponse({"error": f"a head has at most {LARGEST_HEAD} bytes"}, 431)
            await too_long(scope, receive, send)
            return
        if scope["type"] == "http" and {name for name, _ in scope["headers"]} >= _TWO_ENDS:
            # A proxy may have read it by the other one, and taken its rest for another request.
            self._log.say("request", client=None, status=400, refusal="two lengths")
            told = {"error": "a request has Content-Length or Transfer-Encoding: send one of them"}
            await JSONResponse(told, 400, {"Connection": "close"})(scope, receive, send)
            return
        entered = False

        async def enter(scope: Scope, receive: Receive, send: Send) -> None:
            nonlocal entered
            entered = True
            await self._app(scope, receive, send)

        check = TrustedHostMiddleware(enter, allowed_hosts=self._hosts, www_redirect=False)
        await check(scope, receive, send)
        if not entered:
            self._log.say("request", client=None, status=400, refusal="host")


class _Service:
    """The routes, and what they share."""

    def __init__(self, desk: Desk, limits: Limits, log: RequestLog, behind_proxy: bool) -> None:
        self._desk, self._limits, self._log = desk, limits, log
        self._gate = Gate(desk, limits, behind_proxy=behind_proxy)
        self._length = desk.answering.length
        self._largest = largest_message(self._length)
        # One asker has half of it, and the longest question fits into that.
        self._room = Room(max(limits.held_megabytes * 2**20, 2 * self._held(self._largest)))
        self._keys = json.dumps({"keys": desk.counts.keys.names}).encode()

    @asynccontextmanager
    async def running(self, _: Starlette) -> AsyncIterator[None]:
        """Answer meanwhile; whoever waits at the end is answered still."""
        self._counter = Counter(self._desk, self._fault)
        answering = asyncio.create_task(self._counter.run())
        telling = asyncio.create_task(self._tell())
        yield
        self._counter.close()
        await answering
        telling.cancel()
        try:
            await asyncio.to_thread(self._desk.close)
        except SfumatoError as error:  # the next run settles what this one could not
            self._fault(error)

    def guarded(self, name: str, work: Work) -> Callable[[Request], Awaitable[Response]]:
        """The work for whoever may ask for it, with a line in the log."""

        async def reply(request: Request) -> Response:
            client: str | None = None
            try:
                asker, refusal = await self._gate.enter(request)
                client = asker.client
                found = refusal or await work(request, asker)
            except SfumatoError as error:
                self._fault(error)
                found = BROKEN
            if isinstance(found, Refusal):
                self._log.say(name, client=client, status=found.status, refusal=found.kind)
                return _refused(found)
            self._log.say(name, client=client, status=found.status_code)
            return found

        return reply

    async def elsewhere(self, _: Request, error: Exception) -> Response:
        """A path or a method that there is not; neither is written down, for they are anybody's."""
        status, headers = 404, None
        if isinstance(error, HTTPException):
            status, headers = error.status_code, error.headers
        kind = "method" if status == 405 else "path"
        self._log.say("request", client=None, status=status, refusal=kind)
        return JSONResponse({"error": f"there is no such {kind} here"}, status, headers)

    async def health(self, _: Request) -> Response:
        """Whether the ledger can be read and charges are recorded; nothing else."""
        try:
            await self._gate.clients()
        except SfumatoError as error:
            self._fault(error)
            return JSONResponse({"status": "failing"}, 503)
        if self._counter.failing:
            return JSONResponse({"status": "failing"}, 503)
        return JSONResponse({"status": "ok"})

    async def facts(self, _: Request, asker: Asker) -> Response:
        """What everybody who may ask may know."""
        return JSONResponse(await asyncio.to_thread(self._desk.facts, asker.client))

    async def keys(self, _: Request, __: Asker) -> Response:
        """All of the list, in parts, so that nobody who takes it slowly fills the memory."""
        if len(self._keys) <= _LONG:
            return Response(self._keys, media_type=JSON)
        length = {"Content-Length": str(len(self._keys))}
        return StreamingResponse(_parts(self._keys), media_type=JSON, headers=length)

    async def answer(self, request: Request, asker: Asker) -> Response | Refusal:
        """The answer to a question, when it is charged and kept."""
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind not in (JSON, BYTES):
            return Refusal(415, "type", f"send a question as {JSON} or {BYTES}")
        declared = request.headers.get("content-length")
        too_long = Refusal(413, "size", f"a question here has at most {self._largest} bytes")
        size = self._largest
        if declared is not None:
            if not (_LENGTH.fullmatch(declared) and int(declared) <= self._largest):
                return too_long
            size = int(declared)
        if not self._room.take(asker.counted, self._held(size)):
            return _FULL
        try:
            question = await self._question(request, kind)
            if question is None:
                return too_long
            if isinstance(question, Refusal):
                return question
            if refusal := await self._gate.gone(request, asker):
                return refusal
            return await self._answered(Asked(question, asker.client), asker)
        finally:
            self._room.leave(asker.counted, self._held(size))

    async def _answered(self, asked: Asked, asker: Asker) -> Response | Refusal:
        if refusal := self._gate.one_answer(asker):
            # Many of one client may wait; what was given is repeated however many they asked.
            again = await asyncio.to_thread(self._desk.repeated, asked)
            return refusal if again is None else _said(again)
        reply = await self._counter.ask(asked)
        if isinstance(reply, Refusal) or reply.again:
            self._gate.not_given(asker)
        return _said(reply)

    async def _question(self, request: Request, kind: str) -> Question | Refusal | None:
        """What was sent, or None if it is longer than it may be; then the rest is not read."""
        body = bytearray()
        try:
            async with asyncio.timeout(self._limits.body_seconds):
                async for chunk in request.stream():
                    body += chunk
                    if len(body) > self._largest:
                        return None
        except TimeoutError:
            seconds = self._limits.body_seconds
            return Refusal(408, "slow", f"the message did not arrive within {seconds:g} s")
        except ClientDisconnect:  # nobody is left to be told
            return Refusal(400, "broken off", "the message broke off")
        read = Question.from_json if kind == JSON else Question.from_bytes
        try:
            if len(body) > _LONG:
                return await asyncio.to_thread(read, bytes(body), self._length)
            return read(bytes(body), self._length)
        except ParameterError as error:
            return Refusal(400, "form", str(error))

    def _held(self, size: int) -> int:
        """Bytes in memory, at most, for a message of this size and the question in it."""
        return _COPIES * size + 16 * self._length

    def _fault(self, error: Exception) -> None:
        # Ours are written for people; of others the kind alone, for they may quote the data.
        ours = isinstance(error, SfumatoError)
        self._log.say("fault", kind=type(error).__name__, reason=str(error) if ours else None)

    async def _tell(self) -> None:
        while True:
            await asyncio.sleep(1)
            self._log.flush()


def _said(reply: Answered | Refusal) -> Response | Refusal:
    if isinstance(reply, Refusal):
        return reply
    return JSONResponse({"id": reply.id, "answer": reply.value})


def _refused(refusal: Refusal) -> Response:
    headers = {}
    if refusal.wait:
        headers["Retry-After"] = str(math.ceil(refusal.wait))
    if refusal.status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    if refusal.status == 408:
        headers["Connection"] = "close"
    return JSONResponse({"error": refusal.reason}, refusal.status, headers)


def _head(scope: Scope) -> int:
    """Bytes of a head, at least."""
    line = len(scope["path"]) + len(scope.get("query_string", b""))
    return line + sum(len(name) + len(value) + 3 for name, value in scope["headers"])


async def _parts(text: bytes) -> AsyncIterator[bytes]:
    for start in range(0, len(text), _LONG):
        yield text[start : start + _LONG]
