"""What a chapter gives to the page: claims with verdicts, tables, and figures."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from papers.claim import Claim
from papers.figures import Drawing
from papers.liu2015.settings import Settings
from papers.outcome import Outcomes

__all__ = ["Chapter", "Told"]


@dataclass(frozen=True)
class Told:
    """A chapter, run: `lines` are Markdown with its choices, meaning and tables."""

    title: str
    claims: Sequence[Claim]
    lines: Sequence[str]
    drawings: Sequence[Drawing]


# Runs a chapter on the data in a folder, adds every number, and ticks after each trial.
Chapter = Callable[[Settings, Outcomes, str | Path | None, Callable[[str], None]], Told]
