"""The service as it runs: from the first connection to the last answer after a signal."""

import logging
import os
import resource
import signal
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

import uvicorn

from sfumato.errors import ParameterError
from sfumato.retrieval.desk import Desk
from sfumato.retrieval.service.application import LOCAL, application
from sfumato.retrieval.service.connection import LARGEST_HEAD, Connection
from sfumato.retrieval.service.door import Door
from sfumato.retrieval.service.limits import Limits
from sfumato.retrieval.service.place import is_local, require_protection
from sfumato.retrieval.service.request_log import RequestLog

__all__ = ["require_room", "serve"]

_STOPS = (signal.SIGINT, signal.SIGTERM)
_FILES = 128  # besides connections: the ledger, the answers, those who are told there is no room
_LAST = 10  # seconds for those who wait when the service stops


def serve(
    desk: Desk,
    taken: socket.socket,
    *,
    limits: Limits | None = None,
    log: RequestLog | None = None,
    encrypted: ssl.SSLContext | None = None,
    behind_proxy: bool = False,
) -> None:
    """Answer until a signal; whoever waits is answered before this returns."""
    limits, log = limits or Limits(), log or RequestLog.nowhere()
    beneath = taken.getsockname() if taken.family == socket.AF_UNIX else None
    address = taken.getsockname()[0] if beneath is None else ""
    require_protection(
        address or None,
        encrypted=encrypted is not None,
        behind_proxy=behind_proxy,
        tokens=any(client.token is not None for client in desk.clients()),
    )
    require_room(limits.connections)
    door = Door(
        limits,
        by_address=not behind_proxy,
        note=lambda refusal: log.say("connection", refusal=refusal),
        malformed=lambda: log.say("request", client=None, status=400, refusal="malformed"),
    )
    app = application(
        desk,
        hosts=("*",) if behind_proxy else _names(address),
        limits=limits,
        log=log,
        behind_proxy=behind_proxy,
    )
    settings: dict[str, Any] = {
        "http": partial(Connection, door, encrypted),
        "ws": "none",
        "loop": "asyncio",
        "lifespan": "on",
        "log_config": None,
        "access_log": False,  # what is worth telling is in our own log
        "server_header": False,
        "proxy_headers": False,  # which would believe anybody on this machine
        "h11_max_incomplete_event_size": LARGEST_HEAD,
        "timeout_graceful_shutdown": _LAST,
    }
    log.say("started")
    with _told(log):
        _Server(uvicorn.Config(app, **settings), door).run(sockets=[taken])
    if beneath is not None:
        with suppress(OSError):
            Path(beneath).unlink()
    log.flush()
    log.say("stopped")


class _Server(uvicorn.Server):
    """Stops at the first signal in peace, and at the second at once."""

    def __init__(self, config: uvicorn.Config, door: Door) -> None:
        super().__init__(config)
        self._door = door

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """While it runs; nothing is raised again afterwards, for the stop was in peace."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {number: signal.signal(number, self._stop) for number in _STOPS}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Nobody is waited for who has sent no whole request."""
        self._door.close()
        await super().shutdown(sockets)

    def _stop(self, number: int, _: FrameType | None) -> None:
        if self.should_exit:  # nothing is lost but what was bought ahead
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
        self.should_exit = True


def require_room(connections: int) -> None:
    """Let the process have as many open files as there may be connections, and some."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = connections + _FILES
    if hard != resource.RLIM_INFINITY and wanted > hard:
        raise ParameterError(
            f"connections must be at most {hard - _FILES}, got {connections}: this process may "
            f"open {hard} files (ulimit -Hn)"
        )
    if soft != resource.RLIM_INFINITY and wanted > soft:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def _names(address: str) -> tuple[str, ...]:
    """Host names that are answered: on a loopback address its own alone, for any other name
    there is a page in the owner's browser.

    >>> "127.0.0.2" in _names("127.0.0.2"), "*" in _names("127.0.0.2"), _names("192.0.2.7")
    (True, False, ('*',))
    """
    return (*LOCAL, address, f"[{address}]") if is_local(address) else ("*",)


@contextmanager
def _told(log: RequestLog) -> Iterator[None]:
    """What the server complains of, in one line each: tracebacks may quote a question."""
    lines, kept = _Lines(log), []
    for logger in (logging.getLogger("uvicorn"), logging.getLogger("asyncio")):
        kept.append((logger, logger.propagate))
        logger.propagate = False
        logger.addHandler(lines)
    try:
        yield
    finally:
        for logger, propagate in kept:
            logger.removeHandler(lines)
            logger.propagate = propagate


class _Lines(logging.Handler):
    """A log of single lines."""

    def __init__(self, log: RequestLog) -> None:
        super().__init__(logging.WARNING)
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        """Where it came from, and the kind of an error: a message may quote what was sent."""
        error = record.exc_info[0] if record.exc_info else None
        kind = record.levelname.lower() if error is None else error.__name__
        self._log.say("server", source=record.name, kind=kind)
