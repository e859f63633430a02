"""What is to be published of counts, as ledger and certificate see it."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import pyarrow as pa

from sfumato.errors import ParameterError, ReleaseError
from sfumato.plan.recipe import Priced, Recipe
from sfumato.plan.terms import ReleaseTerms
from sfumato.privacy.budget import Budget, shared
from sfumato.privacy.guarantee import ZCDP, ApproxDP, Number, PureDP, exact
from sfumato.privacy.sensitivity import Neighbours
from sfumato.release.certificate import Certificate
from sfumato.retrieval.histogram import Histogram, Way
from sfumato.retrieval.privelet import Wavelet

__all__ = [
    "COUNT_UNIT",
    "METHOD",
    "CountMethod",
    "CountPlan",
    "count_terms",
    "planned",
    "replanned",
]

COUNT_UNIT = "one record, counted under one key"
_NAME = "count-queries"
_WAYS = ("histogram", "wavelet", "both")
_TYPES = {"histogram": pa.int64(), "wavelet": pa.float64()}
_LIMITS = (
    "The promise is about one record, counted under one key. Whoever is behind several records is "
    "protected less: the promise weakens in proportion to them.",
    "The list of keys is published as it is: it must be public, and must not follow from the data.",
    "How long the computation took, and other side channels of the machine, are not covered.",
)


@dataclass(frozen=True, kw_only=True)
class CountPlan(Priced):
    """Which ways the counts are published in, by the name of their column."""

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
    return CountPlan(
        method=_NAME,
        options=options,
        budget=budget,
        events=tuple(way.noise.event for way in chosen.values()),
        neighbours=neighbours,
        length=length,
        records=records,
        ways=chosen,
    )


def count_terms(dataset: str, plan: CountPlan) -> ReleaseTerms:
    """The plan for counts of this name."""
    known = () if plan.records is None else ("the number of records",)
    return plan.terms_for(
        {
            "dataset": dataset,
            "unit": COUNT_UNIT,
            "neighbours": plan.neighbours,
            "counts": {"keys": plan.length, "records": plan.records},
        },
        columns=plan.columns,
        invariants=("the list of keys", *known),
        caveats=_LIMITS,
    )


def replanned(certificate: Certificate) -> CountPlan:
    """The plan that a certificate must have come from: computed again from its public facts."""
    if certificate.method != _NAME or certificate.counts is None:
        raise ReleaseError("this release holds no counts: it was not made by sfumato query publish")
    budget = certificate.budget
    if not isinstance(budget, PureDP | ApproxDP | ZCDP):
        raise ReleaseError("the certificate does not state a valid budget")
    facts, neighbours = certificate.counts, certificate.neighbours
    if neighbours not in ("replace-one", "add-remove"):
        raise ReleaseError("the neighbours of the certificate are not those of records")
    return planned(
        facts.keys,
        budget,
        neighbours=neighbours,  # type: ignore[arg-type]  # just checked
        records=facts.records,
        **certificate.options,
    )


@dataclass(frozen=True)
class CountMethod(Recipe[int, CountPlan]):
    """A method for counts of so many keys."""

    kind = "counts"


METHOD = CountMethod(
    name=_NAME,
    summary="Publishes counts once, so that queries are answered without being sent.",
    promise="epsilon, (epsilon, delta) or rho; one record, all queries together",
    source="Dwork et al. 2006; Xiao, Wang and Gehrke 2010; Liu 2015, chapter 9",
    proof="proofs/wavelet-query.md",
    plan=planned,
    options={
        "ways": "histogram (few keys), wavelet (long ranges) or both; histogram by default",
        "share": "the histogram's part of the budget, where both are wanted; 1/2 by default",
    },
    use="counts of public keys, where nobody is to learn what was asked",
    example="sfumato query publish words.csv --epsilon 1 --both",
)
