"""Chapter 3: wavelets beside the singular value decomposition, in distortion, time, accuracy."""

from collections.abc import Callable
from pathlib import Path

from papers.liu2015 import tables
from papers.liu2015.chapter3.drawing import drawings
from papers.liu2015.chapter3.measure import (
    ACCURACY,
    TABLES,
    perturb,
    perturb_all,
    score,
    time_all,
)
from papers.liu2015.chapter3.published import claims
from papers.liu2015.chapter3.writing import lines
from papers.liu2015.settings import Settings
from papers.liu2015.told import Told
from papers.outcome import Outcomes

__all__ = ["tell"]


def tell(
    settings: Settings, found: Outcomes, data: str | Path | None, tick: Callable[[str], None]
) -> Told:
    """Tables 3.1, 3.2 and 3.3."""
    sets = {"WBC": tables.wbc(data), "WDBC": tables.wdbc()}
    made = {name: perturb(name, table.X, found) for name, table in sets.items()}
    many = perturb_all(sets["WBC"].X, found)
    for trial in range(settings.trials):
        for name, table in sets.items():
            time_all(name, table.X, trial, found)
            score(TABLES[name], made[name], table, trial, settings, found)
        score("table 3.3", many, sets["WBC"], trial, settings, found, measures=(ACCURACY,))
        tick("chapter 3")
    return Told(
        "Chapter 3: wavelets beside the singular value decomposition",
        claims(found),
        list(lines(found, {name: table.X.shape for name, table in sets.items()})),
        list(drawings(found)),
    )
