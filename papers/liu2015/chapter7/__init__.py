"""Chapter 7: sums and means of Laplace noise, the printed bounds beside the exact law."""

from collections.abc import Callable
from pathlib import Path

from papers.liu2015.chapter7.drawing import drawings
from papers.liu2015.chapter7.measure import measure_sums, work_out
from papers.liu2015.chapter7.published import claims
from papers.liu2015.chapter7.writing import lines
from papers.liu2015.settings import Settings
from papers.liu2015.told import Told
from papers.outcome import Outcomes

__all__ = ["tell"]


def tell(
    settings: Settings, found: Outcomes, _data: str | Path | None, tick: Callable[[str], None]
) -> Told:
    """Figures 7.2 to 7.5, and theorems 7.1.1, 7.2.1 and 7.2.2."""
    work_out(found)
    for trial in range(settings.trials):
        measure_sums(trial, settings, found)
        tick("chapter 7")
    return Told(
        "Chapter 7: sums and means of Laplace noise",
        claims(found),
        list(lines(found)),
        list(drawings(found)),
    )
