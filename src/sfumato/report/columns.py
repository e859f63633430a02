"""How the values of each released column are spread: counted a batch at a time.

Bins follow from the schema; for columns of a method's own, such as components, from the
released values.  A sample of rows, evenly spaced, is kept in bins for `sfumato.report.pairs`.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sfumato.accuracy.bins import levels, moment_text
from sfumato.accuracy.spelling import spelt
from sfumato.numeric.arrays import Vector, Whole
from sfumato.release.certificate import Certificate, stated
from sfumato.release.reading import read_records
from sfumato.release.release import Release, table_schema
from sfumato.report.people_rows import flat_rows
from sfumato.schema import Date
from sfumato.schema.domain import Axis, Domain, Grid, Levels, step_of
from sfumato.synopsis.flat_people import COUNT, FlatPeople

__all__ = [
    "MOST_BINS",
    "MOST_COLUMNS",
    "Bars",
    "Column",
    "Ruler",
    "Span",
    "Survey",
    "axes_of",
    "batches",
    "names_of",
    "ruler_of",
    "survey",
]

MOST_COLUMNS, MOST_BARS, MOST_BINS = 30, 12, 24
_FEW = 8  # bins; fewer show no shape
_SAMPLE = 20_000
_GROWING = 50  # times the width of the narrowest bin that the widest has
Place = Callable[[pa.Array], Whole]


@dataclass(frozen=True)
class Bars:
    """One bar per value; values beyond the most frequent ones share the last bar."""

    values: tuple[str, ...]
    together: int = 0  # how many values the last bar stands for, where it stands for several

    def __len__(self) -> int:
        return len(self.values)


@dataclass(frozen=True)
class Span:
    """Bins over a range, with the text of a place on it; `width` in bins of usual size.

    Edges lie `half` a step outside the values, where these come in steps.
    """

    edges: tuple[float, ...]
    width: tuple[float, ...]
    text: Callable[[float], str]
    half: float = 0.0

    def __len__(self) -> int:
        return len(self.width)

    @property
    def even(self) -> bool:
        """Whether all bins are of one size."""
        return min(self.width) == max(self.width)

    @property
    def growing(self) -> bool:
        """Whether some bins are so much wider than others that one scale would hide the others."""
        return max(self.width) > _GROWING * min(self.width)

    @property
    def ends(self) -> tuple[float, float]:
        """The smallest and the largest value."""
        return self.edges[0] + self.half, self.edges[-1] - self.half

    def bin(self, which: int) -> str:
        """What lies in a bin."""
        low, high = (
            self.text(self.edges[which] + self.half),
            self.text(self.edges[which + 1] - self.half),
        )
        return low if low == high else f"{low} to {high}"


@dataclass(frozen=True, eq=False)
class Column:
    """A released column in bins; `missing` counts the rest of the rows.

    Where a person is the unit, rows are parts of their persons, and these are what is counted.
    """

    name: str
    kind: str
    bins: Bars | Span
    counts: Whole | Vector
    missing: float
    unit: str = "% of rows"  # of what its shares are

    @property
    def rows(self) -> int:
        """All rows, or persons."""
        return round(float(self.counts.sum()) + self.missing)

    @property
    def shares(self) -> NDArray[np.float64]:
        """The share of the rows in each bin, however wide it is: they add up to all."""
        return np.asarray(self.counts / max(self.rows, 1))


@dataclass(frozen=True, eq=False)
class Survey:
    """Columns in bins, and sampled rows in bins (missing: one past the last)."""

    columns: tuple[Column, ...]
    sample: Whole
    left_out: tuple[str, ...]


def batches(release: Release) -> Iterator[pa.RecordBatch]:
    """The released rows, never all at once where they lie in a folder."""
    if release.folder is None:
        return iter(release.table.to_batches())
    certificate = release.certificate
    return read_records(release.folder, certificate, table_schema(certificate))


def survey(release: Release, starts: Mapping[str, Sequence[int]] | None = None) -> Survey:
    """All columns that are drawn, in their order; the others are named.

    `starts` are the first codes of the bins of a number or date, where these are given.

    >>> import sfumato as sf
    >>> from sfumato.example import CLINIC, clinic
    >>> release = sf.publish(clinic(200), schema=sf.Schema.parse(CLINIC), epsilon=1, seed=1)
    >>> ward = survey(release).columns[5]
    >>> ward.name, ward.bins.values, ward.rows
    ('ward', ('cardiology', 'surgery', 'oncology', 'elsewhere'), 200)
    """
    axes, names = axes_of(release.certificate), names_of(release.certificate)
    own = release.certificate.columns is not None
    drawn = names[:MOST_COLUMNS]
    ends, texts = (_ends(release, drawn), _texts(release, drawn)) if own else ({}, {})
    rulers = [
        _spelt_out(texts[name], axes.get(name))
        if name in texts
        else _ruler(name, axes.get(name), ends, (starts or {}).get(name))
        for name in drawn
    ]
    people = release.certificate.people
    units, kind = (
        (release.certificate.rows, np.int64) if people is None else (people.persons, float)
    )
    counts = [np.zeros(ruler.size + 1, kind) for ruler in rulers]
    every, seen, kept = -(-int(units) // _SAMPLE) or 1, 0, []
    for batch, weight, picked in _weighed(release):
        codes = [ruler.place(batch.column(name)) for name, ruler in zip(drawn, rulers, strict=True)]
        for count, code in zip(counts, codes, strict=True):
            count += np.bincount(code, weight, len(count))
        codes = codes if picked is None else [code[picked] for code in codes]
        kept.append(np.stack([code[-seen % every :: every] for code in codes], axis=1))
        seen += batch.num_rows if picked is None else len(picked)
    unit = None if people is None else stated(release.certificate.public_schema).people
    constant = () if unit is None else (*unit.per_person, COUNT)
    sample = np.concatenate(kept) if kept else np.empty((0, len(drawn)), np.int64)
    columns = []
    for k, (name, ruler, count) in enumerate(zip(drawn, rulers, counts, strict=True)):
        bins, shown = ruler.shown(count[:-1])
        sample[:, k] = shown[sample[:, k]]
        binned = np.bincount(shown, weights=count, minlength=len(bins) + 1).astype(kind)
        shown_of = "% of persons" if name in constant else "% of rows"
        columns.append(Column(name, ruler.kind, bins, binned[:-1], binned[-1].item(), shown_of))
    return Survey(tuple(columns), sample, tuple(names[MOST_COLUMNS:]))


def axes_of(certificate: Certificate) -> dict[str, Axis]:
    """What the schema says of each column; of persons also of how many rows they have."""
    domain = Domain.of(stated(certificate.public_schema))
    domain = domain if certificate.people is None else FlatPeople.of(domain).domain
    return {axis.name: axis for axis in domain.axes}


def names_of(certificate: Certificate) -> list[str]:
    """The columns that may be drawn; keys of persons say nothing but whose row it is."""
    if certificate.columns is not None or certificate.people is None:
        return list(table_schema(certificate).names)
    return list(axes_of(certificate))


def _weighed(release: Release) -> Iterator[tuple[pa.RecordBatch, Vector | None, Whole | None]]:
    """Rows, with their weights and one row of each person where a person is the unit."""
    if release.certificate.people is not None:
        yield from flat_rows(release)
        return
    for batch in batches(release):
        yield batch, None, None


@dataclass(frozen=True)
class Ruler:
    """Places values of a column in `size` bins, missing ones in one more."""

    kind: str
    size: int
    place: Place
    bins: Bars | Span

    def shown(self, counts: Whole) -> tuple[Bars | Span, Whole]:
        """Bins that are drawn, and in which of them each bin is; the last entry is missing."""
        bins = self.bins
        if isinstance(bins, Span) or self.size <= MOST_BARS:
            return bins, np.arange(self.size + 1)
        often = np.argsort(-counts, kind="stable")[: MOST_BARS - 1]
        where = np.full(self.size + 1, MOST_BARS - 1)
        where[often], where[-1] = np.arange(len(often)), MOST_BARS
        rest = self.size - len(often)
        named = tuple(bins.values[k] for k in often)
        return Bars((*named, f"{rest:,} other values"), rest), where


def _ruler(
    name: str,
    axis: Axis | None,
    ends: Mapping[str, tuple[float, float]],
    starts: Sequence[int] | None,
) -> Ruler:
    if axis is None or (name in ends and isinstance(axis, Grid)):
        return _even(*ends[name])
    return ruler_of(axis, starts)


def ruler_of(axis: Axis, starts: Sequence[int] | None = None) -> Ruler:
    """For a column of the schema; `starts` are the first codes of bins, where these are given."""
    if isinstance(axis, Levels):
        return _listed(axis.column.kind, levels(axis)[: len(axis.values)])
    starts = _even_starts(axis.points) if starts is None else starts
    if isinstance(axis.column, Date):
        return _dates(axis, axis.column, starts)
    return _numbers(axis, starts)


def _listed(kind: str, values: Sequence[str]) -> Ruler:
    known, size = pa.array(values, pa.string()), len(values)

    def find(column: pa.Array) -> Whole:
        return np.asarray(pc.index_in(column.cast(pa.string()), known).fill_null(size), int)

    return Ruler(kind, size, find, Bars(tuple(values)))


def _spelt_out(texts: set[str], axis: Axis | None) -> Ruler:
    """Texts of the method's own: the levels of the schema, or intervals and sets by their start."""
    if isinstance(axis, Levels) and texts <= set(known := levels(axis)[: len(axis.values)]):
        return _listed(axis.column.kind, known)
    return _listed("category", sorted(texts, key=_natural))


