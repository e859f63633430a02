"""What the files of a release are called: the data is one file, or parts in a folder of their own.

>>> data_names({"synopsis.json": "", "data/part-00001.parquet": "", "data/part-00000.parquet": ""})
('data/part-00000.parquet', 'data/part-00001.parquet')
"""

from collections.abc import Iterable
from typing import Annotated

from pydantic import Field

__all__ = ["FileName", "data_names", "listed_names", "part_name", "sound_names"]

FileName = Annotated[
    str, Field(pattern=r"^(data\.csv|data\.parquet|data/part-[0-9]{5}\.parquet|synopsis\.json)$")
]
_ONE_FILE = (("data.csv",), ("data.parquet",))


def part_name(number: int) -> str:
    """What a part of the data is called.

    >>> part_name(2)
    'data/part-00002.parquet'
    """
    return f"data/part-{number:05}.parquet"


def data_names(files: Iterable[str]) -> tuple[str, ...]:
    """The data files among them, in the order of their records."""
    return tuple(sorted(name for name in files if name.startswith("data")))


def sound_names(files: Iterable[str], *, parts: bool) -> bool:
    """Whether the data is one file or, where it may be, parts without a gap."""
    names = data_names(files)
    several = parts and names[:1] == (part_name(0),)
    return names == tuple(map(part_name, range(len(names)))) if several else names in _ONE_FILE


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
