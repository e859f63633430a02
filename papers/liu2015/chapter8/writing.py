"""Chapter 8 on the page: what it means, choices, and table 8.1."""

from collections.abc import Iterator

from papers.claim import percent
from papers.liu2015.chapter8.measure import (
    EPSILONS,
    ERROR,
    EXPONENTIAL,
    LENGTH,
    MEAN,
    RANGES,
    RESPONSE,
    RUNS,
    SHARE,
    allowed,
    sample,
)
from papers.liu2015.chapter8.published import PRINTED, kept
from papers.outcome import Outcomes
from papers.page import mean_and_spread, table

__all__ = ["lines"]

MEANING = (
    "The 99.9 % point of exponential noise is ln(1000)/ε, not ln(1000 ε): it falls with ε, and "
    "only at ε = 1 the two agree. With it falls the sentence that noise is at most 10. One-sided "
    "noise has the mean 1/ε, so a mean under it is off by 1/ε however many bits are read; theorem "
    "8.4.4 applies a bound for symmetric noise to it. Nor is it private: a result below 1 can only "
    "come from a bit of 0. Randomized response is private, unbiased, and nearer."
)


def lines(found: Outcomes) -> Iterator[str]:
    """Markdown."""
    yield MEANING
    yield ""
    yield (
        f"- {RUNS} streams of {LENGTH:,} bits in each trial, {percent(SHARE)} of them ones; "
        f"{sample():,} bits are read, as theorem 8.4.4 asks for."
    )
    yield "- Responses are those of the method `reservoir-mean`, from seeded bits: a test run."
    yield ""
    yield "Table 8.1:"
    yield ""
    yield from table(
        ["ε", "printed", "99.9 % point", "noise in the printed range"],
        (
            [
                f"{epsilon:g}",
                f"[0, {PRINTED[epsilon]:g}]",
                f"[0, {_exact(found, epsilon, '99.9 % point'):.4g}]",
                percent(_exact(found, epsilon, "share in the printed range")),
            ]
            for epsilon in RANGES
        ),
    )
    yield ""
    yield "Theorem 8.4.4, errors of the mean:"
    yield ""
    yield from table(
        ["ε", "promised", *(f"{who}: {what}" for who in (EXPONENTIAL, RESPONSE) for what in WHAT)],
        (
            [f"{epsilon:g}", f"{allowed(epsilon):.3g}", *_errors(found, epsilon)]
            for epsilon in EPSILONS
        ),
    )


WHAT = ("error", "absolute error", "runs within")


def _exact(found: Outcomes, epsilon: float, what: str) -> float:
    return found.summary("table 8.1", EXPONENTIAL, epsilon, what)[0]


def _errors(found: Outcomes, epsilon: float) -> Iterator[str]:
    for who in (EXPONENTIAL, RESPONSE):
        yield mean_and_spread(found, "8.4.4", who, epsilon, MEAN, ".3g")
        yield mean_and_spread(found, "8.4.4", who, epsilon, ERROR, ".3g")
        yield percent(kept(found, who, epsilon, allowed(epsilon)))
