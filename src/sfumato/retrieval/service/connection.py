"""One connection, with a deadline for whatever the other side has to do.

The server below has a limit for none of these: a TLS handshake, the head of a request, its body,
and the reply being taken.  Here each has its time, from the moment the service began to wait;
bytes that trickle in do not put it off.
"""

import asyncio
import ssl
from contextlib import suppress
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from sfumato.retrieval.service.door import Door, Stage
from sfumato.retrieval.service.limits import household

__all__ = ["LARGEST_HEAD", "Connection"]

LARGEST_HEAD = 2**14  # bytes
_GRACE = 2.0  # seconds that a late body is waited for after its client was told
_FULL = (
    b"HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 1\r\n"
    b"Content-Type: application/json\r\nContent-Length: 33\r\n\r\n"
    b'{"error": "too many connections"}'
)


class Connection(H11Protocol):
    """HTTP/1.1 over a plain or an encrypted connection."""

    def __init__(
        self, door: Door, encryption: ssl.SSLContext | None, *given: Any, **named: Any
    ) -> None:
        super().__init__(*given, **named)
        self._door, self._encryption = door, encryption
        self.address = ""
        self._stage: Stage = "head"
        self._line: asyncio.Transport | None = None  # below the encryption, if there is one
        self._deadline: asyncio.TimerHandle | None = None
        self._stuck: asyncio.TimerHandle | None = None
        self._greeting: asyncio.Task[None] | None = None
        self._early = b""  # what came with the end of the handshake

    @property
    def stage(self) -> Stage:
        """How far the request has come; stuck, while its reply is not taken."""
        return "stuck" if self._stage == "reply" and self._stuck is not None else self._stage

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Let in if there is room; encrypted first, where the service is."""
        self._line = transport
        peer = transport.get_extra_info("peername")
        self.address = household(peer[0]) if isinstance(peer, tuple) else ""
        if not self._door.admit(self):
            if self._encryption is None:
                transport.write(_FULL)
            transport.close()
            self._stage = "leaving"
            self._wait(self._door.limits.head_seconds)
            return
        self._wait(self._door.limits.head_seconds)
        if self._encryption is None:
            super().connection_made(transport)
        else:
            transport.pause_reading()
            self._greeting = self.loop.create_task(self._greeted(transport, self._encryption))

    async def _greeted(self, line: asyncio.Transport, encryption: ssl.SSLContext) -> None:
        """The handshake, within the time that a head has."""
        secured = None
        with suppress(OSError, ConnectionError, TimeoutError):  # SSLError is an OSError
            secured = await self.loop.start_tls(
                line,
                self,
                encryption,
                server_side=True,
                ssl_handshake_timeout=self._door.limits.head_seconds,
                ssl_shutdown_timeout=1.0,
            )
        if secured is None:
            self._ended()
            line.abort()
        else:
            super().connection_made(secured)
            if self._early:
                self.data_received(self._early)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget about it."""
        self._ended()
        if self.transport is not None:
            super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read on, unless nobody listens any more."""
        if self.transport is None:
            self._early += data
        elif self._stage != "leaving":
            super().data_received(data)
            self._look()

    def send_400_response(self, msg: str) -> None:
        """What was sent is no request; a line says so, unless it had begun as one."""
        if self.cycle is None or self.cycle.response_complete:
            self._door.malformed()
        super().send_400_response(msg)

    def on_response_complete(self) -> None:
        """The reply is written."""
        super().on_response_complete()
        self._look()

    def timeout_keep_alive_handler(self) -> None:
        """No further request came."""
        super().timeout_keep_alive_handler()
        self._look()

    def shutdown(self) -> None:
        """Whoever waits for a reply gets it; nobody else is waited for."""
        if self._stage == "reply":
            super().shutdown()
        else:
            self.drop("stopping")

    def pause_writing(self) -> None:
        """The other side does not take its reply."""
        super().pause_writing()
        self._stuck = self.loop.call_later(
            self._door.limits.body_seconds, self.drop, "reply not taken"
        )

    def resume_writing(self) -> None:
        """It does again."""
        super().resume_writing()
        self._freed()

    def drop(self, refusal: str) -> None:
        """End it at once, and say why."""
        self._door.note(refusal)
        self._ended()
        if self._line is not None:
            self._line.abort()

    def _look(self) -> None:
        """Give the state of the request its deadline, once."""
        limits, stage = self._door.limits, self._found()
        if stage == self._stage:
            return
        self._stage = stage
        if stage == "body":
            self._wait(limits.body_seconds + _GRACE)
        elif stage == "reply":
            self._wait(None)
        else:
            self._wait(limits.head_seconds)

    def _found(self) -> Stage:
        if self.transport.is_closing():
            return "leaving"
        theirs = self.conn.their_state
        if theirs is h11.SEND_BODY:
            return "body"
        if theirs is not h11.IDLE:
            return "reply"
        begun = bool(self.conn.trailing_data[0])
        return "idle" if self._stage in ("idle", "reply") and not begun else "head"

    def _wait(self, seconds: float | None) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
        if seconds is not None:
            self._deadline = self.loop.call_later(seconds, self._late)

    def _late(self) -> None:
        self.drop(f"{self._stage} too late")

    def _freed(self) -> None:
        if self._stuck is not None:
            self._stuck.cancel()
            self._stuck = None

    def _ended(self) -> None:
        self._stage = "leaving"
        self._wait(None)
        self._freed()
        self._door.leave(self)
