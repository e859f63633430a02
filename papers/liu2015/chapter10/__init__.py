"""Chapter 10: noise on small values, and what averaging it away costs."""

from collections.abc import Callable
from pathlib import Path

from papers.liu2015.chapter10.drawing import drawings
from papers.liu2015.chapter10.measure import work_out
from papers.liu2015.chapter10.published import claims
from papers.liu2015.chapter10.writing import lines
from papers.liu2015.settings import Settings
from papers.liu2015.told import Told
from papers.outcome import Outcomes

__all__ = ["tell"]


def tell(
    settings: Settings, found: Outcomes, _data: str | Path | None, tick: Callable[[str], None]
) -> Told:
    """Table 10.1 and the groups of section 10.1."""
    work_out(found)
    for _ in range(settings.trials):  # nothing here is random
        tick("chapter 10")
    return Told(
        "Chapter 10: small values under noise",
        claims(found),
        list(lines(found)),
        list(drawings(found)),
    )
