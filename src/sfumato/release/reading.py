"""Certificate, synopsis and records of a received folder: checked before they are used."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

from sfumato.errors import ReleaseError
from sfumato.release.certificate import Certificate
from sfumato.release.file import read_batches
from sfumato.release.folder import CERTIFICATE, SYNOPSIS, read_json

__all__ = ["read_certificate", "read_records", "read_synopsis"]

_LARGEST_CERTIFICATE = 2**26  # bytes
_LARGEST_SYNOPSIS = 2**30


def read_certificate(folder: Path) -> Certificate:
    """What `release.json` states; every field in it has the type and range it should have."""
    path = folder / CERTIFICATE
    found = Certificate.of(read_json(path, _LARGEST_CERTIFICATE), str(path))
    if not found.files or found.seal is None:
        raise ReleaseError(f"{path} is damaged: it lists no files, or no seal of its own")
    return found


def read_synopsis(folder: Path, certificate: Certificate) -> dict[str, Any] | None:
    """What `synopsis.json` holds, where the certificate says that there is one."""
    if certificate.synopsis is None:
        return None
    return read_json(folder / SYNOPSIS, _LARGEST_SYNOPSIS)


def read_records(
    folder: Path, certificate: Certificate, schema: pa.Schema
) -> Iterator[pa.RecordBatch]:
    """The released records; refused where there are others than so many."""
    name = next(name for name in certificate.files if name.startswith("data."))
    return read_batches(folder / name, schema, certificate.rows)
