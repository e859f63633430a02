"""Parquet files, row group by row group: one, or all files of a folder.

The files of a folder are read in the order of their names and must agree in columns and types,
which their footers state.  Folders in folders (region=North/…) are refused: there the values
of a column are names of folders, and which of them exist depends on the records.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

import pyarrow as pa
import pyarrow.parquet as pq

from sfumato.errors import DataError
from sfumato.table.file.batch import BATCH_ROWS

__all__ = ["ParquetFiles"]

_ENDINGS = (".parquet", ".pq")


@dataclass(frozen=True)
class ParquetFiles:
    """One or more Parquet files of the same columns, read one after the other."""

    paths: tuple[Path, ...]
    schema: pa.Schema = field(repr=False)
    kind: Literal["parquet"] = "parquet"
    listed: frozenset[str] = frozenset()  # columns whose texts are handed out as dictionaries

    @classmethod
    def open(cls, path: Path) -> "ParquetFiles":
        """Read the footer, and nothing else."""
        return cls((path,), pq.read_schema(path))

    @classmethod
    def open_folder(cls, folder: Path) -> "ParquetFiles":
        """Read the footers of all files of a folder."""
        # As Spark and Hive do: what begins so is about the files, and no data.
        inside = sorted(path for path in folder.iterdir() if path.name[0] not in "._")
        if any(path.is_dir() for path in inside):
            raise DataError(
                f"{folder} holds folders: write the table as one Parquet file, or as files that "
                "lie in one folder, without partitions"
            )
        if not inside or not all(path.name.lower().endswith(_ENDINGS) for path in inside):
            what = "files that are not Parquet" if inside else "no file"
            raise DataError(
                f"{folder} is a folder with {what}: give the path of a file, or a folder of "
                "Parquet files alone"
            )
        first, *others = [pq.read_schema(path).remove_metadata() for path in inside]
        for number, other in enumerate(others, 2):
            if not other.equals(first):
                raise DataError(
                    f"{folder}: file {number} by name has other columns or types than the first: "
                    "write them all with the same"
                )
        return cls(tuple(inside), first)

    @property
    def names(self) -> list[str]:
        """As the footers have it."""
        return list(self.schema.names)

    @property
    def types(self) -> dict[str, pa.DataType]:
        """As the footers have it."""
        return {item.name: item.type for item in self.schema}

    def batches(self, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """All records, file by file."""
        for path in self.paths:
            how = {"read_dictionary": [name for name in columns if name in self.listed]}
            with pq.ParquetFile(path, pre_buffer=False, **how) as file:  # else it stays in memory
                yield from file.iter_batches(BATCH_ROWS, columns=list(columns))

    def listing(self, columns: Iterable[str]) -> "ParquetFiles":
        """The same files; texts of these columns, which repeat, as the dictionaries they are."""
        texts = {n for n, kind in self.types.items() if kind in (pa.string(), pa.large_string())}
        return replace(self, listed=frozenset(texts.intersection(columns)))

    @property
    def rows(self) -> int:
        """How many records there are, by the footers."""
        return sum(int(pq.read_metadata(path).num_rows) for path in self.paths)

    def has_rows(self, count: int) -> bool:
        """Whether there are at least so many, by the footers."""
        return self.rows >= count
