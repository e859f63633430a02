"""Chapter 9 on the page: what it means, choices, and the errors."""

from collections.abc import Iterator

from papers.claim import percent
from papers.liu2015.chapter9.measure import (
    BOTH,
    EPSILONS,
    ERROR,
    FLOOR,
    ONCE,
    REPETITIONS,
    SD,
    exact_coefficients,
    level_by_level,
)
from papers.liu2015.chapter9.published import PRINTED
from papers.outcome import Outcomes
from papers.page import mean_and_spread, table

__all__ = ["lines"]

MEANING = (
    "When server and client both add noise, the answer is right on average and far off every "
    "time: the noise of the query is multiplied by the counts. An expected absolute error of 0, as "
    "theorem 9.2.1 has it, would mean no noise at all. If the counts are published once, for the "
    "same budget, everybody computes answers at home; the error is smaller, and the query "
    "is hidden from all. Figure 9.1 was rounded after every level, and its second "
    "coefficient was not divided by √2."
)


def lines(found: Outcomes) -> Iterator[str]:
    """Markdown."""
    yield MEANING
    yield ""
    yield (
        f"- x = (167, 182, 143, 135, 151, 109), y = (1, 1, 0, 1, 0, 0), xᵀy = 484; {REPETITIONS:,} "
        "answers in each trial. ε is what one record more or less costs, and one keyword."
    )
    yield "- Noise is exact discrete Laplace of scale 1/ε, from seeded bits: a test run."
    yield ""
    yield "Mean absolute errors, and deviations by their formulas:"
    yield ""
    yield from table(
        ["ε", BOTH, "deviation", ONCE, "deviation", "(9.3) holds"],
        (_row(found, epsilon) for epsilon in EPSILONS),
    )
    yield ""
    yield "Figure 9.1:"
    yield ""
    yield from table(
        ["", *(f"w{k}" for k in range(1, len(PRINTED) + 1))],
        [
            ["printed", *map(str, PRINTED)],
            ["rounded at every level", *map(str, level_by_level())],
            ["exact", *(f"{w:.2f}" for w in exact_coefficients())],
        ],
    )


def _row(found: Outcomes, text: str) -> list[str]:
    epsilon, row = float(text), [text]
    for who in (BOTH, ONCE):
        row.append(mean_and_spread(found, "9.1", who, epsilon, ERROR, ".4g"))
        row.append(f"{found.summary('9.1', who, epsilon, SD)[0]:.4g}")
    return [*row, percent(found.summary("9.1", BOTH, epsilon, FLOOR)[0])]
