"""A .zip with one table in it, unpacked for as long as it is read.

What it unpacks to lies in a folder of the system's temporary directory that nobody else can
enter, and goes when the source does.  How large it may become is fixed beforehand, and read
off the list of contents: a bomb is refused before it is unpacked.
"""

import re
import shutil
import weakref
from collections.abc import Callable, Sequence
from pathlib import Path, PurePosixPath
from tempfile import mkdtemp
from typing import Any
from zipfile import ZipFile, ZipInfo

from sfumato.errors import DataError

__all__ = ["MOST_BYTES", "open_archive"]

MOST_BYTES = 2**34  # that a file may unpack to
_PLAIN = re.compile(r"[\w. -]{1,100}")


def open_archive(path: Path, endings: Sequence[str], open_file: Callable[[Path], Any]) -> Any:
    """What `open_file` makes of the one file in an archive, which has one of these endings."""
    folder = Path(mkdtemp(prefix="sfumato-"))
    try:
        with ZipFile(path) as archive:
            member = _only(path, archive, endings)
            name = PurePosixPath(member.filename).name
            ending = next(ending for ending in endings if name.lower().endswith(ending))
            inside = folder / (name if _PLAIN.fullmatch(name) else f"data{ending}")
            with archive.open(member) as packed, inside.open("xb") as file:
                shutil.copyfileobj(packed, file, 2**20)
        source = open_file(inside)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    weakref.finalize(source, shutil.rmtree, folder, ignore_errors=True)
    return source


def _only(path: Path, archive: ZipFile, endings: Sequence[str]) -> ZipInfo:
    members = [member for member in archive.infolist() if not _is_aside(member)]
    if len(members) != 1:
        raise DataError(
            f"{path} holds {len(members)} files: put the table alone into it, or unpack it and "
            "give the path of the table"
        )
    (member,) = members
    if member.filename.lower().endswith(".zip"):
        raise DataError(f"{path} holds another .zip: unpack it once")
    if not member.filename.lower().endswith(tuple(endings)):
        raise DataError(f"{path} holds no table: the file in it must be {', '.join(endings)}")
    if member.flag_bits & 1:
        raise DataError(f"{path} is locked with a password: unpack it and give the path of a file")
    if member.file_size > MOST_BYTES:
        raise DataError(
            f"{path} unpacks to more than {MOST_BYTES // 2**20:,} MB: unpack it and give the path "
            "of a file"
        )
    return member


def _is_aside(member: ZipInfo) -> bool:
    """Folders, and what macOS puts beside each file."""
    path = PurePosixPath(member.filename)
    return member.is_dir() or path.parts[:1] == ("__MACOSX",) or path.name == ".DS_Store"
