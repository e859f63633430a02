"""Where a ledger file may lie: on a disk of this host, under one name.

Two hosts that share a file system do not see each other's locks for certain, so only file
systems that are known to be local are taken; whatever else is mounted there is refused by name.
A file that is itself a mount point (a container's `-v budget.db:/budget.db`) has a second name
elsewhere, under which SQLite would not find the journal of a change that was cut short.
"""

import os
import re
from pathlib import Path
from shlex import quote

from sfumato.errors import LedgerError
from sfumato.ledger.backend import Place

__all__ = ["key_file", "place_of", "require_file", "require_folder"]

MOUNTS = Path("/proc/self/mountinfo")
_COMMON = ("ext4", "xfs", "btrfs", "zfs", "apfs", "ntfs")
_LOCAL = {
    *_COMMON,
    *("bcachefs", "exfat", "ext2", "ext3", "f2fs", "fuseblk", "hfs", "hfsplus", "jfs", "msdos"),
    *("nilfs2", "ntfs3", "reiserfs", "ufs", "vfat"),
}
_PASSING = {
    "overlay": "it is in a container's own layer and is lost with the container",
    "ramfs": "it is in memory and is lost when the machine stops",
    "rootfs": "it is in memory and is lost when the machine stops",
    "tmpfs": "it is in memory and is lost when the machine stops",
}


def place_of(folder: Path) -> Place:
    """What the folder lies on; refused where two hosts could charge past each other."""
    mounts = _mounts()
    if mounts is None:
        return Place(
            None,
            "this system does not say which file system the folder is on: it is assumed to be a"
            " local disk of this host",
        )
    kinds = {point: kind for point, kind in mounts if _inside(folder, point)}  # the last one counts
    kind = kinds[max(kinds, key=len)] if kinds else None
    if kind is None:
        raise LedgerError(
            f"the file system of {folder} is not in the table of mounts: keep the ledger on "
            "a local disk"
        )
    if kind not in _LOCAL and kind not in _PASSING:
        raise LedgerError(
            f"{folder} is on a file system ({kind}) that is not known to be local, and two "
            "hosts that share it could spend the same budget twice: keep the ledger on a "
            f"local disk ({', '.join(_COMMON)} …)"
        )
    return Place(kind, _PASSING.get(kind))


def key_file(path: Path) -> str:
    """Where the fingerprint key of a ledger file lies, unless it was put elsewhere."""
    return f"{path}.key"


def require_folder(folder: Path) -> Place:
    """Refuse folders where a ledger is not safe or cannot be written."""
    if not folder.is_dir():
        raise LedgerError(f"there is no folder {folder}: make it first")
    place = place_of(folder)
    if not os.access(folder, os.W_OK | os.X_OK):
        raise LedgerError(f"{folder} cannot be written (permissions or a read-only mount)")
    return place


def require_file(path: Path) -> Place:
    """Refuse what is no ledger file, or one that has a second name."""
    if not path.exists():
        remedy = f"make it with `sfumato ledger create --ledger {quote(str(path))}`"
        raise LedgerError(f"there is no ledger at {path}: {remedy}")
    if not path.is_file():
        raise LedgerError(f"{path} is not a file, so not a ledger")
    place = require_folder(path.parent)
    if not os.access(path, os.W_OK):
        raise LedgerError(f"{path} cannot be written (permissions or a read-only mount)")
    about = path.stat()
    if about.st_size == 0:
        raise LedgerError(f"{path} is empty: remove it and create the ledger again")
    if about.st_nlink > 1:
        raise LedgerError(
            f"{path} has a second name (hard link): each name would get a journal of its own, so"
            " remove the other name first"
        )
    if any(point == str(path) for point, _ in _mounts() or ()):
        raise LedgerError(
            f"{path} is mounted by itself, so it has a second name elsewhere, and each name would"
            " get a journal of its own: mount its folder instead"
        )
    return place


def _mounts() -> list[tuple[str, str]] | None:
    """Mount points and kinds of file systems, in the order in which they were mounted."""
    try:
        lines = MOUNTS.read_text(errors="surrogateescape").splitlines()
    except OSError:
        return None
    found = []
    for line in lines:
        left, _, right = line.partition(" - ")
        fields = left.split(" ")
        if len(fields) > 4 and right:
            point = re.sub(r"\\([0-7]{3})", lambda code: chr(int(code[1], 8)), fields[4])
            found.append((point, right.split(" ")[0]))
    return found


def _inside(folder: Path, point: str) -> bool:
    return folder == Path(point) or Path(point) in folder.parents
