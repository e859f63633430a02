"""Chapter 6: what differential privacy is, and which of its rules hold as they are printed."""

from collections.abc import Callable
from pathlib import Path

from papers.liu2015.chapter6.drawing import drawings
from papers.liu2015.chapter6.intrusion import audit_counter, look_twice, work_out_memory
from papers.liu2015.chapter6.measure import work_out
from papers.liu2015.chapter6.published import claims
from papers.liu2015.chapter6.writing import lines
from papers.liu2015.settings import Settings
from papers.liu2015.told import Told
from papers.outcome import Outcomes

__all__ = ["tell"]


def tell(
    settings: Settings, found: Outcomes, _data: str | Path | None, tick: Callable[[str], None]
) -> Told:
    """Definitions 6.2.3 to 6.2.10, theorems 6.2.1 to 6.2.3, and the three properties."""
    work_out(found)
    work_out_memory(found)
    audit_counter(found)
    for trial in range(settings.trials):
        look_twice(trial, settings, found)
        tick("chapter 6")
    return Told(
        "Chapter 6: what differential privacy is",
        claims(found),
        list(lines(found)),
        list(drawings(found)),
    )
