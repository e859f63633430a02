"""Where data sets lie: in a folder that is given, or where SFUMATO_DATA points."""

import os
from pathlib import Path

from sfumato.errors import DataError

__all__ = ["located"]


def located(file: Path, folder: str | Path | None, *, name: str, remedy: str) -> Path:
    """The file inside `folder` (by default SFUMATO_DATA), refused with a remedy if it is not there.

    >>> located(Path("adult") / "adult.csv", "nowhere", name="Adult", remedy="get it")
    Traceback (most recent call last):
    sfumato.errors.DataError: nowhere/adult/adult.csv does not exist: get it
    """
    place = folder if folder is not None else os.environ.get("SFUMATO_DATA")
    if not place:
        raise DataError(f"the data set {name} is needed: {remedy}")
    path = Path(place) / file
    if not path.is_file():
        raise DataError(f"{path} does not exist: {remedy}")
    return path
