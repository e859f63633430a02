"""Parquet files, row group by row group: one, or all files of a folder.

The files of a folder are read in the order of their names and must agree in columns and types,
which their footers state.  Of a partitioned folder (region=North/…) see `partitioned`.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

import pyarrow as pa
import pyarrow.parquet as pq

from sfumato.errors import DataError
from sfumato.table.file.batch import BATCH_ROWS
from sfumato.table.file.partitioned import Values, files_of, repeated

__all__ = ["ParquetFiles"]


@dataclass(frozen=True)
class ParquetFiles:
    """One or more Parquet files of the same columns, read one after the other."""

    paths: tuple[Path, ...] = field(repr=False)  # which may have values of records in their names
    schema: pa.Schema = field(repr=False)
    kind: Literal["parquet"] = "parquet"
    listed: frozenset[str] = frozenset()  # columns whose texts are handed out as dictionaries
    keys: tuple[str, ...] = ()  # columns that the names of folders state
    values: tuple[Values, ...] = field(default=(), repr=False)  # theirs, file by file

    @classmethod
    def open(cls, path: Path) -> "ParquetFiles":
        """Read the footer, and nothing else."""
        with path.open("rb") as file:
            begin = file.read(4)
        if begin and begin[:3] != b"PAR":
            raise DataError(f"{path} is no Parquet file: if it is text, call it .csv")
        return cls((path,), pq.read_schema(path))

    @classmethod
    def open_folder(cls, folder: Path) -> "ParquetFiles":
        """Read the footers of all files of a folder."""
        keys, values, paths = files_of(folder)
        first, *others = [pq.read_schema(path).remove_metadata() for path in paths]
        for number, other in enumerate(others, 2):
            if not other.equals(first):
                raise DataError(
                    f"{folder}: file {number} by name has other columns or types than the first: "
                    "write them all with the same"
                )
        for key in keys:
            first = first.append(pa.field(key, pa.string()))
        return cls(paths, first, keys=keys, values=values)

    @property
    def names(self) -> list[str]:
        """As the footers have it, and after them the names of folders."""
        return list(self.schema.names)

    @property
    def types(self) -> dict[str, pa.DataType]:
        """As the footers have it; what stands in the names of folders is text."""
        return {item.name: item.type for item in self.schema}

    def moved(self) -> bool:
        """Whether a record lies where its values sent it."""
        return bool(self.keys)

    def batches(self, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """All records, file by file."""
        stored = [name for name in columns if name not in self.keys]
        how = {"read_dictionary": [name for name in stored if name in self.listed]}
        for number, path in enumerate(self.paths):
            with pq.ParquetFile(path, pre_buffer=False, **how) as file:  # else it stays in memory
                for batch in file.iter_batches(BATCH_ROWS, columns=stored):
                    yield self._with_keys(batch, number, columns) if self.keys else batch

    def _with_keys(
        self, batch: pa.RecordBatch, number: int, columns: Sequence[str]
    ) -> pa.RecordBatch:
        known = dict(zip(self.keys, self.values[number], strict=True))
        arrays = [
            repeated(known[name], batch.num_rows, listed=name in self.listed)
            if name in known
            else batch.column(name)
            for name in columns
        ]
        return pa.RecordBatch.from_arrays(arrays, list(columns))

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
