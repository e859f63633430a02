"""Ranges of exponential noise, and means of a stream under it and under randomized response."""

from math import ceil, exp, log, sqrt

import numpy as np

from papers.liu2015.settings import Settings
from papers.outcome import Outcome, Outcomes
from sfumato.privacy.guarantee import PureDP
from sfumato.privacy.mechanism import Purse
from sfumato.privacy.randomness import SeededBits
from sfumato.stream.reservoir_mean import METHOD
from sfumato.stream.source import open_bits

__all__ = [
    "CHANCE", "EPSILONS", "ERROR", "EXPONENTIAL", "MEAN", "RANGES", "RESPONSE", "SIGMA",
    "allowed", "measure_means", "sample", "work_out",
]  # fmt: skip

RANGES = (0.01, 0.1, 0.2, 0.5, 1.0, 10.0)  # ε of table 8.1
EPSILONS = (0.1, 0.2, 0.5, 1.0, 2.0)
SIGMA, CHANCE = 0.1, 0.05
SHARE, LENGTH = 0.3, 20_000  # of ones in the stream; bits
RUNS = 5  # in each trial
EXPONENTIAL, RESPONSE = "exponential noise", "randomized response"
ERROR, MEAN = "absolute error", "error"


def sample() -> int:
    """How many bits theorem 8.4.4 asks for.

    >>> sample()
    7747
    """
    return ceil((20 + 10 * SIGMA) / SIGMA**2 * log(2 / CHANCE))


def allowed(epsilon: float) -> float:
    """The error that theorem 8.4.4 promises not to pass.

    >>> round(allowed(1.0), 3)
    0.269
    """
    return SIGMA + sqrt(6 * SIGMA**2 / (2 + SIGMA)) / epsilon


def work_out(found: Outcomes) -> None:
    """Table 8.1: where 99.9 % of the noise really lie, and how much lies in the printed range."""
    for epsilon in RANGES:
        printed, true = log(1000 * epsilon), log(1000) / epsilon
        for what, value in (
            ("ln(1000 ε)", printed),
            ("99.9 % point", true),
            ("share in the printed range", 1 - exp(-epsilon * printed)),
        ):
            found.add(Outcome("table 8.1", EXPONENTIAL, epsilon, 0, what, value))


def measure_means(trial: int, settings: Settings, found: Outcomes) -> None:
    """Errors of the mean of a stream, by algorithm 4 and by responses to as many bits."""
    rng = np.random.default_rng(settings.seed_of("8", trial))
    n = sample()
    for run in range(RUNS):
        bits = (rng.random(LENGTH) < SHARE).astype(np.uint8)
        truth = float(bits.mean())
        for epsilon in EPSILONS:
            chosen = rng.choice(bits, n, replace=False)
            one_sided = float((chosen + rng.exponential(1 / epsilon, n)).mean())
            plan = METHOD.price(LENGTH, PureDP(epsilon), {"times": str(LENGTH), "size": n})
            purse = Purse(PureDP(epsilon), SeededBits(settings.seed_of("8", epsilon, trial, run)))
            ((_, means),) = plan.run(open_bits(bits), purse)
            for who, mean in ((EXPONENTIAL, one_sided), (RESPONSE, float(means[0]))):
                off = mean - truth
                found.add(Outcome("8.4.4", who, epsilon, trial, ERROR, abs(off)))
                found.add(Outcome("8.4.4", who, epsilon, trial, MEAN, off))
