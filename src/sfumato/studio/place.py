"""Names in a folder that lead nowhere else: not up, not out, not to a device.

>>> is_slug("clinic-2026"), is_slug(".."), is_slug("con"), is_slug("a%2eb"), is_slug("x\\0")
(True, False, False, False, False)
>>> slug_of("Klinik Süd / 2026!"), slug_of("NUL"), slug_of("…")
('klinik-sud-2026', 'nul-data', 'data')
"""

import os
import re
import secrets
from contextlib import suppress
from pathlib import Path
from unicodedata import normalize

from sfumato.durable import flush
from sfumato.errors import ParameterError

__all__ = ["inside", "is_slug", "make_folder", "slug_of", "write_whole"]

_SLUG = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
_DEVICES = frozenset(
    ["con", "prn", "aux", "nul", *(f"{port}{k}" for port in ("com", "lpt") for k in range(10))]
)
_LONGEST = 48


def is_slug(name: str) -> bool:
    """Whether this names a folder and nothing else, under every operating system."""
    return _SLUG.fullmatch(name) is not None and name not in _DEVICES


def slug_of(text: str) -> str:
    """A name for a folder and an address, from the name of a data set."""
    plain = normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    found = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:_LONGEST].strip("-") or "data"
    return f"{found}-data" if found in _DEVICES else found


def inside(root: Path, *parts: str) -> Path:
    """The path of these names below the root, if that is where it really leads."""
    home = root.resolve()
    path = home.joinpath(*parts)
    try:
        found = path.resolve()
    except (OSError, ValueError, RuntimeError):  # a zero byte, or links in a circle
        found = home.parent
    if not found.is_relative_to(home) or found != path:
        raise ParameterError(f"{'/'.join(parts)!r} leads out of the folder: links are not followed")
    return path


def make_folder(path: Path) -> Path:
    """A folder that only its owner can look into; one that is there stays as it is."""
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise ParameterError(f"folder {path} cannot be made: {error.strerror}") from None
    return path


def write_whole(path: Path, text: str) -> None:
    """Write a file that only its owner can read, whole or not at all."""
    aside = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        descriptor = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        aside.replace(path)
        flush(path.parent)
    except OSError as error:
        with suppress(OSError):  # refused too where nothing may be written any more
            aside.unlink(missing_ok=True)
        raise ParameterError(f"{path} cannot be written: {error.strerror}") from None
