"""Xu, Yang, Bai 2019, "Laplace input and output perturbation for differentially private principal
components analysis": figures 1 to 5 again, on six data sets, and then with private records.

As published (`ratios`, `accuracy`) the comparisons are run as the paper has them, in floating
point: they are no releases, and neither algorithm is private (`leak`).  Private (`private`,
`private_error`, `private_accuracy`) is what the library's own mechanisms give for the same
budget, and `corrected` says which of the paper's claims survive.

>>> Settings(figures=("5",), sets=("waveform",), trials=1, epsilons=(1.0,), beyond=()).steps
2
"""

from collections.abc import Callable
from pathlib import Path

import numpy as np

from papers import figures
from papers.claim import Claim
from papers.declared import declared
from papers.folder import check_new, write_folder
from papers.outcome import Outcomes
from papers.uci import Loaded, load
from papers.xu2019 import accuracy, leak, private_accuracy, private_error, ratios
from papers.xu2019.corrected import corrected_claims
from papers.xu2019.drawing import drawings
from papers.xu2019.normalised import Normalised
from papers.xu2019.published import claims
from papers.xu2019.settings import EPSILONS, FIGURES, SETS, Settings
from papers.xu2019.shape import Shape
from papers.xu2019.writing import write_up

__all__ = ["EPSILONS", "FIGURES", "SETS", "Claim", "Settings", "reproduce"]


def reproduce(
    folder: str | Path,
    settings: Settings | None = None,
    *,
    data: str | Path | None = None,
    tick: Callable[[str], None] | None = None,
) -> list[Claim]:
    """Run the study into a new folder and give back the claims, judged; private ones last.

    `data` is the folder that holds the data sets, by default where SFUMATO_DATA points; `tick`
    is called after each piece of work with what was done.  The folder appears when all is done.
    """
    settings, tick, place = settings or Settings(), tick or _quiet, Path(folder)
    check_new(place)
    found, shapes = Outcomes(), {}
    with figures.style():  # refused here, before the long work, if matplotlib is missing
        leak.run(found, settings.seed)
        for name in _wanted(settings):
            loaded = _part(load(name, data), settings)
            shapes[name] = _measure(name, loaded, settings, found, tick)
        judged = claims(found, settings, shapes)
        private = corrected_claims(found, settings, shapes)
        drawn = list(drawings(found, settings, shapes))
        page = write_up(found, settings, judged, private, drawn, shapes)
        write_folder(place, drawn, found, page)
    return judged + private


def _measure(
    name: str,
    loaded: Loaded,
    settings: Settings,
    found: Outcomes,
    tick: Callable[[str], None],
) -> Shape:
    """Everything that is asked for about one data set, so that only one is in memory."""
    prepared, public = Normalised.of(loaded), declared(name, loaded)
    ratios.run(name, prepared, settings, found, tick)
    if {"3", "4"} & set(settings.figures):
        private_error.run(name, public, settings, found, tick)
    if "5" in settings.figures and name in settings.classified:
        accuracy.run(name, prepared, settings, found, tick)
        private_accuracy.run(name, public, loaded.y, settings, found, tick)
    return Shape.of(name, loaded, prepared, public)


def _wanted(settings: Settings) -> tuple[str, ...]:
    """Figure 5 alone needs two data sets."""
    return settings.classified if set(settings.figures) == {"5"} else settings.sets


def _part(loaded: Loaded, settings: Settings) -> Loaded:
    if settings.rows is None or settings.rows >= len(loaded.y):
        return loaded
    kept = np.random.default_rng(settings.seed).permutation(len(loaded.y))[: settings.rows]
    note = f"{len(kept):,} of its rows, at random. {loaded.note}"
    return loaded._replace(X=loaded.X[kept], y=loaded.y[kept], note=note)


def _quiet(what: str) -> None:
    """No progress is shown."""
