"""Chakrabarti, Chen, Gangopadhyay, Mukherjee 2010, "Privacy preserving linear discriminant
analysis from perturbed data": figures 2 to 5 again, on Adult and on breast cancer.

The paper adds Laplace noise to principal components and lets the owner publish statistics of
the drawn noise, so that the receiver's discriminant analysis can subtract them.  `learning`
(figures 2 and 3) sets plain analysis and the paper's beside one that subtracts the
expected noise and needs nothing from the owner; `privacy` (figures 4 and 5) says what
the paper's guarantee is worth for whole records, and what the statistics betray.

>>> Settings(figures=("4", "5")).steps
0
"""

from collections.abc import Callable
from pathlib import Path

from papers import figures
from papers.chakrabarti2010 import learning, privacy
from papers.chakrabarti2010.drawing import drawings
from papers.chakrabarti2010.published import claims
from papers.chakrabarti2010.settings import FIGURES, LEVELS, Settings
from papers.chakrabarti2010.tables import adults, cancer
from papers.chakrabarti2010.views import public_adults, public_cancer
from papers.chakrabarti2010.writing import write_up
from papers.claim import Claim
from papers.folder import check_new, write_folder
from papers.outcome import Outcomes

__all__ = ["FIGURES", "LEVELS", "Claim", "Settings", "reproduce"]


def reproduce(
    folder: str | Path,
    settings: Settings | None = None,
    *,
    data: str | Path | None = None,
    tick: Callable[[str], None] | None = None,
) -> list[Claim]:
    """Run the study into a new folder and give back the claims, judged.

    `data` is the folder that holds `adult/`, by default where SFUMATO_DATA points, and only
    figure 2 needs it; `tick` is called after each repetition with what was done.  The folder
    appears when all is done.
    """
    settings, tick, place = settings or Settings(), tick or _quiet, Path(folder)
    check_new(place)
    found, taken = Outcomes(), None
    with figures.style():  # refused here, before the long work, if matplotlib is missing
        if "2" in settings.figures:
            table = adults(settings.rows, settings.seed, data)
            taken = len(table.y)
            learning.run("2", table, public_adults(), settings, found, tick)
        if "3" in settings.figures:
            tumours = cancer()
            learning.run("3", tumours, public_cancer(), settings, found, tick)
            privacy.leak(tumours, settings, found)
        if {"4", "5"} & set(settings.figures):
            privacy.run(settings, found)
        judged, drawn = claims(found, settings), list(drawings(found, settings))
        write_folder(place, drawn, found, write_up(found, settings, judged, drawn, taken))
    return judged


def _quiet(what: str) -> None:
    """No progress is shown."""
