"""The releases that the studio shows: those of a project, or the one that somebody received.

What was computed of a release is kept until a file of its folder changes: checks, and its report.
"""

from collections.abc import Callable, Hashable
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

from sfumato.errors import ParameterError, ReleaseError
from sfumato.release.folder import is_release
from sfumato.studio.place import inside, is_slug
from sfumato.studio.project import Project
from sfumato.untrusted.plain_file import is_folder

__all__ = ["RECEIVED", "Shelf", "shelf_of"]

RECEIVED = "received"  # in addresses, where there is one release and no project
_MOST_KEPT = 12  # of everything that is kept; a report is some 100 kB
Found = TypeVar("Found")


class Shelf:
    """Where releases lie, by their names in addresses."""

    def __init__(self, folder: Path, *, alone: bool = False) -> None:
        self.folder, self.alone = folder, alone
        self._kept: dict[Hashable, Any] = {}
        self._lock = Lock()

    def place(self, name: str) -> Path:
        """The folder of a release; refused where there is none of this name."""
        if self.alone:
            if name != RECEIVED:
                raise ParameterError("there is one release here, the received one")
            found = self.folder
        elif not is_slug(name) or not is_folder(found := inside(self.folder, name)):
            raise ParameterError("there is no such release here: begin at the start page")
        if not is_release(found):
            raise ReleaseError(
                f"{found} is no release: it holds no release.json. A release is the whole folder, "
                "as it was sent: unpack it with all its files, and name that folder"
            )
        return found

    def kept(self, folder: Path, what: Hashable, compute: Callable[[], Found]) -> Found:
        """What was computed of a folder before, unless a file in it was changed since."""
        key = (folder, what, _state(folder))
        with self._lock:
            if key in self._kept:
                self._kept[key] = self._kept.pop(key)  # the newest last
                found: Found = self._kept[key]
                return found
        made = compute()
        with self._lock:
            self._kept[key] = made
            while len(self._kept) > _MOST_KEPT:
                del self._kept[next(iter(self._kept))]
        return made

    def known(self, folder: Path, what: Hashable) -> bool:
        """Whether this is kept, so that nothing has to be computed for it."""
        with self._lock:
            return (folder, what, _state(folder)) in self._kept


def shelf_of(project: Project | None, received: Path | None) -> Shelf:
    """The releases of a project, or the received one; refused where neither is named."""
    if received is not None:
        return Shelf(received.absolute(), alone=True)
    if project is None:
        raise ParameterError("name a project, or a received release")
    return Shelf(project.releases)


def _state(folder: Path) -> tuple[tuple[str, int, int, int], ...]:
    """Names, sizes and times of all files: a change shows, though not that of a forger.

    Who forges the times of files on this machine could as well replace the program.
    """
    try:
        paths = sorted((*folder.iterdir(), *folder.glob("data/*")))
        found = [(path, path.lstat()) for path in paths]
    except OSError as error:  # it is not ours to read, or is being moved
        raise ReleaseError(f"{folder} cannot be read: {error.strerror}") from None
    return tuple((path.name, at.st_size, at.st_mtime_ns, at.st_ctime_ns) for path, at in found)
