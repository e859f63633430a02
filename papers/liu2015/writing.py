"""`results.md`: every claim first, then each chapter with its tables and figures."""

from collections.abc import Iterator, Sequence

from papers.liu2015.settings import Settings
from papers.liu2015.told import Told
from papers.page import claim_table, figure_section
from sfumato import __version__

__all__ = ["write_up"]

PROVED = {
    "6": "the counter of chapter 6 (`counter`)",
    "8": "the randomized response of chapter 8 (`reservoir-mean`)",
    "9": "the noisy counts of chapter 9 (`sfumato query`)",
}


def write_up(settings: Settings, told: Sequence[Told]) -> str:
    """The whole page."""
    return "\n".join(_page(settings, told)) + "\n"


def _proved(settings: Settings) -> str:
    """Which of the chapters that were run use a mechanism with a proof."""
    there = [what for chapter, what in PROVED.items() if chapter in settings.chapters]
    if not there:
        return " Nothing that is run here is private by any proof."
    return f" Private by a proof, unseeded, are {' and '.join(there)}; the rest is not."


def _page(settings: Settings, told: Sequence[Told]) -> Iterator[str]:
    yield "# Liu 2015, privacy preserving data mining for numerical matrices, run again"
    yield ""
    yield (
        f"Sfumato {__version__}, seed {settings.seed}, {settings.trials} trials. Every trial is "
        "in `results.csv`. The data are public and every draw follows from the seed, so no run "
        "protects anybody." + _proved(settings)
    )
    yield ""
    yield "## What the thesis claims, and what came out"
    yield ""
    yield from claim_table(claim for chapter in told for claim in chapter.claims)
    for chapter in told:
        yield ""
        yield f"## {chapter.title}"
        yield ""
        yield from chapter.lines
        for drawing in chapter.drawings:
            yield from figure_section(drawing)
