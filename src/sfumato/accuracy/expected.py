"""How far off the figures of a release are by its noise alone, column by column.

The same statements as `sfumato.accuracy` makes of a release, without the figures themselves: so
they can be made of a release of made-up records (`sfumato.publishing.rehearsal`) and hold for one
of real ones.  Each says whether it is the same whatever the records are.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from sfumato.accuracy.law import share
from sfumato.accuracy.noisy import Noisy, shared
from sfumato.accuracy.number_sum import Reach
from sfumato.accuracy.published import Published
from sfumato.privacy.guarantee import Number

__all__ = ["CountReach", "Expected", "expected", "widest"]

_LOOKED_AT = 12  # values at each end of a column: all between have the same noise, or nearly


@dataclass(frozen=True)
class CountReach:
    """How far off each count of a column may be."""

    values: int  # how many counts there are
    reach: float
    settled: bool  # whether that is so for all records
    of: str  # what is counted


@dataclass(frozen=True)
class Expected:
    """What noise does to one column."""

    column: str
    count: CountReach | None
    mean: Reach | None

    @property
    def settled(self) -> bool:
        """Whether all of it is so for all records."""
        return all(one is None or one.settled for one in (self.count, self.mean))


def expected(
    found: Published,
    there: Mapping[str, float],
    records: float,
    confidence: Number,
    columns: Collection[str] | None = None,
) -> tuple[Expected, ...]:
    """Of every column, or of some; `there` says how many have a value, if not all records."""
    wanted = {*found.counts, *found.numbers} if columns is None else columns
    counts = dict(_counts(found, confidence, wanted))
    means = {
        name: number.reach(confidence, there.get(name, records))
        for name, number in found.numbers.items()
        if name in wanted
    }
    for name, mean in means.items():
        if name in counts and not counts[name].settled:
            means[name] = mean._replace(settled=False)
    every = dict.fromkeys([*counts, *means])
    return tuple(Expected(name, counts.get(name), means.get(name)) for name in every)


def widest(found: Published, column: str) -> Noisy:
    """The count of a column that has most noise."""
    cells = found.counts[column]
    names = list(cells)
    ends = list(dict.fromkeys([*names[:_LOOKED_AT], *names[-_LOOKED_AT:]]))
    if found.tables is not None and not shared(cells.values()):
        # What is alike by itself is alike with the rest of the column, too.
        alike = {None if cells[name].public else cells[name].law: name for name in reversed(ends)}
        ends = list(alike.values())
    looked = [found.count(column, [name]) for name in ends]
    return max(looked, key=lambda noisy: noisy.variance)


def _counts(
    found: Published, confidence: Number, wanted: Collection[str]
) -> Iterable[tuple[str, CountReach]]:
    for column, cells in found.counts.items():
        if column not in wanted:
            continue
        noisy = widest(found, column)
        reach = 0.0 if noisy.public else noisy.reach(1 - share("confidence", confidence))
        settled = noisy.public or _settled(found, column)
        yield column, CountReach(len(cells), reach, settled, found.counted(column))


def _settled(found: Published, column: str) -> bool:
    if found.tables is not None:
        return found.tables.settled(column)
    # Leaves are as many as were chosen.
    return all(event.statistic != "leaf counts" for event in found.certificate.events)
