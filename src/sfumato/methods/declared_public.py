"""Data that an owner declares public, held against the records that are to be protected.

Components of public data cost nothing.  Those of the records themselves, called public by mistake,
would publish their exact means under a promise that nobody kept.  What can be told from a path or
an object is refused before the charge; the rows are compared after it and before any noise is
drawn, so that such a refusal can be refunded.  That one depends on the records, so it is for their
owner's eyes.  `sfumato.table.overlap` says what it cannot see.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sfumato.errors import DataError, ParameterError
from sfumato.measure.scatter import exact_scatter
from sfumato.numeric.arrays import Matrix
from sfumato.render.components import leading
from sfumato.synopsis.scatter import ScatterLayout, ScatterSynopsis
from sfumato.table.file.opening import file_of
from sfumato.table.overlap import sketches, taken_from
from sfumato.table.records import Records

__all__ = ["PublicFigures", "PublicRows", "stated_source", "summary", "vouched"]

_REMEDY = (
    "what it says of them would be published without noise. Give data about others that is "
    "public already, or leave basis out (lop: use lip, which buys its components)"
)
_LONGEST = 200
_NEAR = 1e-9  # figures of tables that differ in a record are farther apart than that


def stated_source(source: Any) -> str | None:
    """Where public data comes from, as the owner states it; the certificate repeats it.

    >>> stated_source("national census 2021, public use file")
    'national census 2021, public use file'
    """
    if source is None or source == "":
        return None
    if not isinstance(source, str) or len(source) > _LONGEST or not source.isprintable():
        raise ParameterError(f"basis_source must be one line of at most {_LONGEST} characters")
    return source


def vouched(source: str | None) -> str:
    """What the certificate says of it."""
    where = f'stated source: "{source}"' if source else "no source was stated"
    return (
        f"The components come from data that the owner declares public ({where}): nothing was "
        "paid for what they show, and only the owner's word stands for it."
    )


def summary(layout: ScatterLayout, records: Records) -> tuple[int, ScatterSynopsis]:
    """NOT PRIVATE unless the records are public: their number and their exact second moments."""
    rows, sums, second = exact_scatter(layout, records)
    return rows, ScatterSynopsis(layout, layout.pack(rows, second), sums, rows)


@dataclass(frozen=True)
class PublicRows:
    """A file or frame, compared row by row in the columns that the components are made from."""

    given: Any
    records: Records
    columns: tuple[int, ...]
    release: None = None
    digest: None = None

    def differ_from(self, data: Any) -> None:
        """Refuse the same object or file, under whatever name; no record is read."""
        if self.given is data or _same_file(self.given, data):
            raise DataError(f"basis is the data that is to be protected: {_REMEDY}")

    def are_not(self, records: Records) -> None:
        """Refuse the same rows and samples of them: NOT PRIVATE, to be asked before the draw."""
        if taken_from(*sketches((self.records, records), self.columns)):
            raise DataError(f"basis holds rows of the data that is to be protected: {_REMEDY}")


@dataclass(frozen=True)
class PublicFigures:
    """Components that were spelt out: only those of the very records can be recognised."""

    layout: ScatterLayout
    mean: Matrix
    values: Matrix
    release: str | None = None  # that they were bought by
    digest: str | None = None  # of its certificate

    def differ_from(self, data: Any) -> None:
        """Figures are no file and no frame."""

    def are_not(self, records: Records) -> None:
        """Refuse mean and variances of these records: NOT PRIVATE, to be asked before the draw."""
        rows, found = summary(self.layout, records)
        if rows < 1:
            return
        variances, _ = leading(found.covariance, len(self.values))
        if _near(found.mean, self.mean) and _near(variances, self.values):
            raise DataError(f"basis is computed from the data that is to be protected: {_REMEDY}")


def _near(one: Matrix, other: Matrix) -> bool:
    return bool(np.allclose(one, other, rtol=0, atol=_NEAR))


def _same_file(one: Any, other: Any) -> bool:
    if not (isinstance(one, str | Path) and isinstance(other, str | Path)):
        return False
    try:
        return file_of(one)[0].samefile(file_of(other)[0])
    except OSError:
        return False  # one of them is not there, which is refused where it is opened
