"""Table 8.1 as printed, and what chapter 8 says of means, judged by the numbers."""

from papers.claim import BEYOND, Claim, judged, less, percent
from papers.liu2015.chapter8.measure import (
    CHANCE,
    EPSILONS,
    ERROR,
    EXPONENTIAL,
    MEAN,
    RANGES,
    RESPONSE,
    SIGMA,
    allowed,
    sample,
)
from papers.outcome import Outcomes

__all__ = ["PRINTED", "claims", "kept"]

PRINTED = {0.01: 2.3, 0.1: 4.7, 0.2: 5.3, 0.5: 6.3, 1.0: 6.9, 10.0: 9.2}
TENTH = 10.0  # "99.9 % of the noise are not more than 10"


def kept(found: Outcomes, who: str, epsilon: float, most: float) -> float:
    """The share of runs whose error stays within a bound."""
    return float((found.values("8.4.4", who, epsilon, ERROR) <= most).mean())


def claims(found: Outcomes) -> list[Claim]:
    """Every sentence that was put to the test, in order."""
    table = {
        what: [found.summary("table 8.1", EXPONENTIAL, epsilon, what)[0] for epsilon in RANGES]
        for what in ("ln(1000 ε)", "99.9 % point", "share in the printed range")
    }
    means = [found.summary("8.4.4", EXPONENTIAL, epsilon, MEAN)[0] for epsilon in EPSILONS]
    errors = {
        who: [found.summary("8.4.4", who, epsilon, ERROR)[0] for epsilon in EPSILONS]
        for who in (EXPONENTIAL, RESPONSE)
    }
    within = [kept(found, EXPONENTIAL, epsilon, allowed(epsilon)) for epsilon in EPSILONS]
    true = [kept(found, RESPONSE, epsilon, allowed(epsilon)) for epsilon in EPSILONS]
    return [
        judged(
            "table 8.1",
            "the ranges are [0, ln(1000 ε)]",
            ", ".join(f"{PRINTED[epsilon]:g}" for epsilon in RANGES),
            ", ".join(f"{value:.2f}" for value in table["ln(1000 ε)"]),
            [
                abs(PRINTED[epsilon] - value) <= 0.1  # one digit is printed, twice rounded up
                for epsilon, value in zip(RANGES, table["ln(1000 ε)"], strict=True)
            ],
        ),
        judged(
            "table 8.1",
            "99.9 % of exponential noise fall in these ranges",
            "99.9 %",
            ", ".join(percent(value) for value in table["share in the printed range"])
            + f" (ε = {', '.join(f'{epsilon:g}' for epsilon in RANGES)})",
            [value >= 0.999 - 1e-9 for value in table["share in the printed range"]],
        ),
        judged(
            "8.4",
            "for ε up to 1, 99.9 % of the noise are not more than 10",
            "at most 10",
            "99.9 % lie below " + ", ".join(f"{value:.1f}" for value in table["99.9 % point"][:-1]),
            [value <= TENTH for value in table["99.9 % point"][:-1]],
        ),
        judged(
            "8.4.4",
            f"{sample():,} bits: the mean is within σ + √(6σ²/(2+σ))/ε, σ = {SIGMA:g}",
            f"in {percent(1 - CHANCE)} of all runs",
            f"in {percent(min(within))} to {percent(max(within))}; the mean error is "
            + ", ".join(f"{mean:.2f}" for mean in means)
            + f" (1/ε = {', '.join(f'{1 / epsilon:g}' for epsilon in EPSILONS)})",
            [share >= 1 - CHANCE for share in within],
        ),
        judged(
            "corrected 8.4.4",
            "randomized response on as many bits is within the same bound",
            BEYOND,
            f"in {percent(min(true))} to {percent(max(true))} of all runs",
            [share >= 1 - CHANCE for share in true],
        ),
        judged(
            "corrected 8.4.4",
            "randomized response has the smaller error",
            BEYOND,
            "; ".join(
                f"{ours:.3g} against {theirs:.3g}"
                for ours, theirs in zip(errors[RESPONSE], errors[EXPONENTIAL], strict=True)
            ),
            [
                less(ours, theirs)
                for ours, theirs in zip(errors[RESPONSE], errors[EXPONENTIAL], strict=True)
            ],
        ),
    ]
