"""count-query under audit: counts that are published once.

Counts that differ by one record: one more or one less under a key, or one that moves from one
key to another.  What is no count at all stands among them: halves, gaps, texts, numbers beyond
the range.
"""

from collections.abc import Callable, Iterator
from math import inf, nan
from typing import Any

import numpy as np
import pyarrow as pa

from sfumato.inspection.audit.coupled import Checked, Family, checked, public, stated
from sfumato.inspection.audit.sampled import Effort, Measure, Sampled, sampled
from sfumato.privacy.budget import Budget
from sfumato.privacy.sensitivity import Neighbours
from sfumato.publishing.counts import publish_counts
from sfumato.retrieval.count_plan import planned as planned_counts
from sfumato.retrieval.counts import LARGEST_COUNT

__all__ = ["RELATIONS", "check_counts", "counted", "sample_counts"]

_WAYS = ("histogram", "wavelet", "both")
RELATIONS: tuple[Neighbours, ...] = ("add-remove", "replace-one")
_KEYS = (2, 5)
_ABSURD = (nan, inf, -inf, -3.0, 0.5, 2.5, 1e300, None)


def check_counts(budget: Budget) -> Iterator[Checked]:
    """Frozen checks of `publish_counts`, in every way and under both relations."""
    for relation in RELATIONS:
        for way in _WAYS:
            case = Checked(f"{way}, {relation}", budget)
            for keys in _KEYS:
                publish = _published(budget, relation, way)
                case.join(checked(case.case, budget, publish, counted(keys, relation)))
            yield case


def _published(budget: Budget, relation: Neighbours, way: str) -> Callable[[Any], Any]:
    def publish(values: list[Any]) -> Any:
        table = pa.table({"key": [f"k{place}" for place in range(len(values))], "count": values})
        given: dict[str, Any] = {"ways": way, "neighbours": relation} | (
            {"share": "1/3"} if way == "both" else {}
        )
        release = publish_counts(table, seed=0, release="audit", **given, **stated(budget))
        return public(release)

    return publish


def counted(keys: int, relation: Neighbours) -> Iterator[Family]:
    """Counts of so many keys, each with its neighbours."""
    rng = np.random.default_rng(keys)
    bases = {
        "no records": [0] * keys,
        "one record each": [1] * keys,
        "mixed counts": rng.integers(1, 99, keys).tolist(),
        "halves": (rng.integers(1, 9, keys) + 0.5).tolist(),
        "counts beyond the range": [float(LARGEST_COUNT + 1 + k) for k in range(keys)],
        "one count beyond the range": [*([3.0] * (keys - 1)), float(LARGEST_COUNT + 5)],
        "one count at the end of the range": [float(LARGEST_COUNT - 2), *([0.0] * (keys - 1))],
        "texts": [str(7 + k) for k in range(keys)],
        "what is no count": [*_ABSURD, *_ABSURD][:keys],
    }
    for text, values in bases.items():
        moved = _added if relation == "add-remove" else _replaced
        if found := list(moved(values)):
            yield Family(text, values, found)


def _more(value: Any, step: int) -> Any:
    """The same count with a record more or less; None where there is none to take away."""
    if isinstance(value, str):
        return str(int(value) + step)
    number = 0.0 if value is None or not value >= 0 else value
    return None if number + step < 0 else type(number)(number + step)


def _added(values: list[Any]) -> Iterator[tuple[str, list[Any]]]:
    for place, value in enumerate(values):
        for step in (1, -1):
            other = _more(value, step)
            if other is not None:
                yield (
                    f"{step:+d} under key {place + 1}",
                    [*values[:place], other, *values[place + 1 :]],
                )


def _replaced(values: list[Any]) -> Iterator[tuple[str, list[Any]]]:
    for old in range(len(values)):
        less = _more(values[old], -1)
        for new in {0, old ^ 1, len(values) - 1} - {old, len(values)}:  # near, and across the tree
            if less is not None:
                other = list(values)
                other[old], other[new] = less, _more(values[new], 1)
                yield f"one from key {old + 1} to key {new + 1}", other


def sample_counts(way: str, budget: Budget, effort: Effort) -> Sampled:
    """Real noise on counts of which one is 0 or 1."""

    def measure(planned: Budget) -> Measure:
        made = planned_counts(4, planned, ways=way).ways[way]
        return lambda values, purse: made.published(values, purse)

    pair = np.array([0, 2, 0, 1]), np.array([1, 2, 0, 1])
    return sampled(f"{way}, a record more", budget, measure, pair, effort)
