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
import socket
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from sfumato.durable import flush
from sfumato.errors import ReleaseError
from sfumato.release.certificate import Certificate
from sfumato.release.content import Hashed, PartsContent, TablesContent
from sfumato.release.file import Format, file_writer
from sfumato.release.file_name import part_name
from sfumato.release.signed import with_signed_files
from sfumato.signature import PrivateKey
from sfumato.untrusted.plain_file import content, is_there, opened
from sfumato.untrusted.strict_json import parsed

if TYPE_CHECKING:
    from sfumato.release.part_file import PartFile, PartSink

__all__ = [
    "CERTIFICATE",
    "DATA",
    "REPORT",
    "SYNOPSIS",
    "FolderWriter",
    "aside",
    "is_release",
    "read_json",
    "sha256",
    "sweep",
    "write_whole",
]

CERTIFICATE, SYNOPSIS = "release.json", "synopsis.json"
DATA = "data"  # the folder of the data files, where there are several
REPORT = "report.html"  # added later, from the release alone
_LARGEST = 2**26  # bytes of a JSON file
_LONGEST = 180  # bytes of a name that is kept in a hidden one; file systems have room for 255


class FolderWriter:
    """Collects a release under a hidden name; `finish` shows it, leaving early removes it."""

    def __init__(self, folder: Path, format: Format) -> None:
        self.folder = folder
        self.content: TablesContent | PartsContent = TablesContent()
        self._format, self._files = format, dict[str, str]()
        self._partial = aside(folder)
        try:
            if folder.exists() or folder.is_symlink():
                raise ReleaseError(f"{folder} exists: choose another folder or remove it first")
            sweep(folder)
            self._partial.mkdir()
        except OSError as error:
            raise ReleaseError(f"{folder} cannot be written: {_reason(error)}") from None

    def __enter__(self) -> "FolderWriter":
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self._partial, ignore_errors=True)

    def write(self, batches: Iterable[pa.RecordBatch | Hashed], schema: pa.Schema) -> None:
        """The data, a batch at a time."""
        self.write_tables((("data", batch) for batch in batches), {"data": schema})

    def write_tables(
        self,
        batches: Iterable[tuple[str, pa.RecordBatch | Hashed]],
        tables: Mapping[str, pa.Schema],
    ) -> None:
        """A file for each table, a batch of one of them at a time."""
        paths = {name: self._partial / f"{name}.{self._format}" for name in tables}
        self.content = content = TablesContent(tables)
        try:
            with ExitStack() as files:
                writers = {
                    name: files.enter_context(file_writer(paths[name], schema, self._format))
                    for name, schema in tables.items()
                }
                for name, batch in batches:
                    content.update(name, batch)
                    writers[name].write_batch(batch.batch if isinstance(batch, Hashed) else batch)
            for path in paths.values():
                self._seal(path)
        except OSError as error:
            raise ReleaseError(f"{self.folder} cannot be written: {_reason(error)}") from None

    def collect(self, write: Callable[["PartSink"], Sequence["PartFile"]]) -> None:
        """Data that others write, in parts: `write` is told where, and says what was written."""
        from sfumato.release.part_file import PartSink  # which writes as this module does

        sink = self._partial / DATA
        self.content = content = PartsContent()
        try:
            sink.mkdir()
            parts = write(PartSink(sink))
            for left in sink.glob(".partial-*"):  # of a writer that was killed, and begun again
                left.unlink(missing_ok=True)
            numbered = [part_name(number) for number in range(len(parts))]
            found = sorted(f"{DATA}/{path.name}" for path in sink.iterdir() if path.is_file())
            if not parts or [part.name for part in parts] != numbered or found != numbered:
                raise ReleaseError(f"{self.folder} cannot be written: parts of it are missing")
            for part in parts:
                flush(self._partial / part.name)
                content.add(part.name, part.rows, part.digest)
                self._files[part.name] = part.sha256
            flush(sink)
        except OSError as error:
            raise ReleaseError(f"{self.folder} cannot be written: {_reason(error)}") from None

    def rehearse(self, write: Callable[["PartSink"], Sequence["PartFile"]]) -> None:
        """Refuse a place that those who write parts do not reach: they write empty ones first."""
        from sfumato.release.part_file import PartSink  # as above

        place = self._partial / DATA
        try:
            place.mkdir()
            for part in write(PartSink(place)):
                if sha256(self._partial / part.name) != part.sha256:
                    raise OSError(0, "a part is not what was written")
            flush(place)
            reason = None
        except ReleaseError as error:
            reason = str(error)
        except OSError as error:
            reason = _reason(error)
        shutil.rmtree(place, ignore_errors=True)
        if reason is not None:
            raise ReleaseError(
                f"{self.folder} cannot be written from where the records are ({reason}): name a "
                "folder that every machine sees under the same path"
            )

    def copy(self, folder: Path, certificate: Certificate) -> None:
        """The data of another folder, in parts, as its certificate knows them."""
        try:
            (self._partial / DATA).mkdir()
            for name in certificate.data_files:
                with opened(folder / name) as source, (self._partial / name).open("wb") as place:
                    shutil.copyfileobj(source, place)
                self._seal(self._partial / name)
                if self._files[name] != certificate.files[name]:
                    raise ReleaseError(f"{folder / name} was changed after the release")
            flush(self._partial / DATA)
        except OSError as error:
            raise ReleaseError(f"{self.folder} cannot be written: {_reason(error)}") from None

    def finish(
        self,
        certificate: Certificate,
        synopsis: Mapping[str, Any] | None,
        signer: PrivateKey | None = None,
    ) -> Certificate:
        """Certificate and synopsis, everything flushed to disk, then the rename.

        The certificate is returned as it was written, with its files and its seal.  `signer`
        signs both: what is stated, and the files.
        """
        try:
            if synopsis is not None:
                self._json(SYNOPSIS, synopsis)
            sealed = certificate.sealed(self._files)
            if signer is not None:
                sealed = with_signed_files(sealed, signer)
            self._json(CERTIFICATE, sealed.to_json())
            flush(self._partial)
            self._partial.rename(self.folder)
            flush(self.folder.absolute().parent)
        except OSError as error:
            raise ReleaseError(f"{self.folder} cannot be written: {_reason(error)}") from None
        return sealed

    def _json(self, name: str, content: Mapping[str, Any]) -> None:
        path = self._partial / name
        path.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        self._seal(path)

    def _seal(self, path: Path) -> None:
        flush(path)
        self._files[path.relative_to(self._partial).as_posix()] = sha256(path)


