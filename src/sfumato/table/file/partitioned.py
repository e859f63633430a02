"""Folders of files, and folders in folders whose names state values: region=North/year=2024/….

So Spark, Hive and others write a table that is parted by some of its columns.  What stands in a
name is the text of a value and is read by the rule of its column, like any text; no type is
guessed from the names that there are.  Such names are values of records: no message repeats them.
"""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

import numpy as np
import pyarrow as pa

from sfumato.errors import DataError

__all__ = ["Values", "files_of", "repeated"]

Values = tuple[str | None, ...]

_ENDINGS = (".parquet", ".pq")
_MISSING = "__HIVE_DEFAULT_PARTITION__"
_DEEPEST = 16


def files_of(folder: Path) -> tuple[tuple[str, ...], tuple[Values, ...], tuple[Path, ...]]:
    """The columns in the names of folders, their values for each file, and the files by name."""
    found = list(_below(folder, folder, ()))
    if not found:
        raise DataError(
            f"{folder} is a folder with no file: give the path of a file, or a folder of Parquet "
            "files alone"
        )
    all_keys = {tuple(key for key, _ in stated) for stated, _ in found}
    if len(all_keys) > 1:
        raise DataError(
            f"{folder} holds files in folders that do not state the same columns (key=value): "
            "write the table with one partitioning, or as files that lie in one folder"
        )
    (keys,) = all_keys
    if len(set(keys)) < len(keys):
        raise DataError(f"{folder} holds folders that state one column twice: write it once")
    values = tuple(tuple(value for _, value in stated) for stated, _ in found)
    return keys, values, tuple(path for _, path in found)


Stated = tuple[tuple[str, str | None], ...]


def _below(top: Path, folder: Path, stated: Stated) -> Iterator[tuple[Stated, Path]]:
    for path in sorted(path for path in folder.iterdir() if not _is_beside(path)):
        if not path.is_dir():
            if not path.name.lower().endswith(_ENDINGS):
                raise DataError(
                    f"{top} is a folder with files that are not Parquet: give the path of a file, "
                    "or a folder of Parquet files alone"
                )
            yield stated, path
            continue
        key, equals, value = path.name.partition("=")
        if not equals or not key or len(stated) == _DEEPEST:
            raise DataError(
                f"{top} holds folders that state no column (key=value): write the table as one "
                "Parquet file, as files that lie in one folder, or partitioned by columns"
            )
        known = None if value == _MISSING else unquote(value)
        yield from _below(top, path, (*stated, (unquote(key), known)))


def _is_beside(path: Path) -> bool:
    """As Spark and Hive do: what begins so is about the files, and no data."""
    name = path.name
    return name[0] == "." or (name[0] == "_" and not ("=" in name and path.is_dir()))


def repeated(value: str | None, rows: int, *, listed: bool) -> pa.Array:
    """One value for so many records, as a dictionary where that is wanted.

    >>> repeated("North", 2, listed=False).to_pylist()
    ['North', 'North']
    """
    if value is None:
        return pa.nulls(rows, pa.string())
    if not listed:
        return pa.repeat(pa.scalar(value, pa.string()), rows)
    return pa.DictionaryArray.from_arrays(pa.array(np.zeros(rows, np.int32)), pa.array([value]))
