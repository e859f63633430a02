"""Heaps: places where values that were changed in reading would pile up, seen for nothing.

A number beyond its range is read as the end of it, one that cannot be read as the middle, a
value that is not listed as the first one.  Where the noisy tables show many more records there
than beside it, that may be why.  It is a hint: genuine caps look the same.

A heap is an excess over what the neighbouring bin suggests (of a first value: over nine tenths of
all records) of more than 5 deviations of its noise and 1 % of all records.  Deviations of noise
that is shared add up at most.  A low of 0 or ±1 is exempt: many genuine columns begin there.
Only columns of a dozen bins have neighbours that say anything.  Where `other` is declared, more
than 5 % of all records in it are worth a word: values that are not listed fit, and no count of the
fit shows them.

>>> import sfumato as sf, pyarrow as pa
>>> from sfumato.accuracy.published import published
>>> schema = {"name": "t", "columns": {"income": {"kind": "integer", "low": 0, "high": 40}}}
>>> table = pa.table({"income": [*range(40)] * 50 + [57] * 3_000})
>>> release = sf.publish(table, schema=schema, epsilon=9, seed=1, fit=False)
>>> [heap.says for heap in heaps(published(release))]
['60 % of the records are read as 40, the end of the range, many more than beside it: what lies \
above may have been cut to it. Genuine caps look the same']
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sfumato.accuracy.as_read import became
from sfumato.accuracy.noisy import Noisy
from sfumato.accuracy.published import Published
from sfumato.release.certificate import stated
from sfumato.schema.domain import Domain, Grid, Levels
from sfumato.synopsis.bins import Fine

__all__ = ["Heap", "heaps"]

_CERTAIN, _WORTH = 5.0, 0.01
_NEARLY_ALL = 0.9
_MUCH = 0.05  # of all records, as other
_FEWEST = 12  # bins
_EXEMPT = (0, 1, -1)


@dataclass(frozen=True)
class Heap:
    """More records in one place of a column than its neighbours suggest."""

    column: str
    says: str
    share: float  # of all records, by the noisy count


def heaps(found: Published) -> tuple[Heap, ...]:
    """What the noisy one-way tables of a release show, column by column."""
    if found.certificate.public_schema is None or found.total is None or not found.counts:
        return ()
    domain = Domain.of(stated(found.certificate.public_schema))
    every: list[Heap] = []
    of = found.counted
    for axis in domain.axes:
        cells = found.counts.get(axis.name)
        if cells is None:
            continue
        if isinstance(axis, Levels):
            every += _first(axis, cells, found.total.value, of(axis.name))
        elif found.tables is not None:
            fine = found.tables.fine_bins(axis.name)
            heap = _ordered(axis, fine, list(cells.values()), found.total.value, of(axis.name))
            every += heap
    return tuple(every)


def _ordered(axis: Grid, fine: Fine, cells: list[Noisy], total: float, of: str) -> Iterator[Heap]:
    last = fine.ordered - 1
    if last + 1 < _FEWEST:
        return
    places: dict[str, tuple[int, tuple[int, ...]]] = {"above": (last, (last - 1,))}
    if getattr(axis.column, "low", None) not in _EXEMPT:
        places["below"] = 0, (1,)
    if not axis.missing:
        middle = int(fine.place[axis.middle])
        places["unreadable"] = middle, (middle - 1, middle + 1)
    sizes = (fine.stop - fine.start).tolist()
    for complaint, (own, beside) in places.items():
        if all(_stands_out(cells, sizes, own, other, total) for other in beside):
            yield _heap(axis, complaint, cells[own].value / total, of)


def _stands_out(cells: list[Noisy], sizes: list[int], own: int, other: int, total: float) -> bool:
    """Whether a bin holds more than its neighbour would, were it as wide."""
    ratio = sizes[own] / sizes[other]
    excess = cells[own].value - ratio * max(cells[other].value, 0.0)
    noise = cells[own].law.deviation + ratio * cells[other].law.deviation
    return excess > _CERTAIN * noise and excess > _WORTH * total


def _first(axis: Levels, cells: Mapping[str, Noisy], total: float, of: str) -> Iterator[Heap]:
    if axis.other:
        yield from _other(axis, list(cells.values())[axis.unknown], total, of)
    if axis.unknown or len(cells) < 2:
        return
    first = next(iter(cells.values()))
    noise = 0.0 if first.public else first.law.deviation
    if first.value - _NEARLY_ALL * total > max(_CERTAIN * noise, _WORTH * total):
        yield _heap(axis, "not listed", first.value / total, of)


def _other(axis: Levels, cell: Noisy, total: float, of: str) -> Iterator[Heap]:
    """Needs no neighbour: values that are not listed fit, so that no other count shows them."""
    noise = 0.0 if cell.public else cell.law.deviation
    if cell.value - _MUCH * total > _CERTAIN * noise:
        share, empty = min(cell.value / total, 1.0), "" if axis.missing else " or is missing"
        said = (
            f"About {100 * share:.3g} % of the {of} are read as {axis.values[axis.unknown]}, as "
            f"is whatever is not listed{empty}: see whether the list has the values as the file "
            "writes them"
        )
        yield Heap(axis.name, said, share)


_WHY = {
    "above": "many more than beside it: what lies above may have been cut to it. Genuine caps "
    "look the same",
    "below": "many more than beside it: what lies below may have been cut to it. Genuine caps "
    "look the same",
    "unreadable": "many more than beside it: what cannot be read lands there. A genuine peak "
    "looks the same",
    "not listed": "and so is what is not listed. A value that is genuinely so frequent looks the "
    "same",
}


def _heap(axis: Grid | Levels, complaint: str, share: float, of: str) -> Heap:
    # `its end` of the sentence about changed records has no range to refer to here.
    where = became(complaint, axis).replace(", its end", ", the end of the range")
    share = min(share, 1.0)
    said = f"{100 * share:.3g} % of the {of} are read as {where}, {_WHY[complaint]}"
    return Heap(axis.name, said, share)
