"""One sheet of an Excel workbook, a row at a time.

Its first row that holds anything names the columns; each row below is a record, by itself.  A
row without a value under any of the names is none: in a sheet nobody can tell an empty record
from no record.  Cells have types of their own, so each is read by itself as text: dates as the
workbook shows them, formulas by the value that was last computed, errors such as #N/A as missing.
Of merged cells the first has the value.  What stands to the right of the names is not read.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Literal
from zipfile import ZipFile

import pyarrow as pa

from sfumato.errors import DataError
from sfumato.table.file.batch import text_batches
from sfumato.table.file.workbook import opened_workbook

__all__ = ["Sheet"]

MOST_TEXT = 2**28  # bytes of texts, which a workbook keeps in one list that is read as a whole
_OLD_OR_LOCKED = b"\xd0\xcf\x11\xe0"


@dataclass(frozen=True)
class Sheet:
    """A sheet with the names of its columns in its first row."""

    path: Path
    title: str
    names: tuple[str, ...]
    kind: Literal["excel"] = "excel"

    @classmethod
    def open(cls, path: Path, title: str | None = None) -> "Sheet":
        """Read the names; the whole is unpacked once, so that damage is found now."""
        _check_whole(path)
        with opened_workbook(path) as book:
            titles = list(book.sheets)
            if title is None and len(titles) != 1:
                raise DataError(
                    f"{path} has the sheets {', '.join(titles)}: say which with --sheet (sheet=…), "
                    f"or as {path.name}#{titles[0] if titles else 'Sheet1'}"
                )
            if title is not None and title not in titles:
                raise DataError(f"{path} has no sheet {title}: it has {', '.join(titles)}")
            chosen = titles[0] if title is None else title
            header = next(filter(any, book.rows(chosen)), [])
        return cls(path, chosen, _names(path, header))

    @property
    def types(self) -> dict[str, pa.DataType]:
        """None: in a sheet the type of a value belongs to its cell."""
        return {}

    def batches(self, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """All records as texts."""
        places = [self.names.index(name) for name in columns]
        rows = ([row[place] for place in places] for row in self._records())
        yield from text_batches(rows, columns)

    def has_rows(self, count: int) -> bool:
        """Whether there are at least so many records."""
        return sum(1 for _ in islice(self._records(), count)) == count

    def _records(self) -> Iterator[list[str | None]]:
        width = len(self.names)
        with opened_workbook(self.path) as book:
            filled = (row for row in book.rows(self.title) if any(row[:width]))
            next(filled, None)  # the names
            for row in filled:
                yield (row + [None] * width)[:width]


def _check_whole(path: Path) -> None:
    with path.open("rb") as file:
        if file.read(4) == _OLD_OR_LOCKED:
            raise DataError(
                f"{path} is locked with a password, or of an old format: save it as .xlsx without "
                "a password"
            )
    with ZipFile(path) as archive:
        aside = ("/worksheets/", "/media/")  # read row by row, or not at all
        texts = [m for m in archive.infolist() if not any(part in m.filename for part in aside)]
        if sum(member.file_size for member in texts) > MOST_TEXT:
            raise DataError(
                f"{path} holds more than {MOST_TEXT // 2**20} MB of texts: save it as CSV or "
                "Parquet"
            )
        if archive.testzip() is not None:
            raise DataError(f"{path} is damaged: save it again")


def _names(path: Path, header: list[str | None]) -> tuple[str, ...]:
    while header and not header[-1]:
        header = header[:-1]
    if not header:
        raise DataError(f"{path} has no header: the first row of the sheet must name the columns")
    for position, name in enumerate(header, 1):
        if not name:
            raise DataError(
                f"{path}: column {position} of the sheet has no name: name it in the first row, "
                "and merge no cells there"
            )
    return tuple((name or "").strip() for name in header)
