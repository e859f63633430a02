"""How near to the truth a release is, by the law of its noise: one line per column, worst first.

What is said comes from `sfumato.accuracy`; where a method adds noise in another way, the
reason is said instead.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil

from sfumato.accuracy.collected import Collected, collected, is_collected
from sfumato.accuracy.published import Published, published
from sfumato.accuracy.spelling import at_least, at_most
from sfumato.errors import Refused
from sfumato.release.release import Release

__all__ = ["CONFIDENCE", "Line", "Precision", "precision", "share_between"]

CONFIDENCE = Fraction(95, 100)
MOST_LINES = 40
_WEIGHTS = "the range of a weight; the truth is each weight to the nearest step of its grid"
_OF_ALL = "all records or, for a mean, of the range of the number"
_LOOKED_AT = 12  # values of a column: all have the same noise, or nearly


@dataclass(frozen=True)
class Line:
    """One published column: what it says, and how far that may be from the truth."""

    what: str
    says: str
    between: str
    off: float  # half of the interval, as a share of all records or of the range

    @property
    def share(self) -> str:
        """The error as a person reads it."""
        return f"± {100 * self.off:.2g} %" if self.off else "exact"


@dataclass(frozen=True)
class Precision:
    """Lines, or why there are none; intervals of means and of counts, for the pictures."""

    lines: tuple[Line, ...] = ()
    more: int = 0  # lines that are not shown
    whole: str = ""  # what the error of a line is a share of
    reason: str = ""
    found: Published | None = None
    means: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    from_rows: bool = False  # whether the rows are what was measured, and nothing was drawn


def precision(release: Release) -> Precision:
    """What the noise law says about every published column.

    >>> import sfumato as sf
    >>> from sfumato.example import CLINIC, clinic
    >>> schema = sf.Schema.parse(CLINIC)
    >>> asked = {"method": "modips", "epsilon": 1, "fit": False}
    >>> release = sf.publish(clinic(5_000), schema=schema, seed=3, **asked)
    >>> [(line.what, line.says, line.between) for line in precision(release).lines[:1]]
    [('weight', 'mean 73.43', '67.61 to 78.79')]
    """
    try:
        if is_collected(release.certificate):
            return _of_answers(collected(release))
        found = published(release)
    except Refused as refusal:
        why = str(refusal).partition(". ")[0].removeprefix(str(release.certificate.method))
        return Precision(reason=f"The method{why}.")
    if found.edges is not None:
        return Precision(_of_edges(found), whole=_WEIGHTS, found=found)
    if not found.counts and not found.numbers:
        return Precision(reason="The method publishes second moments: sfumato accuracy says what "
                         "they tell of variances and covariances.")  # fmt: skip
    means = {name: number.mean(CONFIDENCE) for name, number in found.numbers.items()}
    lines = [*_of_counts(found), *_of_means(found, means)]
    lines.sort(key=lambda line: -line.off)
    intervals = {name: interval for name, (_, interval) in means.items()}
    kept = tuple(lines[:MOST_LINES])
    return Precision(kept, len(lines) - len(kept), _OF_ALL, found=found, means=intervals)


def share_between(found: Published, column: str, values: Sequence[str]) -> tuple[float, float]:
    """What the true share of some values lies between, when the number of records is noisy too."""
    total = found.total
    assert total is not None  # noqa: S101  whoever counts values counts records
    parts = 1 if total.public else 2
    each = 1 - (1 - CONFIDENCE) / parts
    low, high = found.count(column, values).interval(each)
    least, most = (max(end, 1.0) for end in total.interval(each))
    return min(low / most, 1.0), min(high / least, 1.0)


def _of_counts(found: Published) -> Iterable[Line]:
    for column, cells in found.counts.items():
        looked = [found.count(column, [value]) for value in list(cells)[:_LOOKED_AT]]
        widest = max(looked, key=lambda noisy: noisy.variance)
        if widest.public:
            yield Line(column, _counted(len(cells)), "public: without noise", 0.0)
            continue
        reach = widest.law.two_sided(1 - CONFIDENCE)
        off = min(reach / _records(found), 1.0)
        yield Line(column, _counted(len(cells)), f"each within ± {ceil(reach):,} records", off)


def _of_means(
    found: Published, means: Mapping[str, tuple[float, tuple[float, float]]]
) -> Iterable[Line]:
    for column, (value, (low, high)) in means.items():
        axis = found.numbers[column].axis.column
        width = float(axis.high) - float(axis.low)  # type: ignore[arg-type]  # dates have no sum
        between = f"{at_least(low)} to {at_most(high)}"
        yield Line(column, f"mean {value:.4g}", between, (high - low) / 2 / width)


def _of_answers(found: Collected) -> Precision:
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
        lines.append(Line(column, _counted(len(tally.given)), between, min(reach / records, 1.0)))
    means = {name: number.mean(CONFIDENCE) for name, number in found.numbers.items()}
    for name, (value, (low, high)) in means.items():
        first, last = (float(end) for end in found.numbers[name].ends)
        between = f"{at_least(low)} to {at_most(high)}"
        lines.append(Line(name, f"mean {value:.4g}", between, (high - low) / 2 / (last - first)))
    lines.sort(key=lambda line: -line.off)
    kept = tuple(lines[:MOST_LINES])
    intervals = {name: interval for name, (_, interval) in means.items()}
    return Precision(kept, len(lines) - len(kept), _OF_ALL, means=intervals, from_rows=True)


def _of_edges(found: Published) -> tuple[Line, ...]:
    """One weight for all: they have the same noise, and cutting back brings it no further off."""
    edges = found.edges
    assert edges is not None  # noqa: S101  it was asked for
    if not len(edges):
        return ()
    reach = edges.edge(0).law.two_sided(1 - CONFIDENCE)
    off = min(reach / float(edges.high - edges.low), 1.0)
    return (
        Line("any one weight", f"{len(edges):,} weights", f"each within ± {at_most(reach)}", off),
    )


def _records(found: Published) -> float:
    return max(found.total.value if found.total else 1.0, 1.0)


def _counted(values: int) -> str:
    return f"{values:,} count{'s' if values > 1 else ''}"