def sha256(path: Path) -> str:
    """The SHA-256 of a file, as `sha256sum` prints it."""
    with opened(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def is_release(folder: Path) -> bool:
    """Whether there is a certificate here."""
    return is_there(folder / CERTIFICATE)


def read_json(path: Path, most: int = _LARGEST) -> dict[str, Any]:
    """A certificate or synopsis, of at most so many bytes."""
    try:
        found = parsed(content(path, most))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ReleaseError(
            f"{path} is missing or damaged ({reason}): this is not a whole release"
        ) from None
    if not isinstance(found, dict):
        raise ReleaseError(f"{path} is not a certificate")
    return found


def _reason(error: OSError) -> str:
    return error.strerror or "the disk does not take it"


def _hidden(name: str) -> str:
    """What something is called while it is written: its name, or a digest where that is long."""
    known = name.encode(errors="surrogateescape")
    return f".{name if len(known) <= _LONGEST else hashlib.sha256(known).hexdigest()}"


def aside(place: Path) -> Path:
    """A hidden name beside a place, which `sweep` clears once its process is gone."""
    # The random part: what an earlier process of the same number left is not in the way.
    unique = f"{secrets.token_hex(4)}-{_machine()}-{os.getpid()}"
    hidden = f"{_hidden(place.name)}.partial-{unique}"
    return place.absolute().parent / hidden


def write_whole(path: Path, record: Mapping[str, Any], mode: int) -> None:
    """A JSON file, all of it or nothing; its name is on the disk once the folder is flushed."""
    part = aside(path)
    try:
        sweep(path)
        descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump(record, file, indent=1)
            file.write("\n")
            file.flush()
            os.fsync(descriptor)
        part.rename(path)
    finally:
        part.unlink(missing_ok=True)


def _machine() -> str:
    """By its name: others that see the folder have processes with the same numbers."""
    return hashlib.sha256(socket.gethostname().encode(errors="replace")).hexdigest()[:8]


def sweep(place: Path) -> None:
    """Remove what writers on this machine that were killed left behind."""
    for leftover in place.absolute().parent.glob(f"{glob.escape(_hidden(place.name))}.partial-*"):
        if leftover.name.split("-")[-2] != _machine():
            continue
        with suppress(ValueError, PermissionError):
            try:
                os.kill(int(leftover.name.rpartition("-")[2]), 0)  # asks whether it lives
            except ProcessLookupError:
                if leftover.is_dir():
                    shutil.rmtree(leftover, ignore_errors=True)
                else:
                    leftover.unlink(missing_ok=True)
