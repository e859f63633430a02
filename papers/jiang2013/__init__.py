"""Jiang, Ji, Wang, Mohammed, Cheng, Ohno-Machado 2013, "Differential-private data publishing
through component analysis": figures 1 to 4 again, on Adult.

Where the paper leaves a choice open, the module of the figure says which one was made:
`people` (1), `record_error` (2), `classes` (3 and 4).  Where its privacy proof is wrong,
the corrected mechanism runs, and `sensitivity` says what that changes.

>>> Settings(figures=("1",), trials=2, epsilons=(1.0,)).steps
2
"""

from collections.abc import Callable
from pathlib import Path

import numpy as np

from papers import figures
from papers.adult import adult
from papers.claim import Claim
from papers.folder import check_new, write_folder
from papers.jiang2013 import classes, people, record_error
from papers.jiang2013.drawing import drawings
from papers.jiang2013.published import claims
from papers.jiang2013.settings import EPSILONS, FIGURES, Contender, Settings
from papers.jiang2013.writing import write_up
from papers.outcome import Outcomes

__all__ = ["EPSILONS", "FIGURES", "Claim", "Contender", "Settings", "reproduce"]


def reproduce(
    folder: str | Path,
    settings: Settings | None = None,
    *,
    data: str | Path | None = None,
    tick: Callable[[str], None] | None = None,
) -> list[Claim]:
    """Run the study into a new folder and give back the claims, judged.

    `data` is the folder that holds `adult/`, by default where SFUMATO_DATA points; `tick` is
    called after each release with what was done.  The folder appears when all is done.
    """
    settings, tick, place = settings or Settings(), tick or _quiet, Path(folder)
    check_new(place)
    settings.check_prices()
    table = None
    if set(settings.figures) - {"1"}:
        table = adult(data)
        if settings.rows is not None and settings.rows < table.num_rows:
            rng = np.random.default_rng(settings.seed)
            table = table.take(rng.permutation(table.num_rows)[: settings.rows])
    found = Outcomes()
    with figures.style():  # refused here, before the long work, if matplotlib is missing
        if "1" in settings.figures:
            people.run(settings, found, tick)
        if "2" in settings.figures and table is not None:
            record_error.run(table, settings, found, tick)
        if {"3", "4"} & set(settings.figures) and table is not None:
            classes.run(table, settings, found, tick)
        judged, drawn = claims(found, settings), list(drawings(found, settings))
        rows = None if table is None else table.num_rows
        write_folder(place, drawn, found, write_up(found, settings, judged, drawn, rows))
    return judged


def _quiet(what: str) -> None:
    """No progress is shown."""
