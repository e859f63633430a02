"""Chanyaswad, Liu, Mittal 2017, "Coupling dimensionality reduction with generative model for
non-interactive private data release": tables II to IV and figures 1 and 2 again.

PCA-Gauss runs with the corrected sensitivities, class sizes included, among the methods it is
compared with there: `clusters` (II), `supervised` (III and IV), `gain` (figure 2).  What is
drawn from where, and what stands in for data sets that are not at hand, is said in `data`.

>>> Settings(figures=("III",), trials=2).steps
20
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

from papers import figures
from papers.chanyaswad2017 import clusters, gain, supervised
from papers.chanyaswad2017.data import faces, faces_in_the_frame, forests
from papers.chanyaswad2017.drawing import drawings
from papers.chanyaswad2017.facts import Fact
from papers.chanyaswad2017.published import claims
from papers.chanyaswad2017.settings import (
    EPSILONS,
    FIGURES,
    Contender,
    Settings,
)
from papers.chanyaswad2017.writing import write_up
from papers.claim import Claim
from papers.folder import check_new, write_folder
from papers.outcome import Outcomes
from papers.uci import Loaded, load
from sfumato.errors import MissingExtra

__all__ = ["EPSILONS", "FIGURES", "Claim", "Contender", "Settings", "reproduce"]


def reproduce(
    folder: str | Path,
    settings: Settings | None = None,
    *,
    data: str | Path | None = None,
    tick: Callable[[str], None] | None = None,
) -> list[Claim]:
    """Run the study into a new folder and give back the claims, judged.

    `data` is the folder that holds `gfe/` and `covtype/`, by default where SFUMATO_DATA points;
    `tick` is called after each piece of work with what was done.  The folder appears when all
    is done.
    """
    settings, tick, place = settings or Settings(), tick or _quiet, Path(folder)
    check_new(place)
    found = Outcomes()
    with figures.style(), _one_thread():  # refused here, before the long work, if one is missing
        facts = _measured(settings, data, found, tick)
        judged = claims(found, settings, facts)
        drawn = list(drawings(found, settings, facts))
        write_folder(place, drawn, found, write_up(found, settings, judged, drawn, facts))
    return judged


def _measured(
    settings: Settings, data: str | Path | None, found: Outcomes, tick: Callable[[str], None]
) -> dict[str, Fact]:
    """Everything that is asked for, one data set in memory at a time."""
    facts: dict[str, Fact] = {}
    if settings.wanted("II") or "2" in settings.figures:
        facts["II"] = _with_faces(load("gfe", data), settings, found, tick)
    if settings.wanted("III") or settings.wanted("IV"):
        patches = load("covtype", data)
        for table in ("III", "IV"):
            if settings.wanted(table):
                task = forests(patches, table, settings.seed, settings.rows)
                width = supervised.run(table, task, settings, found, tick)
                facts[table] = Fact.of(task, width)
    return facts


def _with_faces(
    frames: Loaded, settings: Settings, found: Outcomes, tick: Callable[[str], None]
) -> Fact:
    """Table II and figure 2."""
    task = faces(frames, settings.seed, settings.rows)
    if settings.wanted("II"):
        wide = faces_in_the_frame(frames, settings.seed, settings.rows)
        clusters.run(task, wide, settings, found, tick)
    if "2" in settings.figures:
        gain.run(task, found)
    return Fact.of(task, len(task.domain.axes))


def _one_thread() -> AbstractContextManager[object]:
    """Sums in one order, whatever the machine; many small products gain nothing from more."""
    try:
        from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]  # has none
    except ImportError:
        raise MissingExtra("this study needs scikit-learn: pip install 'sfumato[ml]'") from None
    limits: AbstractContextManager[object] = threadpool_limits(1)
    return limits


def _quiet(what: str) -> None:
    """No progress is shown."""
