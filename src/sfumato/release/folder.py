"""A release folder that appears all at once.

It is written under a hidden name beside its place and renamed when everything in it is on
disk, so that nobody ever sees half a release.
"""

import glob
import hashlib
import json
import os
import secrets
import shutil
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyarrow as pa

from sfumato.errors import ReleaseError
from sfumato.release.content import Content
from sfumato.release.file import Format, file_writer

__all__ = [
    "CERTIFICATE",
    "DATA",
    "SYNOPSIS",
    "FolderWriter",
    "data_file",
    "digest",
    "flush",
    "read_json",
    "sha256",
    "sweep",
]

CERTIFICATE, SYNOPSIS = "release.json", "synopsis.json"
DATA = ("data.csv", "data.parquet")


class FolderWriter:
    """Collects a release under a hidden name; `finish` shows it, leaving early removes it."""

    def __init__(self, folder: Path, format: Format) -> None:
        self.folder, self.content = folder, Content()
        self._format, self._files = format, dict[str, str]()
        parent = folder.absolute().parent
        # The random part: what an earlier process of the same number left is not in the way.
        self._partial = parent / f".{folder.name}.partial-{secrets.token_hex(4)}-{os.getpid()}"
        try:
            if folder.exists() or folder.is_symlink():
                raise ReleaseError(f"{folder} exists: choose another folder or remove it first")
            sweep(parent, folder.name)
            self._partial.mkdir()
        except OSError as error:
            raise ReleaseError(f"{folder} cannot be written: {_reason(error)}") from None

    def __enter__(self) -> "FolderWriter":
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self._partial, ignore_errors=True)

    def write(self, batches: Iterator[pa.RecordBatch], schema: pa.Schema) -> None:
        """The data, a batch at a time."""
        path = self._partial / f"data.{self._format}"
        try:
            with file_writer(path, schema, self._format) as writer:
                for batch in batches:
                    self.content.update(batch)
                    writer.write_batch(batch)
            self._seal(path)
        except OSError as error:
            raise ReleaseError(f"{self.folder} cannot be written: {_reason(error)}") from None

    def finish(self, certificate: Mapping[str, Any], synopsis: Mapping[str, Any] | None) -> Path:
        """Certificate and synopsis, everything flushed to disk, then the rename."""
        try:
            if synopsis is not None:
                self._json(SYNOPSIS, synopsis)
            seal = digest(certificate)
            self._json(CERTIFICATE, {**certificate, "files": dict(self._files), "seal": seal})
            flush(self._partial)
            self._partial.rename(self.folder)
            flush(self.folder.absolute().parent)
        except OSError as error:
            raise ReleaseError(f"{self.folder} cannot be written: {_reason(error)}") from None
        return self.folder

    def _json(self, name: str, content: Mapping[str, Any]) -> None:
        path = self._partial / name
        path.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        self._seal(path)

    def _seal(self, path: Path) -> None:
        flush(path)
        self._files[path.name] = sha256(path)


def digest(paper: Mapping[str, Any]) -> str:
    """A hash of a certificate or synopsis that is the same wherever and however it is saved."""
    core = {key: value for key, value in paper.items() if key not in ("files", "seal")}
    return hashlib.sha256(json.dumps(core, sort_keys=True).encode()).hexdigest()


def sha256(path: Path) -> str:
    """The SHA-256 of a file, as `sha256sum` prints it."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def data_file(folder: Path) -> Path:
    """The data file of a release folder."""
    for name in DATA:
        if (folder / name).exists():
            return folder / name
    raise ReleaseError(f"{folder} holds no data.csv or data.parquet: the release is not whole")


def read_json(path: Path) -> dict[str, Any]:
    """A certificate or synopsis."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        raise ReleaseError(f"{path} is missing or damaged: this is not a whole release") from None
    if not isinstance(content, dict):
        raise ReleaseError(f"{path} is not a certificate")
    return content


def _reason(error: OSError) -> str:
    return error.strerror or "the disk does not take it"


def flush(path: Path) -> None:
    """Return when a file, or the names in a folder, are on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sweep(parent: Path, name: str) -> None:
    """Remove what writers that were killed left behind."""
    for leftover in parent.glob(f".{glob.escape(name)}.partial-*"):
        with suppress(ValueError, PermissionError):
            try:
                os.kill(int(leftover.name.rpartition("-")[2]), 0)  # asks whether it lives
            except ProcessLookupError:
                if leftover.is_dir():
                    shutil.rmtree(leftover, ignore_errors=True)
                else:
                    leftover.unlink(missing_ok=True)
