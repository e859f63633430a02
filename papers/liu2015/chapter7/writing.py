"""Chapter 7 on the page: what it means, choices, and the shares."""

from collections.abc import Iterator

from papers.liu2015.chapter7.measure import (
    BOUNDS,
    CLAIMED,
    NUMBERS,
    ONE_SIDED,
    REPETITIONS,
    TWO_SIDED,
)
from papers.liu2015.chapter7.published import exact, share
from papers.outcome import Outcomes
from papers.page import table
from sfumato.accuracy.laplace_sum import LaplaceSum
from sfumato.accuracy.thesis import sum_bound

__all__ = ["lines"]

MEANING = (
    "The bound of theorem 7.2.1 is true and loose: what may happen in a tenth of all cases happens "
    "in fewer than two of a hundred. The figures take its second line for small N as well, and "
    "there it holds too, though the text says both that it does and that it does not. Theorems "
    "7.2.2 and 7.2.3, which drop N from it, are false: a sum of N noises has the deviation "
    "√(2N)/ε, and a bound that does not grow with N cannot hold it. Sfumato computes the exact law "
    "instead."
)
CHOICES = (
    f"- {REPETITIONS:,} sums in each trial, as in the thesis.",
    "- Neither the errors of figures 7.2 and 7.3 nor the ε of 7.3 are in the text; those here are",
    "  ours. The share beyond (7.2) does not depend on ε.",
    "- Noise here is drawn in floats: it is looked at, not published.",
)


def lines(found: Outcomes) -> Iterator[str]:
    """Markdown."""
    yield MEANING
    yield ""
    yield from CHOICES
    yield ""
    yield "Sums beyond the bound, drawn / exact (%), and the bound that would do:"
    yield ""
    header = ["N", *(f"(7.2), λ = {chance:g}" for chance in BOUNDS.values())]
    header += [f"{who} (λ = {CLAIMED:g})" for who in (ONE_SIDED, TWO_SIDED)]
    header += [f"(7.2) at λ = {CLAIMED:g}, in 1/ε", "exact, in 1/ε"]
    yield from table(header, (_row(found, number) for number in NUMBERS))


def _row(found: Outcomes, number: int) -> list[str]:
    pairs = [
        f"{100 * share(found, figure, number):.2f} / {100 * exact(found, figure, number):.2f}"
        for figure in BOUNDS
    ]
    free = [f"{100 * exact(found, who, number):.3g}" for who in (ONE_SIDED, TWO_SIDED)]
    true = LaplaceSum.alike(number, 1.0).two_sided(CLAIMED)
    return [str(number), *pairs, *free, f"{sum_bound(number, CLAIMED):.4g}", f"{true:.4g}"]
