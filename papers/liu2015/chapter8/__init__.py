"""Chapter 8: the mean of a bit stream, by one-sided noise and by randomized response."""

from collections.abc import Callable
from pathlib import Path

from papers.liu2015.chapter8.drawing import drawings
from papers.liu2015.chapter8.measure import measure_means, work_out
from papers.liu2015.chapter8.published import claims
from papers.liu2015.chapter8.writing import lines
from papers.liu2015.settings import Settings
from papers.liu2015.told import Told
from papers.outcome import Outcomes

__all__ = ["tell"]


def tell(
    settings: Settings, found: Outcomes, _data: str | Path | None, tick: Callable[[str], None]
) -> Told:
    """Table 8.1 and theorem 8.4.4."""
    work_out(found)
    for trial in range(settings.trials):
        measure_means(trial, settings, found)
        tick("chapter 8")
    return Told(
        "Chapter 8: the mean of a bit stream",
        claims(found),
        list(lines(found)),
        list(drawings(found)),
    )
