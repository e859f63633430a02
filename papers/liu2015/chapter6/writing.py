"""Chapter 6 on the page: what it means, and every loss beside the printed one."""

from collections.abc import Iterator

from papers.liu2015.chapter6.intrusion import (
    ANNOUNCED,
    BITS,
    BOTH,
    EPSILON,
    FRESH,
    OUTPUT,
    READ,
    RUNS,
    STATE,
    UNANNOUNCED,
)
from papers.liu2015.chapter6.measure import (
    APART,
    EPSILONS,
    EXPONENTIAL,
    GONE,
    LAPLACE,
    LOSS,
    MEAN,
    MOVED,
    NOISE,
)
from papers.liu2015.chapter6.measure import OUTPUT as ROUNDED
from papers.liu2015.chapter6.published import row
from papers.outcome import Outcomes
from papers.page import mean_and_spread, table

__all__ = ["lines"]

MEANING = (
    "The Laplace mechanism and sequential composition are as the chapter says. Exponential noise, "
    "its own contribution, is not private: a value below 1 proves that the bit was 0. Rounding the "
    "output costs nothing, where the chapter charges ε more; rounding the noise instead, which is "
    "what definition 6.2.10 writes, tells neighbours apart for certain where a value is no whole "
    "number. Parallel composition holds where records come or go; the chapter's own neighbours "
    "may also differ in a record, which can leave one group and enter another, and then both "
    "answers show it. A budget in two parts is more noise, not less. Pan-privacy is defined for "
    "the state alone, which is not enough: what is published later must be counted in. The counter "
    "of this library keeps to the joint statement, for one look and for several that are "
    "announced; against several that are not every single bit needs noise, as its reservoir has it."
)


def lines(found: Outcomes) -> Iterator[str]:
    """Markdown."""
    yield MEANING
    yield ""
    yield "What one record changes, as printed / exact:"
    yield ""
    yield from table(["", *(f"ε = {epsilon:g}" for epsilon in EPSILONS)], _losses(found))
    yield ""
    yield f"Memory, ε = {EPSILON} (two bits, each in one total; told apart by):"
    yield ""
    yield from table(
        ["who sees what", "told apart"],
        (
            [who, f"{found.summary('6.2.7', who, EPSILON, APART)[0]:.3f}"]
            for who in (STATE, OUTPUT, BOTH, FRESH)
        ),
    )
    yield ""
    yield f"The bit between two looks at a counter of {BITS} bits, read off, {RUNS} runs a trial:"
    yield ""
    yield from table(
        ["", "right"],
        (
            [who, mean_and_spread(found, "6.2.8", who, EPSILON, READ, ".3f")]
            for who in (ANNOUNCED, UNANNOUNCED)
        ),
    )


def _losses(found: Outcomes) -> Iterator[list[str]]:
    for figure, who, factor in (
        ("6.2.1", LAPLACE, 1),
        ("6.2.3", ROUNDED, 2),
        ("sequential", MEAN, 2),
        ("parallel", GONE, 2),
        ("parallel", MOVED, 2),
    ):
        losses = zip(EPSILONS, row(found, figure, who, LOSS), strict=True)
        yield [who, *(f"{factor * epsilon:g} / {lost:.4g}" for epsilon, lost in losses)]
    yield [EXPONENTIAL, *(f"{epsilon:g} / ∞" for epsilon in EPSILONS)]
    yield [f"{NOISE}, f = 0 and ½", *(f"{2 * epsilon:g} / ∞" for epsilon in EPSILONS)]
