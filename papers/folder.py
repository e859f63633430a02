"""The folder a study leaves: figures, every trial and a page, or nothing at all."""

import secrets
import shutil
from collections.abc import Iterable
from pathlib import Path

from papers.figures import Drawing, save
from papers.outcome import Outcomes
from sfumato.errors import ReleaseError

__all__ = ["check_new", "write_folder"]


def check_new(folder: Path) -> None:
    """Refuse a folder that exists, before the long work.

    >>> check_new(Path("."))
    Traceback (most recent call last):
    sfumato.errors.ReleaseError: . exists: choose another folder or remove it first
    """
    if folder.exists():
        raise ReleaseError(f"{folder} exists: choose another folder or remove it first")


def write_folder(place: Path, drawn: Iterable[Drawing], found: Outcomes, page: str) -> None:
    """Write beside the place and rename at the end, so that no half of a run is ever seen."""
    partial = place.absolute().parent / f".{place.name}.partial-{secrets.token_hex(4)}"
    try:
        partial.mkdir(parents=True)
        for drawing in drawn:
            save(drawing.figure, partial, drawing.name)
        found.write(partial / "results.csv")
        (partial / "results.md").write_text(page, encoding="utf-8")
        partial.rename(place)
    except OSError as error:
        raise ReleaseError(f"{place} cannot be written: {error.strerror}") from None
    finally:
        shutil.rmtree(partial, ignore_errors=True)
