"""Several files as one zip, made while it is sent: nothing of it ever lies on a disk.

A file that changed since it was released breaks the zip off before its end, so that no program
opens it as if it were whole.

>>> from io import BytesIO
>>> from zipfile import ZipFile
>>> whole = b"".join(zipped("clinic", [("a.txt", None, [b"one", b"two"])]))
>>> with ZipFile(BytesIO(whole)) as found:
...     found.namelist(), found.read("clinic/a.txt")
(['clinic/a.txt'], b'onetwo')
"""

import hashlib
from collections.abc import Iterable, Iterator
from io import RawIOBase
from typing import TYPE_CHECKING
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from sfumato.errors import ReleaseError

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

__all__ = ["unchanged", "zipped"]

_SAME = (2000, 1, 1, 0, 0, 0)  # the same release is the same zip


class _Out(RawIOBase):
    """What was written since it was last taken."""

    def __init__(self) -> None:
        self._waiting: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, data: "ReadableBuffer", /) -> int:
        taken = bytes(data)
        self._waiting.append(taken)
        return len(taken)

    def take(self) -> bytes:
        found = b"".join(self._waiting)
        self._waiting.clear()
        return found


def zipped(
    folder: str, files: Iterable[tuple[str, str | None, Iterable[bytes]]]
) -> Iterator[bytes]:
    """The bytes of a zip that unpacks into one folder; each file with its SHA-256, if known."""
    out = _Out()
    with ZipFile(out, "w", ZIP_DEFLATED) as archive:
        for name, expected, blocks in files:
            entry = ZipInfo(f"{folder}/{name}", _SAME)
            entry.compress_type, entry.external_attr = ZIP_DEFLATED, 0o644 << 16
            with archive.open(entry, "w", force_zip64=True) as place:
                for block in unchanged(name, expected, blocks):
                    place.write(block)
                    if sent := out.take():
                        yield sent
    yield out.take()


def unchanged(name: str, expected: str | None, blocks: Iterable[bytes]) -> Iterator[bytes]:
    """The same blocks; broken off before the last one if they have another SHA-256."""
    digest, last = hashlib.sha256(), b""
    for block in blocks:
        digest.update(block)
        if last:
            yield last
        last = block
    if expected is not None and digest.hexdigest() != expected:
        raise ReleaseError(f"{name} was changed after the release")
    yield last
