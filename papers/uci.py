"""Numeric data sets of the UCI machine learning repository, as matrices.

They are read from the folder that SFUMATO_DATA points at, one subfolder each, with a header
and the label in the column named below.  Values are as in the file; what is missing is
not-a-number, and what a copy lacks is said in its note.

    semeion     1,593 handwritten digits, 256 pixels of 0 and 1
    waveform    5,000 made-up waves of three kinds, 21 values
    musk1       476 shapes of molecules, 166 distances
    musk2       6,598 shapes of molecules, 166 distances
    secom       1,567 wafers, 443 of 590 signals of the production line
    covtype     581,012 patches of forest, 10 numbers and two one-hot blocks
    gfe         27,348 of 27,936 video frames of faces, 100 points in space
    bupa        345 men, five blood tests and their drinks
    wbc         699 tumours, nine grades from 1 to 10, 16 of them missing
"""

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
from numpy.typing import NDArray

from papers.place import located
from sfumato.errors import DataError, ParameterError

__all__ = ["NAMES", "Loaded", "load"]


class Loaded(NamedTuple):
    """Features as floats, labels, names of the features, and what the copy lacks."""

    X: NDArray[np.float64]
    y: NDArray[np.int64]
    columns: tuple[str, ...]
    note: str


@dataclass(frozen=True, slots=True)
class _File:
    path: str
    label: str
    title: str  # what the repository calls it
    note: str
    dropped: tuple[str, ...] = ()


_FILES = {
    "semeion": _File(
        "semeion/semeion.csv.gz", "digit", "Semeion Handwritten Digit", "Complete."
    ),
    "waveform": _File(
        "waveform/waveform.csv.gz",
        "class",
        "Waveform Database Generator (Version 1)",
        "Complete; the version of 21 attributes.",
    ),
    "musk1": _File(
        "musk1/musk1.csv.gz",
        "class",
        "Musk (Version 1)",
        "Complete; rows of one molecule share its class.",
    ),
    "musk2": _File(
        "musk2/musk2.csv.gz",
        "class",
        "Musk (Version 2)",
        "Complete; rows of one molecule share its class.",
    ),
    "secom": _File(
        "secom/secom.csv.gz",
        "label",
        "SECOM",
        "443 of the 590 signals, all 1,567 rows: constant signals and those that are mostly "
        "missing were dropped from the copy, so results are not those of all 590.",
    ),
    "covtype": _File(
        "covtype/covtype.parquet", "cover_type", "Covertype", "Complete."
    ),
    "gfe": _File(
        "gfe/gfe.parquet",
        "label",
        "Grammatical Facial Expressions",
        "27,348 of the 27,936 frames: one of 18 recordings (user a, relative) lacks 588 frames "
        "without an expression, so its class rates are off.",
        ("user", "expression", "timestamp"),
    ),
    "bupa": _File(
        "bupa/bupa.csv.gz",
        "selector",
        "Liver Disorders",
        "Complete; the label says who was to train and who to test, and is no diagnosis.",
    ),
    "wbc": _File(
        "wbc/wbc.csv.gz",
        "class",
        "Breast Cancer Wisconsin (Original)",
        "Complete but for 16 grades that were never given; 2 is benign, 4 malignant.",
    ),
}  # fmt: skip
NAMES = tuple(_FILES)


def load(name: str, folder: str | Path | None = None) -> Loaded:
    """A data set by name, from `folder` or from where SFUMATO_DATA points.

    >>> load("semeion", "nowhere")  # doctest: +IGNORE_EXCEPTION_DETAIL
    Traceback (most recent call last):
    sfumato.errors.DataError: nowhere/semeion/semeion.csv.gz does not exist…
    """
    if name not in _FILES:
        raise ParameterError(f"there is no data set {name!r}; choose one of {', '.join(NAMES)}")
    wanted = _FILES[name]
    path = located(Path(wanted.path), folder, name=name, remedy=_remedy(wanted))
    try:
        table = pacsv.read_csv(path) if path.name.endswith(".csv.gz") else pq.read_table(path)
    except (OSError, pa.ArrowException):
        raise DataError(f"{path} cannot be read: it is damaged or of another format") from None
    if wanted.label not in table.column_names:
        raise DataError(f"{path} lacks a column: its header must name {wanted.label}")
    columns = tuple(c for c in table.column_names if c not in (wanted.label, *wanted.dropped))
    try:
        X = np.empty((table.num_rows, len(columns)))
        for j, column in enumerate(columns):
            X[:, j] = _floats(table.column(column))
        y = _floats(table.column(wanted.label)).astype(np.int64)
    except (pa.ArrowException, ValueError):
        raise DataError(f"{path} holds something that is not a number") from None
    return Loaded(X, y, columns, wanted.note)


def _floats(column: pa.ChunkedArray) -> NDArray[np.float64]:
    numbers = column.cast(pa.float64()).to_numpy()
    return np.asarray(numbers, np.float64)


def _remedy(wanted: _File) -> str:
    kind = "a gzipped CSV" if wanted.path.endswith(".csv.gz") else "Parquet"
    return (
        f'get "{wanted.title}" from the UCI machine learning repository, write it as {kind} with a '
        f"header, the label in a column {wanted.label}, to {wanted.path} and point at the folder "
        "above: SFUMATO_DATA=/that/folder"
    )
