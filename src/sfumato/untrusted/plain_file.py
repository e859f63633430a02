"""Reading what somebody else wrote: plain files of a bounded size, and nothing else.

A name in a received folder may be a link that leads elsewhere, a pipe that never ends or a
device.  The file is opened without following links and without waiting, and then looked at.
"""

import errno
import os
import stat
from io import BufferedReader
from pathlib import Path

__all__ = ["content", "is_folder", "is_there", "opened"]


def is_there(path: Path) -> bool:
    """Whether something has this name, a link to nothing too; no name at all is not there.

    >>> is_there(Path("n" * 300)), is_there(Path(__file__))
    (False, True)
    """
    return os.path.lexists(path)  # unlike Path.exists, never raises


def is_folder(path: Path) -> bool:
    """Whether this is a folder; no name at all is none.

    >>> is_folder(Path("n" * 300)), is_folder(Path(__file__).parent)
    (False, True)
    """
    return os.path.isdir(path)  # noqa: PTH112  unlike Path.is_dir, never raises


def opened(path: Path, *, follow: bool = False) -> BufferedReader:
    """The file, open for reading; an `OSError` that says why where it is none.

    `follow` is for a path that the user has typed: there a link to a file is a file.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     place = Path(folder, "data.csv")
    ...     place.symlink_to("/dev/zero")
    ...     opened(place)
    Traceback (most recent call last):
    OSError: [Errno 40] it is a link, not a file
    """
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
    try:
        descriptor = os.open(path, flags | (0 if follow else getattr(os, "O_NOFOLLOW", 0)))
    except ValueError:  # a zero byte in the name
        raise OSError(errno.EINVAL, "the name holds a zero byte") from None
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise OSError(errno.ELOOP, "it is a link, not a file") from None
        raise
    try:
        mode = os.fstat(descriptor).st_mode
        if stat.S_ISDIR(mode):
            raise OSError(errno.EISDIR, os.strerror(errno.EISDIR))
        if not stat.S_ISREG(mode):
            raise OSError(errno.EINVAL, "it is not a plain file")
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def content(path: Path, most: int, *, follow: bool = False) -> bytes:
    """All of a file, if it has at most so many bytes.

    >>> content(Path(__file__), 10)
    Traceback (most recent call last):
    OSError: [Errno 27] it has more than 10 bytes
    """
    with opened(path, follow=follow) as file:
        longer = os.fstat(file.fileno()).st_size > most
        found = b"" if longer else file.read(most + 1)
    if longer or len(found) > most:
        raise OSError(errno.EFBIG, f"it has more than {most:,} bytes")
    return found