def _natural(text: str) -> tuple[float, str]:
    """Texts by the first number in them, those without one last.

    >>> sorted(["missing", "[10, 20)", "[9, 10)"], key=_natural)
    ['[9, 10)', '[10, 20)', 'missing']
    """
    found = re.search(r"-?\d+(\.\d+)?", text, re.ASCII)
    return (float(found[0]) if found else np.inf), text


def _numbers(axis: Grid, starts: Sequence[int]) -> Ruler:
    low, high = float(axis.column.low), float(axis.column.high)  # type: ignore[arg-type]
    apart = (high - low) / axis.points
    edges, width = _grouped(axis.points, starts)

    def find(column: pa.Array) -> Whole:
        # As the encoder reads them: a released number may lie anywhere around its point.
        return _bin_of(starts, np.rint((_floats(column) - low) / (high - low) * axis.points))

    span = Span(tuple(low + apart * edge for edge in edges), width, spelt, apart / 2)
    return Ruler(axis.column.kind, len(width), _marked(find, len(width)), span)


def _dates(axis: Grid, column: Date, starts: Sequence[int]) -> Ruler:
    ends = np.array([column.low, column.high], "datetime64[s]")
    first, last = step_of(ends, column.step).tolist()
    apart = (last - first) / axis.points
    edges, width = _grouped(axis.points, starts)

    def find(values: pa.Array) -> Whole:
        moments = np.asarray(values.cast(pa.timestamp("s")).fill_null(0)).astype("datetime64[s]")
        steps = step_of(moments, column.step) - first
        return _bin_of(starts, np.rint(steps / apart))

    def text(place: float) -> str:
        return moment_text(column, min(max(place, first), last))

    span = Span(tuple(first + apart * edge for edge in edges), width, text, apart / 2)
    return Ruler("date", len(width), _marked(find, len(width)), span)


