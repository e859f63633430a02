"""What a recipient holds, as numbers: the table row by row, and the synopsis entry by entry."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any
from zlib import crc32

import numpy as np
import pyarrow as pa

from sfumato.inspection.audit.finding import Sample, Tick
from sfumato.inspection.audit.learned import learned
from sfumato.inspection.audit.persons import batches_of
from sfumato.numeric.arrays import Matrix
from sfumato.plan import Plan
from sfumato.privacy.mechanism import Purse
from sfumato.privacy.randomness import Bits
from sfumato.table.people.people import People
from sfumato.table.records import Records

__all__ = ["Released", "aligned", "numbers", "runs_of"]

_ABSENT = -(2.0**60)  # stands for an empty value: far from any number that is released
_MOST_ROWS = 64


def numbers(synopsis: Any, batches: Iterable[pa.RecordBatch]) -> dict[str, float]:
    """Every released value under a name of its own; text becomes a number that stands for it.

    >>> numbers(None, [pa.RecordBatch.from_pydict({"a": [1.5, None]})])
    {'rows': 2.0, 'a of row 1': 1.5, 'a of row 2': -1.152921504606847e+18}
    """
    rows = [row for batch in batches for row in batch.to_pylist()]
    found = {"rows": float(len(rows))}
    for i, row in enumerate(rows[:_MOST_ROWS], 1):
        found |= {f"{name} of row {i}": _number(value) for name, value in row.items()}
    if hasattr(synopsis, "to_json"):
        _flatten("synopsis", synopsis.to_json(), found)
    return found


def _flatten(name: str, value: Any, into: dict[str, float]) -> None:
    if isinstance(value, Mapping):
        for key, part in value.items():
            _flatten(f"{name}.{key}", part, into)
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for i, part in enumerate(value):
            _flatten(f"{name}[{i}]", part, into)
    else:
        into[name] = _number(value)


def _number(value: Any) -> float:
    if isinstance(value, datetime):
        return value.timestamp()
    if isinstance(value, date):
        return float(value.toordinal())
    if isinstance(value, str):
        return float(crc32(value.encode()))  # the same number on every run, and no order meant
    found = _ABSENT if value is None else float(value)
    return found if np.isfinite(found) else _ABSENT


@dataclass(frozen=True)
class Released:
    """Runs of a plan on two neighbouring tables, each as the numbers that it releases."""

    plan: Plan
    tables: tuple[Records | People, Records | People]
    rng: np.random.Generator  # for what is drawn after the noise

    def sample(self, count: int, bits: Bits, tick: Tick) -> Sample:
        """`count` runs on each table, to be told apart by what is learnt from half of them."""
        runs = [runs_of(self.plan, side, count, bits, self.rng, tick) for side in self.tables]
        names, (first, second) = aligned(runs)
        return Sample(first, second, learned(names))


def runs_of(
    plan: Plan,
    records: Records | People,
    count: int,
    bits: Bits,
    rng: np.random.Generator,
    tick: Tick,
) -> list[dict[str, float]]:
    """What `count` releases of a table hold."""
    found = []
    for _ in range(count):
        synopsis = plan.measure(records, Purse(plan.guarantee, bits))
        rendered = plan.render(synopsis, None, rng)
        found.append(numbers(synopsis, batches_of(rendered, plan.domain)))
        tick()
    return found


def aligned(tables: Sequence[Sequence[Mapping[str, float]]]) -> tuple[list[str], list[Matrix]]:
    """Names that occur in any run, and a row for each run; what a run did not have is absent."""
    names = list(dict.fromkeys(name for runs in tables for run in runs for name in run))
    return names, [
        np.array([[run.get(name, _ABSENT) for name in names] for run in runs]) for runs in tables
    ]
