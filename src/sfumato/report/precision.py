"""How near to the truth a release is, by the law of its noise: one line per column, worst first.

What is said comes from `sfumato.accuracy`; where a method adds noise in another way, the
reason is said instead.  The truth is that of values as they were read, and where the fit of the
file shows that records were changed by it, their line says so.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import ceil

import numpy as np

from sfumato.accuracy.as_read import changes
from sfumato.accuracy.collected import Collected, collected, is_collected
from sfumato.accuracy.collected_statement import mean_in_words
from sfumato.accuracy.expected import widest
from sfumato.accuracy.published import Published, published
from sfumato.accuracy.spelling import at_least, at_most, roughly, spelt
from sfumato.errors import Refused
from sfumato.release.release import Release
from sfumato.schema import Date

__all__ = [
    "BEYOND",
    "CONFIDENCE",
    "PERSONS",
    "Line",
    "Precision",
    "answered",
    "beside",
    "beside_counts",
    "precision",
    "share_between",
]

CONFIDENCE = Fraction(95, 100)
MOST_LINES = 40
BEYOND = "more than 100 %"  # of the published value
PERSONS = "of all persons"
_RECORDS, _RANGE = "of all records", "of the range"
_PUBLIC = "public: without noise"
_LOOKED_AT = 12  # values of a column: all have the same noise, or nearly


@dataclass(frozen=True)
class Line:
    """One published column: what it says, and how far that may be from the truth as read."""

    what: str
    says: str
    between: str
    off: float  # how far the truth may be at most, as a share of what `whole` says
    whole: str = _RECORDS
    relative: str = ""  # the same beside the published value
    changed: str = ""  # how many records were changed when they were read

    @property
    def share(self) -> str:
        """The error as a person reads it."""
        return "exact" if self.between == _PUBLIC else f"± {roughly(100 * self.off)} % {self.whole}"

    @property
    def truth(self) -> str:
        """What the truth, as read, lies between: what was changed before stands beside it."""
        return self.between if self.between == _PUBLIC else f"{self.between}, as read"


@dataclass(frozen=True)
class Precision:
    """Lines, or why there are none; intervals of means and of counts, for the pictures."""

    lines: tuple[Line, ...] = ()
    more: int = 0  # lines that are not shown
    reason: str = ""
    answered: bool = False  # whether `sfumato accuracy` takes the release
    found: Published | None = None
    means: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    rows: str = ""  # how far the released rows are from what was counted, in a sentence
    from_rows: bool = False  # whether the rows are what was measured, and nothing was drawn
    changed: Callable[[str], str] = lambda _: ""  # by column: how many were changed in reading

    def changed_in(self, *columns: str) -> list[str]:
        """A sentence for each of several columns in which records were changed."""
        return [f"In {column}, {said}" for column in columns if (said := self.changed(column))]


def precision(release: Release) -> Precision:
    """What the noise law says about every published column.

    >>> import sfumato as sf
    >>> from sfumato.example import CLINIC, clinic
    >>> schema = sf.Schema.parse(CLINIC)
    >>> asked = {"method": "modips", "epsilon": 1, "seed": 3, "fit": False}
    >>> release = sf.publish(clinic(5_000), schema=schema, **asked)
    >>> [(line.what, line.says, line.truth) for line in precision(release).lines[:1]]
    [('weight', 'mean 73.43', '67.61 to 78.79, as read')]
    >>> line = precision(release).lines[0]
    >>> line.share, line.relative
    ('± 4.9 % of the range', '± 8 % of the mean')
    """
    changed = changes(release.certificate, release.fit)
    try:
        if is_collected(release.certificate):
            return replace(_of_answers(collected(release), changed), changed=changed)
        found = published(release)
    except Refused as refusal:
        why = str(refusal).partition(". ")[0].removeprefix(str(release.certificate.method))
        return Precision(reason=f"The method{why}.", changed=changed)
    if found.edges is not None:
        return Precision(_of_edges(found), found=found, answered=True)
    if not found.counts and not found.numbers:
        return Precision(reason="The method publishes second moments: sfumato accuracy says what "
                         "they tell of variances and covariances.", changed=changed,
                         answered=True)  # fmt: skip
    means = {name: number.mean(CONFIDENCE) for name, number in found.numbers.items()}
    ends = {name: _ends(found, name) for name in means}
    lines = [*_of_counts(found), *_of_means(means, ends)]
    lines = [replace(line, changed=changed(line.what)) for line in lines]
    lines.sort(key=lambda line: -line.off)
    intervals = {name: interval for name, (_, interval) in means.items()}
    kept = tuple(lines[:MOST_LINES])
    return Precision(kept, len(lines) - len(kept), found=found, means=intervals, changed=changed,
                     answered=True)  # fmt: skip


def answered(release: Release) -> bool:
    """Whether `sfumato accuracy` takes a release of counts or a stream."""
    try:
        published(release)
    except Refused:
        return False
    return True


def share_between(found: Published, column: str, values: Sequence[str]) -> tuple[float, float]:
    """What the share of some values, as read, lies between; the number of records may be noisy."""
    total = found.total
    assert total is not None  # noqa: S101  whoever counts values counts records
    parts = 1 if total.public else 2
    each = 1 - (1 - CONFIDENCE) / parts
    low, high = found.count(column, values).interval(each)
    least, most = (max(end, 1.0) for end in total.interval(each))
    return min(low / most, 1.0), min(high / least, 1.0)


def _of_counts(found: Published) -> Iterable[Line]:
    for column, cells in found.counts.items():
        noisy = widest(found, column)
        if noisy.public:
            yield Line(column, _counted(len(cells)), _PUBLIC, 0.0)
            continue
        reach = noisy.law.two_sided(1 - CONFIDENCE)
        off = min(reach / _records(found), 1.0)
        of = found.counted(column)
        between = f"each within ± {ceil(reach):,} {of}"
        whole = _RECORDS if of == "records" else PERSONS
        told = beside_counts(reach, [cell.value for cell in cells.values()])
        yield Line(column, _counted(len(cells)), between, off, whole, told)


def _of_means(
    means: Mapping[str, tuple[float, tuple[float, float]]],
    ends: Mapping[str, tuple[float, float]],
) -> Iterable[Line]:
    for column, (value, (low, high)) in means.items():
        # An interval that the range cuts off is no nearer on its other side.
        (first, last), reach = ends[column], max(high - value, value - low)
        between = f"{at_least(low)} to {at_most(high)}"
        told = f"{beside(reach, value)} of the mean"
        off = reach / (last - first)
        yield Line(column, f"mean {spelt(value)}", between, off, _RANGE, told)


def beside(reach: float, value: float) -> str:
    """An error beside the published value that it belongs to.

    >>> beside(3.0, 60.0), beside(3.0, -2.0)
    ('± 5 %', 'more than 100 %')
    """
    return f"± {roughly(100 * reach / abs(value))} %" if reach < abs(value) else BEYOND


def beside_counts(reach: float, counts: Sequence[float]) -> str:
    """The same for the largest of several counts and for the one in their middle."""
    ranked = sorted(counts)
    largest, middle = ranked[-1], ranked[len(ranked) // 2]
    if len(ranked) < 3:
        return f"{beside(reach, max(ranked[0], 0.0))} of the smallest count"
    told = f"{beside(reach, max(largest, 0.0))} of the largest count"
    return f"{told}, {beside(reach, max(middle, 0.0))} of the middle one"


def _ends(found: Published, column: str) -> tuple[float, float]:
    axis = found.numbers[column].axis.column
    return float(axis.low), float(axis.high)  # type: ignore[arg-type]  # dates have no sum


def _of_answers(found: Collected, changed: Callable[[str], str]) -> Precision:
    """Counts and means of answers that records gave by themselves."""
    lines, records = [], max(found.records, 1)
    for column, tally in found.tallies.items():
        looked = [found.count(column, [value]) for value in list(tally.given)[:_LOOKED_AT]]
        ends = [seen.interval(CONFIDENCE) for seen in looked]
        reach = max(
            max(high - seen.value, seen.value - low)
            for seen, (low, high) in zip(looked, ends, strict=True)
        )
        between = f"each within ± {ceil(reach):,} records"
        told = beside_counts(reach, [seen.value for seen in looked])
        off = min(reach / records, 1.0)
        lines.append(Line(column, _counted(len(tally.given)), between, off, relative=told))
    means = {name: number.mean(CONFIDENCE) for name, number in found.numbers.items()}
    range_of = {name: (float(a), float(b)) for name in means for a, b in [found.numbers[name].ends]}
    dates = [n for n in means if isinstance(found.numbers[n].question.grid.column, Date)]
    for line in _of_means(means, range_of):
        if line.what in dates:  # a share of so many days is no use
            mean, low, high = mean_in_words(found, line.what, *_flat(means[line.what]))
            says, between = f"mean {mean}", f"{low} to {high}"
            lines.append(replace(line, says=says, between=between, relative=""))
        else:
            lines.append(line)
    lines = [replace(line, changed=changed(line.what)) for line in lines]
    lines.sort(key=lambda line: -line.off)
    kept = tuple(lines[:MOST_LINES])
    intervals = {name: interval for name, (_, interval) in means.items() if name not in dates}
    return Precision(kept, len(lines) - len(kept), means=intervals, from_rows=True, answered=True)


def _flat(mean: tuple[float, tuple[float, float]]) -> tuple[float, float, float]:
    return mean[0], *mean[1]


def _of_edges(found: Published) -> tuple[Line, ...]:
    """One weight for all: they have the same noise, and cutting back brings it no further off."""
    edges = found.edges
    assert edges is not None  # noqa: S101  it was asked for
    if not len(edges):
        return ()
    reach = edges.edge(0).law.two_sided(1 - CONFIDENCE)
    off, says = min(reach / float(edges.high - edges.low), 1.0), f"{len(edges):,} weights"
    middle = int(np.argsort(edges.entries.values, kind="stable")[len(edges) // 2])
    told = beside(reach, edges.edge(middle).value)
    return (
        Line(
            "any one weight",
            says,
            f"each within ± {at_most(reach)}",
            off,
            "of the range of a weight",
            f"{told} of the middle weight",
        ),
    )


def _records(found: Published) -> float:
    return max(found.total.value if found.total else 1.0, 1.0)


def _counted(values: int) -> str:
    return f"{values:,} count{'s' if values > 1 else ''}"
