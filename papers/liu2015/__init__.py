"""Liu 2015, "Privacy preserving data mining for numerical matrices, social networks, and big
data" (thesis): its tables and figures again, chapter by chapter.

Chapter 2 adds noise and a rotation, and asks what one known record betrays of the others;
chapter 3 sets wavelets beside the singular value decomposition.  Chapters 4 and 5 change the
weights of networks, by noise, as far as shortest paths allow, and until they are alike.  Chapter 6
says what differential privacy is, and chapters 7 to 10 bound its noise, in sums, streams, inner
products and on small values.
A chapter is a package with a function `tell`, named in `TELLERS`.

>>> Settings(chapters=("2", "3"), trials=2).steps
4
"""

from collections.abc import Callable
from pathlib import Path

from papers import figures
from papers.claim import Claim
from papers.folder import check_new, write_folder
from papers.liu2015 import (
    chapter2,
    chapter3,
    chapter4,
    chapter5,
    chapter6,
    chapter7,
    chapter8,
    chapter9,
    chapter10,
)
from papers.liu2015.settings import CHAPTERS, Settings
from papers.liu2015.told import Chapter
from papers.liu2015.writing import write_up
from papers.outcome import Outcomes

__all__ = ["CHAPTERS", "Claim", "Settings", "reproduce"]

TELLERS: dict[str, Chapter] = {
    "2": chapter2.tell,
    "3": chapter3.tell,
    "4": chapter4.tell,
    "5": chapter5.tell,
    "6": chapter6.tell,
    "7": chapter7.tell,
    "8": chapter8.tell,
    "9": chapter9.tell,
    "10": chapter10.tell,
}


def reproduce(
    folder: str | Path,
    settings: Settings | None = None,
    *,
    data: str | Path | None = None,
    tick: Callable[[str], None] | None = None,
) -> list[Claim]:
    """Run the chapters into a new folder and give back the claims, judged.

    `data` is the folder that holds `bupa/`, `wbc/` and `eies/`, by default where SFUMATO_DATA
    points; `tick` is called after each trial with what was done.  The folder appears when all is
    done.
    """
    settings, tick, place = settings or Settings(), tick or _quiet, Path(folder)
    check_new(place)
    found = Outcomes()
    with figures.style():  # refused here, before the long work, if matplotlib is missing
        told = [
            TELLERS[c](settings, found, data, tick) for c in sorted(set(settings.chapters), key=int)
        ]
        drawn = [drawing for chapter in told for drawing in chapter.drawings]
        write_folder(place, drawn, found, write_up(settings, told))
    return [claim for chapter in told for claim in chapter.claims]


def _quiet(what: str) -> None:
    """No progress is shown."""
