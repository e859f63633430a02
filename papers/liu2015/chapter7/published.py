"""What chapter 7 says of sums of noise, judged by the numbers; its figures print no digits."""

from collections.abc import Iterator
from math import log

from papers.claim import UNSTATED, Claim, judged, less, percent
from papers.liu2015.chapter7.measure import (
    BOUNDS,
    CLAIMED,
    DRAWN,
    ERRORS,
    EXACT,
    GUESS,
    MEANS,
    NUMBERS,
    ONE_SIDED,
    STATED,
    TWO_SIDED,
    beyond,
    fails_from,
    times,
)
from papers.outcome import Outcomes

__all__ = ["claims", "exact", "share"]

FEW, MANY = 10, 1000
WITHIN = "within 1 of a guess 10 away"


def share(found: Outcomes, figure: str, number: int, who: str = DRAWN) -> float:
    """Of sums of so many noises beyond the bound of a figure or theorem."""
    return found.summary(figure, who, None, beyond("the bound", number))[0]


def exact(found: Outcomes, figure: str, number: int) -> float:
    """The same by the exact law."""
    return share(found, figure, number, EXACT)


def claims(found: Outcomes) -> list[Claim]:
    """Every sentence that was put to the test, in order."""
    return [*_means(found), *_bounds(found), *_free(found), *_guess(found)]


def _means(found: Outcomes) -> Iterator[Claim]:
    ends = [
        [found.summary(figure, DRAWN, epsilon, beyond(error, number))[0] for number in (FEW, MANY)]
        for figure, epsilon in MEANS.items()
        for error in ERRORS
    ]
    yield judged(
        "7.2, 7.3",
        f"fewer means of {MANY} noises than of {FEW} are far from 0",
        UNSTATED,
        "; ".join(f"{percent(few)} → {percent(many)}" for few, many in ends),
        [less(many, few) for few, many in ends],
    )


def _bounds(found: Outcomes) -> Iterator[Claim]:
    for figure, chance in BOUNDS.items():
        switch = 6 * log(2 / chance)
        large = [number for number in NUMBERS if number >= switch]
        small = [number for number in NUMBERS if number < switch]
        most = max(exact(found, figure, number) for number in large)
        yield judged(
            figure,
            f"(7.2): sums of N ≥ {large[0]} noises pass the bound less often than λ = {chance:g}",
            f"below {percent(chance)}",
            f"at most {percent(most)}, so the bound is loose",
            [less(share(found, figure, number), chance) for number in large],
        )
        few = max(exact(found, figure, number) for number in small)
        yield judged(
            figure,
            f"where N is at most {switch:.0f}, the probability is bigger than λ = {chance:g}",
            f"above {percent(chance)}",
            f"at most {percent(few)}",
            [less(chance, share(found, figure, number)) for number in small],
        )
    factors = [found.summary(ONE_SIDED, STATED, None, times(number))[0] for number in NUMBERS]
    yield judged(
        "(7.1)",
        f"the bound holds at λ = {CLAIMED:g} for every N",
        "holds",
        f"{min(factors):.2f} to {max(factors):.2f} times the exact quantile",
        [less(1.0, factor) for factor in factors],
    )


def _free(found: Outcomes) -> Iterator[Claim]:
    for who, bound in ((ONE_SIDED, "6 ln(1/λ)/ε"), (TWO_SIDED, "6 ln(2/λ)/ε")):
        last, side = exact(found, who, NUMBERS[-1]), who.split(", ")[1]
        first = fails_from(two_sided=who == TWO_SIDED)
        yield judged(
            "7.2.2, 7.2.3",
            f"{side}: sums of any N pass {bound} with at most λ = {CLAIMED:g}",
            f"at most {percent(CLAIMED)}",
            f"false from N = {first}; {percent(last)} at N = {NUMBERS[-1]}",
            [less(exact(found, who, number), CLAIMED) for number in NUMBERS],
        )


def _guess(found: Outcomes) -> Iterator[Claim]:
    theirs, ours = (found.summary(GUESS, who, 1.0, WITHIN)[0] for who in ("thesis", EXACT))
    yield judged(
        "7.1.1",
        "a guess 10 from the noisy value (ε = 1) is within 1 of the truth",
        f"with at least {theirs:.5f}",
        f"with {ours:.1e}",
        [less(theirs, ours)],
    )
