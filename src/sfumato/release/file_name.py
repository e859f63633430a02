"""What the files of a release are called: the data is one file, or parts in a folder of their own.

Persons and their events are two files.

>>> data_names({"synopsis.json": "", "data/part-00001.parquet": "", "data/part-00000.parquet": ""})
('data/part-00000.parquet', 'data/part-00001.parquet')
"""

from collections.abc import Iterable, Sequence
from typing import Annotated

from pydantic import Field

__all__ = ["FileName", "data_names", "listed_names", "part_name", "sound_names"]

FileName = Annotated[
    str,
    Field(
        pattern=r"^((data|persons|events)\.(csv|parquet)|data/part-[0-9]{5}\.parquet"
        r"|synopsis\.json)$"
    ),
]
_ENDINGS = ("csv", "parquet")
_TABLES = ("persons", "events", "data")


def part_name(number: int) -> str:
    """What a part of the data is called.

    >>> part_name(2)
    'data/part-00002.parquet'
    """
    return f"data/part-{number:05}.parquet"


def data_names(files: Iterable[str]) -> tuple[str, ...]:
    """The data files among them, in the order of their records; persons before their events."""
    found = [(place, name) for name in files for place in _places(name)]
    return tuple(name for _, name in sorted(found))


def _places(name: str) -> list[int]:
    return [place for place, table in enumerate(_TABLES) if name.startswith(table)]


def sound_names(files: Iterable[str], *, parts: bool, tables: Sequence[str] = ("data",)) -> bool:
    """Whether there is one file for each table or, where it may be, parts without a gap."""
    names = data_names(files)
    if parts and names[:1] == (part_name(0),):
        return names == tuple(map(part_name, range(len(names))))
    return any(names == tuple(f"{table}.{end}" for table in tables) for end in _ENDINGS)


def listed_names(files: Iterable[str]) -> list[str]:
    """All of them, for people: parts are only counted.

    >>> listed_names([part_name(0), part_name(1), "synopsis.json"])
    ['data/ (2 files)', 'synopsis.json']
    """
    files = list(files)
    if part_name(0) not in files:
        return sorted(files)
    parts = data_names(files)
    return sorted([*set(files).difference(parts), f"data/ ({len(parts):,} files)"])
