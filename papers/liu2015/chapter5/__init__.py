"""Chapter 5: weights made alike around each node, by slack and by path probabilities."""

from collections.abc import Callable
from pathlib import Path

from papers.liu2015.chapter5.cases import EIES, every_case, measure_originals
from papers.liu2015.chapter5.drawing import drawings
from papers.liu2015.chapter5.measure import measure_case
from papers.liu2015.chapter5.published import claims
from papers.liu2015.chapter5.writing import lines
from papers.liu2015.settings import Settings
from papers.liu2015.told import Told
from papers.outcome import Outcomes

__all__ = ["tell"]


def tell(
    settings: Settings, found: Outcomes, data: str | Path | None, tick: Callable[[str], None]
) -> Told:
    """Figures 5.3 to 5.8."""
    tried = every_case(settings, data)
    measure_originals(tried[0].network, settings, found)
    for trial in range(settings.trials):
        for case in tried:
            if case.name == EIES or not trial:  # made-up ones have edges enough for one trial
                measure_case(case, trial, settings, found)
        tick("chapter 5")
    return Told(
        "Chapter 5: weights made alike around each node",
        claims(found, tried),
        list(lines(found, tried)),
        list(drawings(found, tried)),
    )
