"""Figure 1: a hundred made-up men, noise on one component or on height and weight each.

The paper gives neither its ranges nor its simulation, so ours are stated here.  Public
ranges: 150 to 200 cm and 40 to 120 kg.  Common knowledge picks the component: the
diagonal of that box, from short and light to tall and heavy.  Heights are normal around
175 cm (standard deviation 7), weights lie 5 kg (one standard deviation) around the
diagonal.

Each attribute by itself: Laplace noise of scale 2 · range / ε, because two attributes
share ε.  The component: the place along the diagonal, which moves by at most its
length L when a record is replaced, gets noise of scale L / ε and is mapped back.  So the
squared errors are about 8 L² / ε² and 2 L² / ε² in expectation, and their ratio about 4.
"""

from collections.abc import Callable

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from papers.jiang2013.settings import Settings
from papers.outcome import Outcome, Outcomes
from sfumato.measure.identity import NoisyRecords
from sfumato.privacy.guarantee import PureDP
from sfumato.privacy.mechanism import Purse
from sfumato.privacy.randomness import SeededBits
from sfumato.schema import Schema
from sfumato.schema.domain import Domain
from sfumato.synopsis.features import Features
from sfumato.table.records import Records
from sfumato.table.source import open_source

__all__ = ["ATTRIBUTES", "COMPONENT", "ERROR", "HIGH", "INSIDE", "LOW", "noisy", "people", "run"]

ATTRIBUTES, COMPONENT = "noise on each attribute", "noise on the component"
ERROR, INSIDE = "squared error per person", "squared error per person, inside the ranges"
LOW, HIGH = np.array([150.0, 40.0]), np.array([200.0, 120.0])

Points = NDArray[np.float64]


def people(seed: int = 1) -> Points:
    """Height (cm) and weight (kg) of a hundred men that never were.

    >>> people().shape
    (100, 2)
    """
    rng = np.random.default_rng(seed)
    height = rng.normal(175, 7, 100)
    slope = (HIGH[1] - LOW[1]) / (HIGH[0] - LOW[0])
    weight = LOW[1] + slope * (height - LOW[0]) + rng.normal(0, 5, 100)
    return np.asarray(np.clip(np.column_stack([height, weight]), LOW, HIGH))


def noisy(points: Points, way: str, epsilon: float, seed: int) -> Points:
    """The same people under noise, before anything is clipped to the public ranges."""
    if way == ATTRIBUTES:
        return np.asarray(LOW + (HIGH - LOW) * _noisy((points - LOW) / (HIGH - LOW), epsilon, seed))
    diagonal = HIGH - LOW
    along = (points - LOW) @ diagonal / (diagonal @ diagonal)  # in [0, 1] for the whole box
    return np.asarray(LOW + _noisy(along[:, None], epsilon, seed) * diagonal)


def run(settings: Settings, found: Outcomes, tick: Callable[[str], None]) -> None:
    """Every budget and trial, both ways."""
    points = people(settings.seed)
    for epsilon in settings.epsilons:
        for trial in range(settings.trials):
            for way in (ATTRIBUTES, COMPONENT):
                moved = noisy(points, way, epsilon, settings.seed_of("1", way, epsilon, trial))
                for measure, there in ((ERROR, moved), (INSIDE, np.clip(moved, LOW, HIGH))):
                    error = float(((there - points) ** 2).sum(axis=1).mean())
                    found.add(Outcome("1", way, epsilon, trial, measure, error))
            tick("figure 1")


def _noisy(shares: Points, epsilon: float, seed: int) -> Points:
    """Records in [0, 1] under the noise of `identity-laplace`, as measured."""
    names = [f"x{column}" for column in range(shares.shape[1])]
    kind = {"kind": "number", "low": 0, "high": 1}
    domain = Domain.of(Schema.of({"name": "people", "columns": dict.fromkeys(names, kind)}))
    table = pa.table(dict(zip(names, shares.T, strict=True)))
    budget = PureDP(epsilon)
    measured = NoisyRecords(Features.of(domain), budget).perturb(
        Records(open_source(table), domain), Purse(budget, SeededBits(seed))
    )
    return np.vstack(list(measured))
