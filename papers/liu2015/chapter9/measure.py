"""The example of six areas: an inner product when both sides add noise, and when one does once."""

from fractions import Fraction

import numpy as np

from papers.liu2015.settings import Settings
from papers.outcome import Outcome, Outcomes
from sfumato.privacy.guarantee import PureDP
from sfumato.privacy.noise import discrete_laplace
from sfumato.privacy.randomness import SeededBits
from sfumato.retrieval.histogram import Histogram
from sfumato.retrieval.mutual import Answering, QueryPromise, coefficients

__all__ = [
    "AREAS", "ASKED", "BOTH", "EPSILONS", "ERROR", "EXAMPLE", "FLOOR", "MEAN", "ONCE",
    "REPETITIONS", "SD", "exact_coefficients", "level_by_level", "measure_products", "work_out",
]  # fmt: skip

AREAS = np.array([167, 182, 143, 135, 151, 109])  # smokers
ASKED = np.array([1, 1, 0, 1, 0, 0])  # around the campus
EXAMPLE = np.array([16, 9, 11, 8, 23, 15, 10, 15])  # figure 9.1
EPSILONS = ("0.1", "0.2", "0.5", "1", "2")
REPETITIONS = 4_000  # in each trial
BOTH, ONCE = "both sides", "published once"
ERROR, MEAN, SD, FLOOR = "absolute error", "error", "deviation", "(9.3) holds"


def work_out(found: Outcomes) -> None:
    """The deviations of both answers, from their formulas."""
    x, y = AREAS.astype(np.float64), ASKED.astype(np.float64)
    for epsilon in EPSILONS:
        server = Answering(AREAS.size, "add-remove", epsilon)
        both = server.variance(x, y, QueryPromise(epsilon, AREAS.size))
        once = Histogram(AREAS.size, "add-remove", PureDP(epsilon)).share(y).variance
        for who, variance in ((BOTH, both), (ONCE, once)):
            found.add(Outcome("9.1", who, float(epsilon), 0, SD, variance**0.5))


def measure_products(trial: int, settings: Settings, found: Outcomes) -> None:
    """Errors of both answers over fresh noise."""
    truth = int(AREAS @ ASKED)
    for epsilon in EPSILONS:
        bits = SeededBits(settings.seed_of("9", epsilon, trial))
        noise = discrete_laplace(1 / Fraction(epsilon), 2 * REPETITIONS * AREAS.size, bits)
        e_x, e_y = noise.reshape(2, REPETITIONS, AREAS.size)
        x, y = AREAS + e_x, ASKED + e_y
        answers = {BOTH: (x * y).sum(axis=1), ONCE: x @ ASKED}
        for who, answer in answers.items():
            off = (answer - truth).astype(np.float64)
            for what, value in ((ERROR, np.abs(off).mean()), (MEAN, off.mean())):
                found.add(Outcome("9.1", who, float(epsilon), trial, what, float(value)))
        floor = np.abs(y.min(axis=1)) * np.sqrt((x**2).sum(axis=1))
        holds = float((floor <= np.abs(answers[BOTH])).mean())
        found.add(Outcome("9.1", BOTH, float(epsilon), trial, FLOOR, holds))


def exact_coefficients() -> list[float]:
    """Of figure 9.1.

    >>> [round(w, 2) for w in exact_coefficients()]
    [37.83, -6.72, 3.0, 6.5, 4.95, 2.12, 5.66, -3.54]
    """
    return [float(w) for w in coefficients(EXAMPLE)]


def level_by_level() -> list[int]:
    """The same, rounded after every level, as the printed ones seem to be.

    >>> level_by_level()
    [38, -7, 4, 6, 5, 2, 6, -4]
    """
    sums, out = EXAMPLE.astype(np.float64), np.zeros(EXAMPLE.size, np.int64)
    while sums.size > 1:
        pairs = sums.reshape(-1, 2)
        half = len(pairs)
        out[half : 2 * half] = np.rint((pairs[:, 0] - pairs[:, 1]) / np.sqrt(2))
        sums = np.rint(pairs.sum(axis=1) / np.sqrt(2))
    out[0] = sums[0]
    return [int(w) for w in out]
