"""What chapter 6 says of noise, rounding, composition and memory, judged by the numbers."""

from papers.claim import BEYOND, UNSTATED, Claim, judged, percent
from papers.liu2015.chapter6.intrusion import (
    ANNOUNCED,
    BOTH,
    EPSILON,
    FRESH,
    OFTEN,
    ONCE,
    READ,
    SHARE,
    STATE,
    UNANNOUNCED,
)
from papers.liu2015.chapter6.intrusion import OUTPUT as PUBLISHED
from papers.liu2015.chapter6.measure import (
    APART,
    BARE,
    EPSILONS,
    EXPONENTIAL,
    GONE,
    LAPLACE,
    LOSS,
    MEAN,
    MOVED,
    NOISE,
    OUTPUT,
    VARIANCE,
    alike,
    counts_apart,
)
from papers.outcome import Outcomes

__all__ = ["claims", "row"]

CLOSE = 1e-5  # of a loss that is only reached in the limit


def row(found: Outcomes, figure: str, who: str, what: str) -> list[float]:
    """One number for each ε."""
    return [found.summary(figure, who, epsilon, what)[0] for epsilon in EPSILONS]


def claims(found: Outcomes) -> list[Claim]:
    """Every sentence that was put to the test, in order."""
    return [*_noises(found), *_rounding(found), *_composition(found), *_memory(found)]


def _noises(found: Outcomes) -> list[Claim]:
    two_sided, bare = row(found, "6.2.1", LAPLACE, LOSS), row(found, "6.2.2", EXPONENTIAL, BARE)
    return [
        judged(
            "6.2.1",
            "the counts of neighbours differ by 1 at most (proposition)",
            "Δf = 1",
            f"{counts_apart()}, over all tables of three records",
            [counts_apart() == 1],
        ),
        judged(
            "6.2.1",
            "a count under Laplace noise of scale 1/ε is ε-private",
            "at most ε",
            _several(two_sided),
            [_at_most(lost, epsilon) for lost, epsilon in zip(two_sided, EPSILONS, strict=True)],
        ),
        judged(
            "6.2.2",
            "a count under exponential noise of mean 1/ε is ε-private",
            "at most ε",
            "without bound, with a chance of " + ", ".join(map(percent, bare)),
            [chance == 0 for chance in bare],
        ),
    ]


def _rounding(found: Outcomes) -> list[Claim]:
    counts = row(found, "6.2.3", OUTPUT, LOSS)
    noise, output = (row(found, "6.2.10", who, APART) for who in (NOISE, OUTPUT))
    others = row(found, "6.2.10", OUTPUT, LOSS)
    return [
        judged(
            "6.2.3",
            "of counts, rounding costs ε more",
            "2ε in all",
            _several(counts) + " in all: nothing more",
            [lost > 1.01 * e for lost, e in zip(counts, EPSILONS, strict=True)],
        ),
        judged(
            "6.2.3, 6.2.10",
            "f + [e] is 2ε-private for every f",
            "told apart with " + ", ".join(f"{alike(2 * e):.3f}" for e in EPSILONS) + " at most",
            ", ".join(f"{value:.3f}" for value in noise) + " (f = 0 and ½)",
            [value <= alike(2 * e) for value, e in zip(noise, EPSILONS, strict=True)],
        ),
        judged(
            "corrected 6.2.3",
            "[f + e] is ε-private for every f of sensitivity 1",
            BEYOND,
            f"loss {_several(others)}; f = 0 and ½ told apart with "
            + ", ".join(f"{value:.3f}" for value in output),
            [_at_most(lost, epsilon) for lost, epsilon in zip(others, EPSILONS, strict=True)],
        ),
    ]


def _composition(found: Outcomes) -> list[Claim]:
    mean = row(found, "sequential", MEAN, LOSS)
    gone, moved = (row(found, "parallel", who, LOSS) for who in (GONE, MOVED))
    whole, parts = (row(found, "divided", f"in {n}", VARIANCE) for n in ("one part", "two parts"))
    return [
        judged(
            "sequential",
            "the mean of two ε-private answers about the same records loses 2ε, not ε",
            "2ε",
            _several(mean),
            [abs(lost - 2 * e) <= CLOSE for lost, e in zip(mean, EPSILONS, strict=True)],
        ),
        judged(
            "parallel",
            "answers about two groups, under ε and 2ε, lose the larger one: records come or go",
            "2ε",
            _several(gone),
            [_at_most(lost, 2 * e) for lost, e in zip(gone, EPSILONS, strict=True)],
        ),
        judged(
            "parallel",
            "the same between all neighbours of definition 6.2.3, which may replace a record",
            "2ε",
            _several(moved) + ": the sum of both",
            [_at_most(lost, 2 * e) for lost, e in zip(moved, EPSILONS, strict=True)],
        ),
        judged(
            "6.2",
            "noise in two parts of the budget is nearer to the truth than in one",
            UNSTATED,
            "variance "
            + ", ".join(f"{b:.3g} for {a:.3g}" for a, b in zip(whole, parts, strict=True))
            + " (shares 0.3 and 0.7)",
            [b < a for a, b in zip(whole, parts, strict=True)],
        ),
    ]


def _memory(found: Outcomes) -> list[Claim]:
    def of(figure: str, who: str, what: str) -> float:
        return found.summary(figure, who, EPSILON, what)[0]

    alone, published, both, fresh = (
        of("6.2.7", who, APART) for who in (STATE, PUBLISHED, BOTH, FRESH)
    )
    once, twice, often = (of("6.2.8", who, SHARE) for who in (ONCE, ANNOUNCED, OFTEN))
    read = {who: of("6.2.8", who, READ) for who in (ANNOUNCED, UNANNOUNCED)}
    most, guess = alike(EPSILON), (1 + alike(EPSILON)) / 2
    return [
        judged(
            "6.2.7",
            "what keeps to the definition, which is about the state, hides a bit",
            f"the definition allows {most:.3f}",
            f"state {alone:.3f}, output {published:.3f}, both together {both:.3f}; "
            f"with noise at birth and at release {fresh:.3f}",
            [both <= most + CLOSE],
        ),
        judged(
            "corrected 6.2.7",
            "`counter` with pan: one look at any moment and all outputs lose ε together",
            BEYOND,
            f"{once:.4g} ε",
            [_at_most(once, 1)],
        ),
        judged(
            "corrected 6.2.8",
            "`counter` with intrusions=2: two looks, the first announced, and all outputs lose ε",
            BEYOND,
            f"{twice:.4g} ε; the bit between them is read off in {percent(read[ANNOUNCED])}",
            [_at_most(twice, 1) and read[ANNOUNCED] <= guess],
        ),
        judged(
            "corrected 6.2.8",
            "`reservoir-mean` with pan: any looks, none announced, and all outputs lose ε",
            BEYOND,
            f"{often:.4g} ε",
            [_at_most(often, 1)],
        ),
        judged(
            "6.2.8",
            "this `counter` against two looks that nobody announced: the bit between is hidden",
            f"the definition allows {percent(guess)}",
            f"read off in {percent(read[UNANNOUNCED])}",
            [read[UNANNOUNCED] <= guess],
        ),
    ]


def _several(losses: list[float]) -> str:
    named = ", ".join(f"{epsilon:g}" for epsilon in EPSILONS)
    return ", ".join(f"{lost:.4g}" for lost in losses) + f" (ε = {named})"


def _at_most(lost: float, bound: float) -> bool:
    return lost <= bound * (1 + CLOSE)
