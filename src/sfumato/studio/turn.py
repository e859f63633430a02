"""One worker at a time for each job: a lock that ends with its process, however that ends.

Whether a worker is still at it is asked of the lock, not of a process number: numbers are used
again, and a studio that is started anew has no other way to know.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic, sleep

__all__ = ["Busy", "is_taken", "taken"]

_PATIENCE = 5.0  # seconds: whoever asks whether it is taken holds it for a moment


class Busy(Exception):
    """Another worker is at it."""


@contextmanager
def taken(path: Path, patience: float = _PATIENCE) -> Iterator[None]:
    """Hold the lock; `Busy` if another process holds it for longer than that.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     place = Path(folder, "lock")
    ...     with taken(place):
    ...         inside = is_taken(place)
    ...     print(inside, is_taken(place))
    True False
    """
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        until = monotonic() + patience
        while not _lock(handle, alone=True):
            if monotonic() > until:
                raise Busy
            sleep(0.02)
        yield
    finally:
        os.close(handle)


def is_taken(path: Path) -> bool:
    """Whether a process holds the lock."""
    try:
        handle = os.open(path, _ASKING)
    except (FileNotFoundError, PermissionError):  # another person's is theirs to ask about
        return False
    try:
        return not _lock(handle, alone=False)
    finally:
        os.close(handle)


if sys.platform == "win32":
    import msvcrt

    _ASKING = os.O_RDWR

    def _lock(handle: int, *, alone: bool) -> bool:  # noqa: ARG001  there is one kind here
        with suppress(OSError):
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
            return True
        return False
else:
    import fcntl

    _ASKING = os.O_RDONLY  # where nothing can be written any more, too

    def _lock(handle: int, *, alone: bool) -> bool:
        # Those who only ask are not in each other's way.
        kind = fcntl.LOCK_EX if alone else fcntl.LOCK_SH
        with suppress(BlockingIOError):
            fcntl.flock(handle, kind | fcntl.LOCK_NB)
            return True
        return False
