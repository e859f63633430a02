"""The studio as it runs: one process, on this machine alone, until it is stopped or left alone.

Limits.  Loopback is shared by all users of a machine; the key is the only wall between them.
"""

import asyncio
import logging
import os
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from time import monotonic

import uvicorn

from sfumato.errors import ParameterError
from sfumato.studio.application import application
from sfumato.studio.gate import Gate, Key
from sfumato.studio.jobs import Jobs
from sfumato.studio.opening import forget, opening_file
from sfumato.studio.page import Studio
from sfumato.studio.project import Project
from sfumato.studio.shelf import shelf_of

__all__ = ["IDLE", "listening", "serve"]

_HOME = "127.0.0.1"
_GRACE = 2  # seconds for answers that are under way
_MOST_CONNECTIONS = 64
IDLE = 8 * 3600.0  # seconds after which nobody is thought to be there


def listening(port: int) -> socket.socket:
    """A socket that this machine alone can reach; port 0 takes a free one.

    >>> with listening(0) as taken:
    ...     taken.getsockname()[0]
    '127.0.0.1'
    """
    if not 0 <= port < 2**16:
        raise ParameterError(f"port must be from 0 to 65535, got {port}")
    try:
        taken = socket.create_server((_HOME, port))
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else "no such address"
        raise ParameterError(
            f"port {port} cannot be used: {reason}; choose another, or leave --port out"
        ) from None
    # Connections inherit it; with it off a reply of two packets waits for the client's 40 ms.
    taken.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return taken


class _Server(uvicorn.Server):
    """A server that says when it begins to stop, so that events under way come to their end."""

    def __init__(self, config: uvicorn.Config, stopping: asyncio.Event) -> None:
        super().__init__(config)
        self._stopping = stopping

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._stopping.set()
        await super().shutdown(sockets)


def serve(
    project: Project | None,
    taken: socket.socket,
    *,
    ready: Callable[[str, Path], None],
    say: Callable[[str], None],
    idle: float = IDLE,
    received: Path | None = None,
) -> None:
    """Answer until somebody quits, interrupts, or is away for `idle` seconds.

    Without a project the folder `received`, a release from elsewhere, is all that is shown.
    `ready` is called with the address and the file that opens it; `say` gets what went wrong, in
    one line each.
    """
    shelf = shelf_of(project, received)
    port, key, stopping = taken.getsockname()[1], Key(), asyncio.Event()
    with opening_file(port, key.token) as path:
        studio = Studio(
            project=project,
            jobs=None if project is None else Jobs(project, say),
            shelf=shelf,
            key=key,
            cookie=f"sfumato-{port}",
            stop=lambda: setattr(server, "should_exit", True),
            stopping=stopping,
            opened=lambda: forget(path),
        )
        gate = Gate(application(studio), port, key, say)
        server = _Server(
            uvicorn.Config(
                gate,
                ws="none",
                # One reader of requests, whatever else is installed: it refuses two hosts in one.
                http="h11",
                proxy_headers=False,  # nobody stands in between
                log_config=None,
                access_log=False,  # which page was seen when is nobody's business
                server_header=False,
                date_header=False,
                limit_concurrency=_MOST_CONNECTIONS,
                timeout_graceful_shutdown=_GRACE,
            ),
            stopping,
        )
        begun = partial(ready, f"http://{_HOME}:{port}/", path)
        with _silent(), suppress(KeyboardInterrupt):
            asyncio.run(_until_left(server, gate, taken, idle, begun))


@contextmanager
def _silent() -> Iterator[None]:
    """The server's own complaints may quote what was typed; ours are said by the gate."""
    log = logging.getLogger("uvicorn")
    level = log.level
    log.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        log.setLevel(level)


async def _until_left(
    server: _Server, gate: Gate, taken: socket.socket, idle: float, ready: Callable[[], None]
) -> None:
    serving = asyncio.create_task(server.serve(sockets=[taken]))
    while not server.started and not serving.done():
        await asyncio.sleep(0.01)
    ready()
    while not serving.done():
        await asyncio.wait([serving], timeout=min(idle / 4, 60.0))
        if monotonic() - gate.last_asked > idle:
            server.should_exit = True
    await serving