def _even(low: float, high: float) -> Ruler:
    """Bins of equal size between what was released; a single one for a single value."""
    size = MOST_BINS if high > low else 1
    apart = (high - low) / size or 1.0

    def find(column: pa.Array) -> Whole:
        return np.minimum((_floats(column) - low) / apart, size - 1).astype(np.int64)

    edges = tuple(low + apart * k for k in range(size + 1))
    return Ruler("number", size, _marked(find, size), Span(edges, (1.0,) * size, spelt))


def _even_starts(points: int) -> range:
    """Where bins of equally many codes begin.

    >>> list(_even_starts(5)), list(_even_starts(80))[:3]
    ([0, 1, 2, 3, 4, 5], [0, 9, 18])
    """
    codes = points + 1
    least = -(-codes // MOST_BINS)
    even = (each for each in range(least, codes // _FEW + 1) if codes % each == 0)
    return range(0, codes, next(even, least))


def _grouped(points: int, starts: Sequence[int]) -> tuple[list[float], tuple[float, ...]]:
    """Edges of bins, and how many codes each holds beside the largest.

    >>> _grouped(5, [0, 2, 4]), _grouped(4, [0, 2, 4])[1]
    (([-0.5, 1.5, 3.5, 5.5], (1.0, 1.0, 1.0)), (1.0, 1.0, 0.5))
    """
    sizes = np.diff([*starts, points + 1])
    return [*(start - 0.5 for start in starts), points + 0.5], tuple((sizes / sizes.max()).tolist())


def _bin_of(starts: Sequence[int], codes: NDArray[np.float64]) -> Whole:
    return np.searchsorted(np.asarray(starts), codes, side="right") - 1


def _marked(find: Place, size: int) -> Place:
    def place(column: pa.Array) -> Whole:
        return np.where(np.asarray(column.is_valid()), np.clip(find(column), 0, size - 1), size)

    return place


def _ends(release: Release, names: list[str]) -> dict[str, tuple[float, float]]:
    """The smallest and largest released value of every number."""
    found: dict[str, tuple[float, float]] = {}
    for batch in batches(release):
        for name in names:
            column = batch.column(name)
            if not pa.types.is_string(column.type) and batch.num_rows:
                values = _floats(column)
                low, high = found.get(name, (np.inf, -np.inf))
                found[name] = min(low, float(values.min())), max(high, float(values.max()))
    kinds = table_schema(release.certificate)
    numbers = [name for name in names if not pa.types.is_string(kinds.field(name).type)]
    return {name: found.get(name, (0.0, 0.0)) for name in numbers}


def _texts(release: Release, names: list[str]) -> dict[str, set[str]]:
    """The released values of every column of texts."""
    kinds = table_schema(release.certificate)
    found: dict[str, set[str]] = {
        n: set() for n in names if pa.types.is_string(kinds.field(n).type)
    }
    for batch in batches(release) if found else ():
        for name, texts in found.items():
            texts.update(batch.column(name).drop_null().unique().to_pylist())
    return found


def _floats(column: pa.Array) -> NDArray[np.float64]:
    return np.asarray(column.fill_null(0), np.float64)
