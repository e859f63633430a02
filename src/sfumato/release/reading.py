"""Certificate, synopsis and records of a received folder: checked before they are used."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from sfumato.errors import ReleaseError
from sfumato.release.certificate import FORMAT
from sfumato.release.file import read_batches
from sfumato.release.folder import CERTIFICATE, SYNOPSIS, read_json
from sfumato.release.stated import check_stated

__all__ = ["data_file", "read_certificate", "read_records", "read_synopsis"]

_LARGEST_CERTIFICATE = 2**26  # bytes
_LARGEST_SYNOPSIS = 2**30


def read_certificate(folder: Path) -> dict[str, Any]:
    """What `release.json` states; every field in it has the type and range it should have."""
    path = folder / CERTIFICATE
    paper = read_json(path, _LARGEST_CERTIFICATE)
    if type(paper.get("format")) is not int or paper["format"] != FORMAT:
        raise ReleaseError(f"{path} has a format this version does not read")
    check_stated(paper, str(path))
    return paper


def read_synopsis(folder: Path, paper: Mapping[str, Any]) -> dict[str, Any] | None:
    """What `synopsis.json` holds, where the certificate says that there is one."""
    return None if paper["synopsis"] is None else read_json(folder / SYNOPSIS, _LARGEST_SYNOPSIS)


def data_file(folder: Path, paper: Mapping[str, Any]) -> Path:
    """The data file that the certificate lists."""
    name: str = next(name for name in paper["files"] if name.startswith("data."))
    return folder / name


def read_records(
    folder: Path, paper: Mapping[str, Any], schema: pa.Schema
) -> Iterator[pa.RecordBatch]:
    """The released records; refused where there are others than so many."""
    return read_batches(data_file(folder, paper), schema, paper["rows"])
