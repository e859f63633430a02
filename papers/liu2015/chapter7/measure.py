"""Shares of sums of Laplace noise beyond a bound: drawn, and exact.

A sum of N Laplace noises is the difference of two gamma variables of shape N, so ten thousand
sums are drawn at once whatever N is.
"""

import numpy as np

from papers.liu2015.settings import Settings
from papers.outcome import Outcome, Outcomes
from sfumato.accuracy.laplace_sum import LaplaceSum
from sfumato.accuracy.thesis import claimed_guess, claimed_sum, sum_bound
from sfumato.accuracy.useful import useful_chance

__all__ = [
    "BOUNDS",
    "CLAIMED",
    "DRAWN",
    "ERRORS",
    "EXACT",
    "GUESS",
    "MEANS",
    "NUMBERS",
    "ONE_SIDED",
    "REPETITIONS",
    "STATED",
    "TWO_SIDED",
    "beyond",
    "fails_from",
    "measure_sums",
    "times",
    "work_out",
]  # fmt: skip

REPETITIONS = 10_000
NUMBERS = (1, 2, 5, 10, 14, 18, 30, 60, 100, 200, 400, 600, 800, 1000)
MEANS = {"7.2": 0.2, "7.3": 0.5}  # ε
ERRORS = (0.25, 0.5, 1.0)
BOUNDS = {"7.4": 0.2, "7.5": 0.1}  # λ
CLAIMED = 0.05  # λ at which theorem 7.2.2 is tried
ONE_SIDED, TWO_SIDED = "theorem 7.2.2, one side", "theorem 7.2.2, both sides"
EXACT, DRAWN, STATED = "exact", "drawn", "theorem 7.2.1"
GUESS = "theorem 7.1.1"


def beyond(what: object, number: int) -> str:
    """The name of a share of sums, or means, of so many noises."""
    return f"beyond {what}, N = {number}"


def times(number: int) -> str:
    """The name of how far theorem 7.2.1's bound lies from the exact one."""
    return f"stated over exact, N = {number}"


def work_out(found: Outcomes) -> None:
    """Every share by the exact law of the sum."""
    for figure, epsilon in MEANS.items():
        for number in NUMBERS:
            mean = LaplaceSum.alike(number, 1 / epsilon).scaled(1 / number)
            for error in ERRORS:
                _add(
                    found,
                    figure,
                    EXACT,
                    epsilon,
                    0,
                    beyond(error, number),
                    2 * mean.at_least(error),
                )
    for figure, chance in BOUNDS.items():
        for number in NUMBERS:
            share = 2 * LaplaceSum.alike(number, 1.0).at_least(_root(number, chance))
            _add(found, figure, EXACT, None, 0, beyond("the bound", number), share)
    for number in NUMBERS:
        law = LaplaceSum.alike(number, 1.0)
        for who, sides in ((ONE_SIDED, 1), (TWO_SIDED, 2)):
            share = sides * law.at_least(claimed_sum(CLAIMED, two_sided=sides == 2))
            _add(found, who, EXACT, None, 0, beyond("the bound", number), share)
            quantile = law.two_sided(CLAIMED) if sides == 2 else law.one_sided(CLAIMED)
            stated = sum_bound(number, CLAIMED, two_sided=sides == 2)
            _add(found, who, STATED, None, 0, times(number), stated / quantile)
    _add(found, GUESS, "thesis", 1.0, 0, "within 1 of a guess 10 away", claimed_guess(1.0, 10.0))
    near = 1 - useful_chance(LaplaceSum.alike(1, 1.0), 1.0, guess=10.0)
    _add(found, GUESS, EXACT, 1.0, 0, "within 1 of a guess 10 away", near)


def measure_sums(trial: int, settings: Settings, found: Outcomes) -> None:
    """Ten thousand sums for every number of noises, as in the thesis."""
    for number in NUMBERS:
        rng = np.random.default_rng(settings.seed_of("7", number, trial))
        sums = rng.gamma(number, size=REPETITIONS) - rng.gamma(number, size=REPETITIONS)
        for figure, epsilon in MEANS.items():
            means = np.abs(sums) / (epsilon * number)
            for error in ERRORS:
                share = float((means > error).mean())
                _add(found, figure, DRAWN, epsilon, trial, beyond(error, number), share)
        for figure, chance in BOUNDS.items():
            share = float((np.abs(sums) >= _root(number, chance)).mean())
            _add(found, figure, DRAWN, None, trial, beyond("the bound", number), share)


def fails_from(*, two_sided: bool) -> int:
    """The smallest number of noises whose sum passes theorem 7.2.2's bound too often.

    >>> fails_from(two_sided=False), fails_from(two_sided=True)
    (60, 64)
    """
    bound, sides = claimed_sum(CLAIMED, two_sided=two_sided), 2 if two_sided else 1
    number = 1
    while sides * LaplaceSum.alike(number, 1.0).at_least(bound) <= CLAIMED:
        number += 1
    return number


def _root(number: int, chance: float) -> float:
    """√(6 N ln(2/λ)), which the figures take for every N, in units of 1/ε."""
    return float(np.sqrt(6 * number * np.log(2 / chance)))


def _add(
    found: Outcomes,
    figure: str,
    who: str,
    epsilon: float | None,
    trial: int,
    what: str,
    value: float,
) -> None:
    found.add(Outcome(figure, who, epsilon, trial, what, value))
