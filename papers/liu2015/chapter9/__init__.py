"""Chapter 9: inner products when both sides add noise, and Haar coefficients."""

from collections.abc import Callable
from pathlib import Path

from papers.liu2015.chapter9.drawing import drawings
from papers.liu2015.chapter9.measure import measure_products, work_out
from papers.liu2015.chapter9.published import claims
from papers.liu2015.chapter9.writing import lines
from papers.liu2015.settings import Settings
from papers.liu2015.told import Told
from papers.outcome import Outcomes

__all__ = ["tell"]


def tell(
    settings: Settings, found: Outcomes, _data: str | Path | None, tick: Callable[[str], None]
) -> Told:
    """The example of section 9.1 and figure 9.1."""
    work_out(found)
    for trial in range(settings.trials):
        measure_products(trial, settings, found)
        tick("chapter 9")
    return Told(
        "Chapter 9: inner products of private vectors",
        claims(found),
        list(lines(found)),
        list(drawings(found)),
    )
