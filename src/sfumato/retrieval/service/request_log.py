r"""What happened, as lines of JSON: for whoever runs the service, and for the programs they use.

A line says when, what, which client, with which status and kind of refusal.  It never holds a
question, an answer, a token or an id, and no text of a message is written, so nobody can write
lines of their own.  Lines that are alike within a second are one line with their number
(`times`), so that a flood of refusals does not fill the disk.

>>> import io
>>> told = io.StringIO()
>>> log = RequestLog(told, clock=lambda: 0.0)
>>> for _ in range(3):
...     log.say("request", client="anna\n{}", status=429, refusal="rate")
>>> log.flush()
>>> print(told.getvalue(), end="")
{"time": "1970-01-01T00:00:00.000Z", "event": "request", "client": "anna\n{}", "status": 429, "refusal": "rate"}
{"time": "1970-01-01T00:00:00.000Z", "event": "request", "client": "anna\n{}", "status": 429, "refusal": "rate", "times": 2}
"""  # noqa: E501  lines as they are written

import json
import os
import select
import stat
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from typing import IO, Self

from sfumato.errors import ParameterError

__all__ = ["RequestLog"]

Field = str | int | None


class RequestLog:
    """Lines to a stream; safe between threads."""

    def __init__(self, stream: IO[str] | None, *, clock: Callable[[], float] = time.time) -> None:
        self._stream, self._clock, self._lock = stream, clock, Lock()
        self._repeated: dict[tuple[tuple[str, Field], ...], int] = {}

    @classmethod
    def nowhere(cls) -> Self:
        """Nothing is kept."""
        return cls(None)

    @classmethod
    def screen(cls) -> Self:
        """To the standard error."""
        return cls(sys.stderr)

    @classmethod
    def file(cls, path: str | Path) -> Self:
        """At the end of this file, which is made, and made readable by its owner alone."""
        try:
            flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK
            handle = os.open(path, flags, 0o600)
        except OSError as error:
            raise ParameterError(f"log {path} cannot be written: {error.strerror}") from None
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            os.close(handle)
            raise ParameterError(f"log {path} must be a plain file, or one that is not there")
        os.fchmod(handle, 0o600)
        return cls(os.fdopen(handle, "a", encoding="ascii", buffering=1))

    def say(self, event: str, **fields: Field) -> None:
        """A line at once, or one more of the same since the last `flush`."""
        key = (("event", event), *fields.items())
        with self._lock:
            if key in self._repeated:
                self._repeated[key] += 1
                return
            self._repeated[key] = 0
            self._write(dict(key))

    def flush(self) -> None:
        """Tell how often lines came again; to be called about every second."""
        with self._lock:
            repeated, self._repeated = self._repeated, {}
            for key, times in repeated.items():
                if times:
                    self._write(dict(key) | {"times": times})

    def close(self) -> None:
        """Say what is left to say; a file is let go of."""
        self.flush()
        if self._stream is not None and self._stream is not sys.stderr:
            with suppress(OSError):
                self._stream.close()
        self._stream = None

    def _write(self, fields: dict[str, Field]) -> None:
        if self._stream is None or not _takes(self._stream):
            return
        moment = datetime.fromtimestamp(self._clock(), UTC)
        said = moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        with suppress(OSError, ValueError):  # a full disk is no reason to stop answering
            self._stream.write(json.dumps({"time": said} | fields) + "\n")
            self._stream.flush()


def _takes(stream: IO[str]) -> bool:
    """Whether a line can be written without waiting: a pipe that nobody reads takes none."""
    try:
        handle = stream.fileno()
    except (OSError, ValueError):  # in memory, or closed
        return True
    if sys.platform == "win32":  # which has no such question for a pipe
        return True
    waiting = select.poll()
    waiting.register(handle, select.POLLOUT)
    return bool(waiting.poll(0))
