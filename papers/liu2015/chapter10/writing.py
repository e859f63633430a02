"""Chapter 10 on the page: what it means, table 10.1, and the groups."""

from collections.abc import Iterator

from papers.claim import percent
from papers.liu2015.chapter10.measure import EPSILON, GROUPS, TERMS
from papers.liu2015.chapter10.published import PRINTED, of_groups, of_table
from papers.outcome import Outcomes
from papers.page import table

__all__ = ["lines"]

MEANING = (
    "Table 10.1 is right: where cε is small, noise covers the values. Averaging groups of noise is "
    "no way out. An expectation is not computed from the released value, so it is not "
    "post-processing; a mean over n groups is one copy of the value under n answers' worth of "
    "noise, and loses nε in the tails. With a thousand groups neighbours are told apart nearly "
    "always. Nor do more groups make the bound less likely: noise within c/10 only becomes "
    "more certain, for the attacker as well."
)


def lines(found: Outcomes) -> Iterator[str]:
    """Markdown."""
    yield MEANING
    yield ""
    yield "Table 10.1, as printed / exact (%):"
    yield ""
    yield from table(
        ["c", "ε", "in [-c, c]", "beyond [-5c, 5c]"],
        (
            [
                f"{c:g}",
                f"{epsilon:g}",
                *(
                    f"{text} / {ours:.3g}"
                    for text, ours in zip(row, of_table(found, c, epsilon), strict=True)
                ),
            ]
            for (c, epsilon), row in PRINTED.items()
        ),
    )
    yield ""
    yield f"Groups of {TERMS} noises of scale 1/ε, ε = {EPSILON:g}, averaged:"
    yield ""
    columns = [
        of_groups(found, what) for what in ("deviation", "within c/10", "told apart", "loss")
    ]
    yield from table(
        ["groups", "deviation", "within c/10", "neighbours told apart", "loss in the tails"],
        (
            [f"{n:,}", f"{spread:.3g}", percent(near), f"{apart:.4g}", f"{loss:g}"]
            for n, spread, near, apart, loss in zip(GROUPS, *columns, strict=True)
        ),
    )
