"""Certificate, synopsis and records of a received folder: checked before they are used."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

from sfumato.errors import ReleaseError
from sfumato.release.certificate import Certificate
from sfumato.release.file import read_batches
from sfumato.release.folder import CERTIFICATE, DATA, SYNOPSIS, read_json
from sfumato.release.stored_rows import row_bytes
from sfumato.schema.domain import Domain, Levels

__all__ = [
    "read_certificate",
    "read_files",
    "read_records",
    "read_synopsis",
    "read_table",
    "record_bytes",
]

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


def read_table(
    folder: Path, certificate: Certificate, table: str, schema: pa.Schema
) -> Iterator[pa.RecordBatch]:
    """The records of one table of a release, by its name."""
    if certificate.people is None or table == "data":
        return read_records(folder, certificate, schema)
    name = next(name for name in certificate.data_files if name.startswith(table))
    rows = certificate.people.persons if table == "persons" else certificate.rows
    widest, levels = record_bytes(certificate, schema), _levels(certificate)
    return read_batches(folder / name, schema, rows, widest=widest, levels=levels)


def read_records(
    folder: Path, certificate: Certificate, schema: pa.Schema
) -> Iterator[pa.RecordBatch]:
    """The released records; refused where there are others than so many."""
    return (batch for _, batches in read_files(folder, certificate, schema) for batch in batches)


def read_files(
    folder: Path, certificate: Certificate, schema: pa.Schema
) -> Iterator[tuple[str, Iterator[pa.RecordBatch]]]:
    """The data files in their order, by name; refused as their records are read."""
    names, left = certificate.data_files, certificate.rows
    if certificate.in_parts and (folder / DATA).is_symlink():
        raise ReleaseError(f"{folder / DATA} is a link, not the folder of its data")
    widest, levels = record_bytes(certificate, schema), _levels(certificate)
    for place, name in enumerate(names):
        more = place < len(names) - 1
        batches = read_batches(
            folder / name, schema, left, at_most=more, widest=widest, levels=levels
        )
        read = _Counted(batches)
        yield name, read
        left -= read.rows


def record_bytes(certificate: Certificate, schema: pa.Schema) -> int:
    """Of the largest record that the certificate's schema allows, in memory: a public fact."""
    if certificate.columns is not None or certificate.public_schema is None:
        return row_bytes(schema)  # texts that no schema lists
    axes = Domain.of(certificate.public_schema).axes
    longest = [
        max((len(str(value).encode()) for value in axis.values), default=0) + 4
        for axis in axes
        if isinstance(axis, Levels)
    ]
    return row_bytes(schema) + sum(longest)


def _levels(certificate: Certificate) -> dict[str, frozenset[str]]:
    """The texts that a column of categories lists, whether a record has them or not."""
    if certificate.columns is not None or certificate.public_schema is None:
        return {}
    axes = Domain.of(certificate.public_schema).axes
    return {
        axis.name: frozenset(map(str, axis.values)) for axis in axes if isinstance(axis, Levels)
    }


class _Counted(Iterator[pa.RecordBatch]):
    """Batches, and how many rows there were."""

    def __init__(self, batches: Iterator[pa.RecordBatch]) -> None:
        self.rows, self._batches = 0, batches

    def __next__(self) -> pa.RecordBatch:
        batch = next(self._batches)
        self.rows += batch.num_rows
        return batch
