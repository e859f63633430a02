"""Table 10.1 as printed, and what section 10.1 says of small values, judged by the numbers."""

from itertools import pairwise
from math import tanh

from papers.claim import UNSTATED, Claim, judged, less, percent
from papers.liu2015.chapter10.measure import EPSILON, GROUPS, who
from papers.outcome import Outcomes

__all__ = ["ALIKE", "PRINTED", "agrees", "claims", "of_groups", "of_table"]

# c, ε: noise in [-c, c] and beyond [-5c, 5c], in per cent, as printed
PRINTED = {
    (1, 0.1): ("9.5", "60.7"), (1, 0.2): ("18.1", "36.8"), (1, 0.5): ("39.3", "8.2"),
    (1, 1): ("63.2", "0.7"), (5, 0.1): ("39.3", "8.2"), (5, 0.2): ("63.2", "0.7"),
    (5, 0.5): ("91.8", "< 0.1"), (5, 1): ("99.3", "< 0.1"), (10, 0.1): ("63.2", "0.7"),
    (10, 0.2): ("86.5", "< 0.1"), (10, 0.5): ("99.3", "< 0.1"), (10, 1): ("> 99.9", "< 0.1"),
}  # fmt: skip
ALIKE = tanh(EPSILON / 2)  # neighbours under ε-DP are at most so far apart


def of_table(found: Outcomes, c: float, epsilon: float) -> tuple[float, float]:
    """Our shares of table 10.1, in per cent."""
    inside, beyond = (
        100 * found.summary("table 10.1", f"c = {c:g}", epsilon, what)[0]
        for what in ("inside", "beyond")
    )
    return inside, beyond


def of_groups(found: Outcomes, what: str) -> list[float]:
    """One number for each number of groups."""
    return [found.summary("section 10.1", who(n), EPSILON, what)[0] for n in GROUPS]


def agrees(printed: str, ours: float) -> bool:
    """Whether a printed percentage is ours, rounded.

    >>> agrees("60.7", 60.65), agrees("< 0.1", 0.2)
    (True, False)
    """
    if printed[0] in "<>":
        bound = float(printed[1:])
        return ours < bound if printed[0] == "<" else ours > bound
    return abs(float(printed) - ours) <= 0.05 + 1e-9


def claims(found: Outcomes) -> list[Claim]:
    """Every sentence that was put to the test, in order."""
    cells = [
        agrees(printed, ours)
        for (c, epsilon), row in PRINTED.items()
        for printed, ours in zip(row, of_table(found, c, epsilon), strict=True)
    ]
    apart, near, losses = (of_groups(found, what) for what in ("told apart", "within c/10", "loss"))
    return [
        judged(
            "table 10.1",
            "shares of Laplace noise in [-c, c] and beyond [-5c, 5c]",
            "24 percentages",
            f"{sum(cells)} of {len(cells)} are the exact ones, rounded",
            cells,
        ),
        judged(
            "10.1",
            "a value under the mean of n groups of noise is as private as under one group",
            f"ε = {EPSILON:g}: neighbours are told apart with at most {ALIKE:.3f}",
            ", ".join(f"{share:.4g}" for share in apart)
            + f" for n = {', '.join(map(str, GROUPS))}; the tails lose "
            + ", ".join(f"{loss:g}" for loss in losses),
            [loss <= EPSILON for loss in losses],
        ),
        judged(
            "10.1",
            "more groups reduce the probability that the noise is within c/10",
            UNSTATED,
            ", ".join(percent(share) for share in near),
            [less(more, fewer) for fewer, more in pairwise(near)],
        ),
    ]
