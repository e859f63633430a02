"""NOT PRIVATE: which records a release comes closest to, by their position alone.

How exposed.  For record i: the distance to the nearest released row over the distance to the
nearest other record.  About 1 is usual: the release has somebody where there are people.
Far below 1, the release has a row that nobody but this record accounts for.  With control
records the same ratio is taken for them, who had no part in the release, and each record
is set against them: a record is remarkable if hardly any stranger is met as closely.

Positions and ratios are given, never values; positions count from 1, without the header.
It finds copies and near copies and nothing subtler.  The scores are for the owner alone;
`sfumato.inspection` says why.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import DataError
from sfumato.inspection.attack.tables import nearest
from sfumato.inspection.utility import AnySchema, domain_of, encoded
from sfumato.numeric.arrays import Codes

__all__ = ["MOST_SEARCHED", "Exposed", "Exposure", "exposure"]

MOST_SEARCHED = 10_000  # records; of more, as many are drawn, always the same ones
_NAMED = 20

Ratios = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Exposed:
    """One record, by its position: how close it is met, and how many others are as closely."""

    position: int
    ratio: float
    others: float  # share of control records met as closely; of all records without control


@dataclass(frozen=True, slots=True)
class Exposure:
    """The most exposed records first; `usual` is the median ratio of who is compared with."""

    records: tuple[Exposed, ...]
    usual: float
    searched: int
    against_control: bool
    beyond: int  # records met more closely than every control record; 0 without control


def exposure(
    release: Any, original: Any, schema: AnySchema, *, control: Any = None, named: int = _NAMED
) -> Exposure:
    """NOT PRIVATE: the `named` records that the release comes closest to.

    >>> from sfumato.example import CLINIC, clinic
    >>> from sfumato.schema import Schema
    >>> patients = clinic(900)
    >>> known, others = patients.slice(0, 300), patients.slice(300, 300)
    >>> fresh = patients.slice(600)
    >>> copied = exposure(known, known, Schema.parse(CLINIC), control=others)
    >>> copied.beyond, copied.records[0].ratio
    (300, 0.0)
    >>> exposure(fresh, known, Schema.parse(CLINIC), control=others).beyond < 30
    True
    """
    domain = domain_of(schema)
    rows, records = encoded(release, domain), encoded(original, domain)
    if len(records) < 2 or not len(rows):
        raise DataError("exposure needs at least two records and one released row")
    columns = range(len(domain.axes))

    def distances(among: Codes, targets: Codes, count: int) -> Ratios:
        return nearest(domain, among, targets, columns, count)[0][:, count - 1]

    at = _searched(len(records))
    # The nearest record to a record is itself, so the second counts.
    ours = _ratio(distances(rows, records[at], 1), distances(records, records[at], 2))
    compared = ours
    if control is not None:
        strangers = encoded(control, domain)
        strangers = strangers[_searched(len(strangers))]
        compared = _ratio(distances(rows, strangers, 1), distances(records, strangers, 1))
    order = np.sort(compared)
    shares = np.searchsorted(order, ours, side="right") / max(len(order), 1)
    worst = np.argsort(ours, kind="stable")[:named]
    found = tuple(Exposed(int(at[i]) + 1, float(ours[i]), float(shares[i])) for i in worst)
    beyond = 0 if control is None else int((shares == 0).sum())
    return Exposure(found, float(np.median(compared)), len(at), control is not None, beyond)


def _ratio(near: Ratios, usual: Ratios) -> Ratios:
    """Where a twin is as close as can be, a release that is, too, is nothing remarkable."""
    both = (near == 0) & (usual == 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(both, 1.0, near / usual)


def _searched(rows: int) -> NDArray[np.int64]:
    if rows <= MOST_SEARCHED:
        return np.arange(rows)
    return np.sort(np.random.default_rng(0).choice(rows, MOST_SEARCHED, replace=False))
