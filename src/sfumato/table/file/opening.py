"""Which file is what: by its ending, and refused by its shape, never by a value.

A workbook with several sheets is named with the one that is meant, `visits.xlsx#2024`; what
stands behind a statistics file, `visits.sav#labels`, says that its value labels are read; behind a
database, `clinic.duckdb#visits`, it is the table.
"""

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from sfumato.errors import DataError, MissingExtra, Refused
from sfumato.schema.formats import FileFormat
from sfumato.table.file.archive import open_archive
from sfumato.table.file.excel import Sheet
from sfumato.table.file.json_lines import LINES, JsonLines
from sfumato.table.file.parquet import ParquetFiles
from sfumato.table.file.statistical import StatisticalFile
from sfumato.table.query import Relation
from sfumato.table.sql.duck import DATABASES, open_duckdb_file
from sfumato.table.sql.name import TableName, table_in
from sfumato.table.text import TextFile
from sfumato.table.text_stream import is_utf8

__all__ = ["file_of", "is_table", "open_file", "stem", "with_sheet"]

Opener = Callable[[Path, "Sequence[str] | None", "str | None", "FileFormat | None"], Any]
_DETAILED = re.compile(
    r"(.+\.(?:xlsx|xlsm|zip|dta|sav|zsav|sas7bdat|xpt|duckdb|ddb|db))#(.+)", re.I | re.S
)
_OLD = {
    ".xls": "save it as .xlsx",
    ".xlsb": "save it as .xlsx",
    ".ods": "save it as .xlsx or .csv",
    ".json": "write one object per line, and call it .jsonl",
    ".por": "save it as .sav",
    ".feather": "write it as .parquet",
    ".arrow": "write it as .parquet",
}


def file_of(path: str | Path) -> tuple[Path, str | None]:
    """The path of the file itself, and what was said behind it.

    >>> file_of("visits.xlsx#in 2024")[1], file_of("visits#1.csv")
    ('in 2024', (PosixPath('visits#1.csv'), None))
    """
    found = _DETAILED.fullmatch(str(path))
    if found is None or Path(path).exists():
        return Path(path), None
    return Path(found[1]), found[2]


def with_sheet(data: Any, sheet: str | None) -> Any:
    """The path of one sheet of a workbook.

    >>> str(with_sheet("visits.xlsx", "2024"))
    'visits.xlsx#2024'
    """
    if sheet is None:
        return data
    named = Path(f"{data}#{sheet}")
    if not isinstance(data, str | Path) or file_of(data)[1] or file_of(named)[1] is None:
        raise DataError("sheet names a sheet of a workbook: give the path of an .xlsx file with it")
    return named


def is_table(name: str) -> bool:
    """Whether a file of this name would be opened as a table.

    >>> [is_table(name) for name in ("visits.CSV.gz", "visits.parquet", "notes.pdf")]
    [True, True, False]
    """
    return name.lower().endswith(tuple(_ENDINGS))


def stem(path: str | Path) -> str:
    """The name of a file without its endings; of a table in a database, its own.

    >>> stem("data/visits.csv.gz"), stem("visits.xlsx#2024"), stem("clinic.duckdb#visits")
    ('visits', 'visits', 'visits')
    """
    if (table := table_in(path)) is not None:
        return table
    name = file_of(path)[0].name
    name = name.removesuffix(".gz")
    return name.rpartition(".")[0] or name


def open_file(path: Path, names: Sequence[str] | None = None, how: FileFormat | None = None) -> Any:
    """The source in a file or a folder of files; no record is looked at.

    `names` are those of the columns, for files that do not state them; `how` texts are written.
    """
    try:
        path, detail = file_of(path)
        if path.is_dir():
            return ParquetFiles.open_folder(path)
        if not path.exists():
            raise DataError(f"{path} does not exist")
        if not path.is_file():  # a pipe or a device: it is read more than once, and may never end
            raise DataError(f"{path} is not a plain file: save it as one first")
        return _opener(path)(path, names, detail, how)
    except (Refused, MissingExtra):
        raise
    except Exception as error:  # whatever it is, it may quote a record
        reason = getattr(error, "strerror", None) or "it is damaged or half-written"
    raise DataError(f"{path} cannot be read: {reason}")


def _opener(path: Path) -> Opener:
    name = path.name.lower()
    for ending, opener in _ENDINGS.items():
        if name.endswith(ending):
            return opener
    for ending, remedy in _OLD.items():
        if name.endswith(ending):
            raise DataError(f"{path}: {ending} is not read: {remedy}")
    raise DataError(
        f"{path}: the ending is not known: use .csv, .csv.gz, .parquet, .xlsx, .jsonl, .zip, .dta, "
        ".sav, .sas7bdat, .xpt or .duckdb"
    )


def _text(
    path: Path, _names: Sequence[str] | None, detail: str | None, how: FileFormat | None
) -> TextFile:
    _no_detail(path, detail)
    return TextFile.open(path, how)


def _parquet(
    path: Path, _names: Sequence[str] | None, detail: str | None, _how: FileFormat | None
) -> ParquetFiles:
    _no_detail(path, detail)
    return ParquetFiles.open(path)


def _sheet(
    path: Path, _names: Sequence[str] | None, detail: str | None, _how: FileFormat | None
) -> Sheet:
    return Sheet.open(path, detail)


def _lines(
    path: Path, names: Sequence[str] | None, detail: str | None, how: FileFormat | None
) -> JsonLines:
    _no_detail(path, detail)
    if how and how.encoding and not is_utf8(how.encoding):
        raise DataError(
            f"{path}: JSON lines are UTF-8, but the schema declares file: encoding: "
            f"{how.encoding}: leave that out, and save the file as UTF-8 if it is not"
        )
    if names is None:
        raise DataError(
            f"{path} has no header: the keys of a line belong to its record, so that a schema must "
            "say which there are: write one by hand, draft it with --public if the file is public, "
            "or use CSV or Parquet"
        )
    return JsonLines(path, tuple(names))


def _statistical(
    path: Path, _names: Sequence[str] | None, detail: str | None, _how: FileFormat | None
) -> StatisticalFile:
    if detail not in (None, "labels"):
        raise DataError(f"{path}: behind # only the word labels is known: values by their labels")
    return StatisticalFile.open(path, labels=detail is not None)


def _archive(
    path: Path, names: Sequence[str] | None, detail: str | None, how: FileFormat | None
) -> Any:
    def inside(file: Path) -> Any:
        return _opener(file)(file, names, detail, how)

    return open_archive(path, [ending for ending in _ENDINGS if ending != ".zip"], inside)


def _database(
    path: Path, _names: Sequence[str] | None, detail: str | None, _how: FileFormat | None
) -> Relation:
    return open_duckdb_file(path, None if detail is None else TableName.of(detail))


def _no_detail(path: Path, detail: str | None) -> None:
    if detail is not None:
        raise DataError(f"{path.name} has no sheets and no labels: leave out what stands behind #")


_ENDINGS: dict[str, Opener] = {
    **dict.fromkeys((".csv", ".tsv", ".csv.gz", ".tsv.gz", ".txt", ".txt.gz"), _text),
    **dict.fromkeys((".parquet", ".pq"), _parquet),
    **dict.fromkeys((".xlsx", ".xlsm"), _sheet),
    **dict.fromkeys(LINES, _lines),
    **dict.fromkeys((".dta", ".sav", ".zsav", ".sas7bdat", ".xpt"), _statistical),
    **dict.fromkeys(DATABASES, _database),
    ".zip": _archive,
}
