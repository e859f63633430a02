"""Chapter 2: does a rotation with noise keep angles, and does that betray anybody?"""

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

from papers.liu2015 import tables
from papers.liu2015.chapter2.attack import Guess, measure_attack
from papers.liu2015.chapter2.drawing import drawings
from papers.liu2015.chapter2.measure import (
    measure_angles,
    measure_noise,
    measure_values,
    perturbed,
)
from papers.liu2015.chapter2.published import claims
from papers.liu2015.chapter2.writing import lines
from papers.liu2015.settings import Settings
from papers.liu2015.told import Told
from papers.outcome import Outcomes

__all__ = ["tell"]


def tell(
    settings: Settings, found: Outcomes, data: str | Path | None, tick: Callable[[str], None]
) -> Told:
    """Table 2.1, figures 2.1 and 2.2, and the attack that they are to make possible."""
    matrices = {"bupa": tables.bupa(data), "wine": tables.wine()}
    pictured: dict[str, Mapping[str, Guess]] = {}
    for trial in range(settings.trials):
        for name, A in matrices.items():
            rng = np.random.default_rng(settings.seed_of("chapter 2", name, trial))
            p = perturbed(A, rng)
            measure_values(name, p, trial, found)
            measure_angles(name, p, trial, settings, found)
            told = measure_attack(name, p, trial, settings, found)
            pictured.setdefault(name, told)
        measure_noise(trial, settings, found)
        tick("chapter 2")
    shapes = {name: (len(A), A.shape[1]) for name, A in matrices.items()}
    return Told(
        "Chapter 2: one known record against a rotation with noise",
        claims(found),
        list(lines(found, shapes)),
        list(drawings(found, shapes, pictured)),
    )
