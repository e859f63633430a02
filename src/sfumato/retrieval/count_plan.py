"""What is to be published of counts, as ledger and certificate see it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import pyarrow as pa

from sfumato.errors import ParameterError, ReleaseError
from sfumato.plan.terms import ReleaseTerms
from sfumato.privacy.budget import Budget, shared
from sfumato.privacy.guarantee import ZCDP, ApproxDP, Number, PureDP, exact, from_json
from sfumato.privacy.sensitivity import Neighbours
from sfumato.retrieval.histogram import Histogram, Way
from sfumato.retrieval.privelet import Wavelet

__all__ = [
    "COUNT_UNIT",
    "METHOD",
    "CountPlan",
    "Described",
    "count_terms",
    "planned",
    "replanned",
]

METHOD = "count-queries"


@dataclass(frozen=True)
class Described:
    """What `sfumato methods` says of the publication of counts."""

    name: str = METHOD
    summary: str = "Publishes counts once, so that queries are answered without being sent."
    promise: str = "epsilon, (epsilon, delta) or rho; one record, all queries together"
    source: str = "Dwork et al. 2006; Xiao, Wang and Gehrke 2010; Liu 2015, chapter 9"
    proof: str = "proofs/wavelet-query.md"
    options: Mapping[str, str] = field(
        default_factory=lambda: {
            "ways": "histogram (few keys), wavelet (long ranges) or both; histogram by default",
            "share": "the histogram's part of the budget, where both are wanted; 1/2 by default",
        }
    )


COUNT_UNIT = "one record, counted under one key"
_WAYS = ("histogram", "wavelet", "both")
_TYPES = {"histogram": pa.int64(), "wavelet": pa.float64()}
_LIMITS = (
    "The promise is about one record, counted under one key. Whoever is behind several records is "
    "protected less: the promise weakens in proportion to them.",
    "The list of keys is published as it is: it must be public, and must not follow from the data.",
    "How long the computation took, and other side channels of the machine, are not covered.",
)


@dataclass(frozen=True)
class CountPlan:
    """Which ways the counts are published in, by the name of their column."""

    options: Mapping[str, Any]
    budget: Budget
    neighbours: Neighbours
    length: int
    records: int | None
    ways: Mapping[str, Way]

    @property
    def columns(self) -> pa.Schema:
        """Names and types of the released table."""
        fields = [("key", pa.string()), *((name, _TYPES[name]) for name in self.ways)]
        return pa.schema([pa.field(name, kind, nullable=False) for name, kind in fields])


def planned(
    length: int,
    budget: Budget,
    *,
    neighbours: Neighbours = "add-remove",
    records: int | None = None,
    ways: str = "histogram",
    share: Number = "1/2",
) -> CountPlan:
    """A plan from public facts; `share` is the histogram's part of the budget if both are wanted.

    >>> plan = planned(1000, PureDP(1), ways="both", share="0.25")
    >>> [f"{name}: scale {way.noise.event.noise}" for name, way in plan.ways.items()]
    ['histogram: scale 4', 'wavelet: scale 44/3']
    """
    if ways not in _WAYS:
        raise ParameterError(f"ways must be histogram, wavelet or both, got {ways!r}")
    if (records is None) != (neighbours != "replace-one"):
        raise ParameterError("records must be given under replace-one, and only there")
    part = exact("share", share, below=1)
    options: dict[str, Any] = {"ways": ways} | ({"share": str(part)} if ways == "both" else {})
    parts: tuple[Budget, Budget] = (budget, budget)
    if ways == "both":
        first, second = shared(budget, part, Fraction(1) - part)
        parts = first, second
    made: dict[str, Way] = {
        "histogram": Histogram(length, neighbours, parts[0]),
        "wavelet": Wavelet(length, neighbours, parts[1], records),
    }
    chosen = {name: way for name, way in made.items() if ways in (name, "both")}
    for way in chosen.values():
        way.noise.check(1)
    return CountPlan(options, budget, neighbours, length, records, chosen)


def count_terms(dataset: str, plan: CountPlan) -> ReleaseTerms:
    """The plan for counts of this name."""
    known = () if plan.records is None else ("the number of records",)
    return ReleaseTerms(
        method=METHOD,
        options=plan.options,
        budget=plan.budget,
        guarantee=plan.budget,
        events=tuple(way.noise.event for way in plan.ways.values()),
        subject={
            "dataset": dataset,
            "unit": COUNT_UNIT,
            "neighbours": plan.neighbours,
            "counts": {"keys": plan.length, "records": plan.records},
        },
        columns=plan.columns,
        invariants=("the list of keys", *known),
        caveats=_LIMITS,
    )


def replanned(paper: Mapping[str, Any]) -> CountPlan:
    """The plan that a certificate must have come from: computed again from its public facts."""
    if paper.get("method") != METHOD or "counts" not in paper:
        raise ReleaseError("this release holds no counts: it was not made by sfumato query publish")
    budget = from_json(dict(paper["budget"]))
    if not isinstance(budget, PureDP | ApproxDP | ZCDP):
        raise ReleaseError("the certificate does not state a valid budget")
    facts = paper["counts"]
    return planned(
        facts["keys"],
        budget,
        neighbours=paper["neighbours"],
        records=facts["records"],
        **paper["options"],
    )
