"""Chapter 4: weights under noise, and weights that move as far as shortest paths allow."""

from collections.abc import Callable
from pathlib import Path

from papers.liu2015 import networks
from papers.liu2015.chapter4.drawing import drawings
from papers.liu2015.chapter4.gaussian import exact, measure_noise
from papers.liu2015.chapter4.greedy import (
    COUNTED,
    EIES,
    FULL,
    MADE_UP,
    RUNS,
    count_visits,
    measure_moves,
    wanted,
)
from papers.liu2015.chapter4.published import claims
from papers.liu2015.chapter4.writing import lines
from papers.liu2015.settings import Settings
from papers.liu2015.told import Told
from papers.outcome import Outcomes

__all__ = ["tell"]

DENSITY = 0.7
MORE = 4  # times as many nodes where paths are only counted


def tell(
    settings: Settings, found: Outcomes, data: str | Path | None, tick: Callable[[str], None]
) -> Told:
    """Figures 4.10 to 4.15."""
    network = networks.eies(data)
    acquaintances = wanted(EIES, network)
    sizes = {MADE_UP: min(FULL, settings.nodes), COUNTED: min(FULL, MORE * settings.nodes)}
    made_up = {
        name: networks.made_up(nodes, DENSITY, settings.seed_of("network", name), directed=False)
        for name, nodes in sizes.items()
    }
    exact(network, found)
    for trial in range(settings.trials):
        measure_noise(network, trial, settings, found)
        for run in range(trial * RUNS, (trial + 1) * RUNS):
            measure_moves(acquaintances, run, settings, found)
        if not trial:  # it has so many edges that one run says as much as many
            measure_moves(wanted(MADE_UP, made_up[MADE_UP]), 0, settings, found)
            count_visits(wanted(COUNTED, made_up[COUNTED]), settings, found)
        tick("chapter 4")
    several = {kind: len(pairs) for kind, pairs in acquaintances.pairs.items()}
    return Told(
        "Chapter 4: weights under noise, and weights moved along shortest paths",
        claims(found, sizes),
        list(lines(found, network, several, sizes)),
        list(drawings(found, sizes[MADE_UP])),
    )
