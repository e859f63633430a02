"""Figures 4 and 5, and what the paper's guarantee is worth for whole records and true releases.

The paper's amplification e^{1/b} is that of one attribute.  A record has m of them, and after
a PCA every original attribute moves all m components, so e^{m/b} is what counts; m = 3 for
Adult and 10 for Cancer.  `posterior` lets the caps meet draws: a record is one of two
opposite corners, the rarer with chance 0.001, and it is that one.

`leak` uses what section 4.3 publishes: the perturbed records of a class and the exact mean
of their noise give the exact class mean, and with the other records the last one.
"""

from math import log

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from papers.chakrabarti2010.settings import Settings, level_of
from papers.chakrabarti2010.tables import Labelled
from papers.chakrabarti2010.views import COMPONENTS, of_the_data
from papers.outcome import Outcome, Outcomes
from sfumato.accuracy import Amplification, class_scatter

__all__ = ["CAP", "LAST", "LEAK", "LOG_GAMMA", "MEANS", "PRIOR", "READINGS", "TRUTH", "leak", "run"]

PRIOR = 0.001
LOG_GAMMA, CAP = "ln of the amplification", "largest chance of a property of prior 0.001"
TRUTH = "median chance given to a true corner record of prior 0.001"
LEAK, MEANS = "noise statistics", "largest error of a class mean, in standard deviations"
LAST = "largest error of a last record, in standard deviations"
DRAWS = 20_000

ONE, PRINTED = "one attribute", "one attribute, density as printed"
THREE, TEN = "record of 3 components", "record of 10 components"
ATTRIBUTES = {ONE: 1, THREE: COMPONENTS["2"], TEN: COMPONENTS["3"]}
READINGS = (ONE, PRINTED, THREE, TEN)


def amplification(reading: str, b: float) -> Amplification:
    """Of one attribute as the paper has it, of the density it prints, of whole records."""
    if reading == PRINTED:
        return Amplification.as_printed(b)
    return Amplification.laplace(b, ATTRIBUTES[reading])


def run(settings: Settings, found: Outcomes) -> None:
    """Amplification, caps, and chances that draws really give, at every noise level."""
    for epsilon in settings.epsilons:
        b = level_of(epsilon)
        for reading in READINGS:
            bound = amplification(reading, b)
            found.add(Outcome("4", reading, epsilon, 0, LOG_GAMMA, bound.log_gamma))
            found.add(Outcome("5", reading, epsilon, 0, CAP, bound.upward(PRIOR)))
        for reading, m in ATTRIBUTES.items():
            rng = np.random.default_rng(settings.seed_of("5", reading, epsilon))
            median = float(np.median(posterior(b, m, rng)))
            found.add(Outcome("5", reading, epsilon, 0, TRUTH, median))


def posterior(b: float, m: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Chance of the truth, seen by draws, if a corner of prior 0.001 is the record.

    >>> chance = posterior(0.2, 1, np.random.default_rng(0))
    >>> bool(chance.max() <= Amplification.laplace(0.2).upward(PRIOR) + 1e-12)
    True
    """
    y = 1 + rng.laplace(scale=b, size=(DRAWS, m))  # in units of the range: corners at 0 and 1
    log_odds = log(PRIOR / (1 - PRIOR)) + ((np.abs(y) - np.abs(y - 1)) / b).sum(axis=1)
    return np.asarray(expit(log_odds))


def leak(table: Labelled, settings: Settings, found: Outcomes) -> None:
    """What the published statistics of one release betray, at the highest noise level."""
    epsilon = min(settings.epsilons)
    view = of_the_data(table.X, COMPONENTS["3"])
    scaled = view.scaled(table.X)
    rng = np.random.default_rng(settings.seed_of("leak"))
    exact, released = scaled @ view.basis.T, view.perturbed(scaled, level_of(epsilon), rng)
    told, seen = class_scatter(released - exact, table.y), class_scatter(released, table.y)
    betrayed, spread = seen.means - told.means, exact.std(axis=0)
    gaps = np.abs(betrayed - class_scatter(exact, table.y).means) / spread
    found.add(Outcome("3", LEAK, epsilon, 0, MEANS, float(gaps.max())))
    worst = 0.0
    for label, mean, count in zip(seen.classes, betrayed, seen.counts, strict=True):
        members = exact[table.y == label]
        rebuilt = count * mean - members[:-1].sum(axis=0)
        gap = np.abs(rebuilt - members[-1]) / spread
        worst = max(worst, float(gap.max()))
    found.add(Outcome("3", LEAK, epsilon, 0, LAST, worst))
