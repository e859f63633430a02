"""NOT PRIVATE: what a release keeps of each group, beside the others.

A group is a value of a column that the schema marks `role: group`; of a number or date it is
a quarter of its public range.  A release may be right on average and wrong for a small group:
so each is compared by itself.  The scores are for the owner alone; `sfumato.inspection` says why.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.accuracy.bins import ABSENT, levels
from sfumato.inspection.information import Cells
from sfumato.inspection.utility import encoded
from sfumato.numeric.arrays import Codes
from sfumato.schema.domain import MISSING, Axis, Domain, Grid, Levels

__all__ = ["Kept", "by_group"]

_PARTS = 4  # of the range of a number
_FEWEST = 10  # records or rows, below which a distribution says nothing


class Kept(NamedTuple):
    """One group: its records and released rows, and how far its other columns are off."""

    column: str
    group: str
    records: int
    rows: int
    share_before: float
    share_after: float
    distance: float | None  # mean total variation of the other columns; None for a tiny group
    worst: str


def by_group(release: Any, original: Any, domain: Domain) -> list[Kept]:
    """NOT PRIVATE: every group of every column that is marked so.

    >>> from sfumato.example import CLINIC, clinic
    >>> from sfumato.schema import Schema
    >>> marked = CLINIC.replace("[female, male]", "[female, male], role: group")
    >>> domain = Domain.of(Schema.parse(marked))
    >>> [(kept.group, kept.distance) for kept in by_group(clinic(400), clinic(400), domain)]
    [('female', 0.0), ('male', 0.0)]
    """
    codes = [encoded(data, domain) for data in (release, original)]
    cells = [Cells.of(data, domain) for data in (release, original)]
    found: list[Kept] = []
    for place, axis in enumerate(domain.axes):
        if axis.column.role == "group":
            found += _of(axis, place, codes, cells, domain)
    return found


def _of(
    axis: Axis, place: int, codes: list[Codes], cells: list[Cells], domain: Domain
) -> Iterator[Kept]:
    names = _names(axis)
    groups = [_groups(axis, side[:, place]) for side in codes]
    others = [k for k in range(len(domain.axes)) if k != place]
    for k, name in enumerate(names):
        rows, records = (group == k for group in groups)
        ours, theirs = (
            Cells(cell.cells[mask], cell.sizes)
            for cell, mask in zip(cells, (rows, records), strict=True)
        )
        distances: dict[str, float] = {}
        if min(rows.sum(), records.sum()) >= _FEWEST:
            distances = {
                domain.axes[j].name: float(
                    np.abs(ours.shares((j,)) - theirs.shares((j,))).sum() / 2
                )
                for j in others
            }
        worst = max(distances, key=lambda column: distances[column], default="")
        yield Kept(
            axis.name,
            name,
            int(records.sum()),
            int(rows.sum()),
            float(records.mean()),
            float(rows.mean()),
            float(np.mean(list(distances.values()))) if distances else None,
            f"{worst} {distances[worst]:.3f}" if worst else "",
        )


def _names(axis: Axis) -> list[str]:
    if isinstance(axis, Levels):
        return levels(axis)
    quarters = [f"quarter {k + 1} of its range" for k in range(min(_PARTS, axis.points + 1))]
    return [*quarters, *([ABSENT] if axis.missing else [])]


def _groups(axis: Axis, codes: Codes) -> NDArray[np.int64]:
    wide = codes.astype(np.int64)
    if not isinstance(axis, Grid):
        return wide
    parts = min(_PARTS, axis.points + 1)
    return np.where(wide == MISSING, parts, wide * parts // (axis.points + 1))
