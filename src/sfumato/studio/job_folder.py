"""The files of jobs: what was asked, how it ended, and whether a worker is at it.

    datasets/NAME/review.json   what the review page shows, with the id it will have
    jobs/ID.json                the same, from the moment it was confirmed
    jobs/ID.end.json            how the worker ended, in its own words
    jobs/ID.lock                held while a worker is at it

What was charged is not here: that is in the ledger alone.
"""

import json
import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from fnmatch import filter as matching
from pathlib import Path
from typing import Literal

from sfumato.durable import flush
from sfumato.errors import ParameterError
from sfumato.studio.asked import Asked, is_job, new_job
from sfumato.studio.place import inside, is_slug, make_folder, write_whole
from sfumato.studio.turn import is_taken
from sfumato.untrusted.plain_file import content, is_folder
from sfumato.untrusted.strict_json import parsed

__all__ = ["Ending", "JobFolder"]

_LARGEST = 2**24  # bytes
_PUT_BACK = (
    "What was confirmed lies in it: put it back as it was; what was charged stands in the ledger"
)


@dataclass(frozen=True, slots=True)
class Ending:
    """How a worker ended; one that was killed left none."""

    outcome: Literal["done", "refused", "fault", "given up"]
    text: str = ""  # of a refusal: our own words
    parts: Sequence[str] = ()  # the same by sentence, where the records do not fit
    command: str = ""  # that would grant what the ledger refused
    number: str = ""  # of a fault: what the page says
    place: str = ""  # of a fault: its type and where; never what it says


class JobFolder:
    """The jobs of a project."""

    def __init__(self, project: Path) -> None:
        self.project = project
        self._jobs = make_folder(inside(project, "jobs"))

    def planned(self, asked: Asked) -> Asked:
        """The same with the id of its review: that which an open page has, if it shows this.

        So that two tabs and a reload are one release.
        """
        place = self._review(asked.dataset)
        with suppress(ParameterError):
            before = _read(place)
            if before is not None and before.same_as(asked) and self.asked(before.job) is None:
                return replace(asked, job=before.job)
        asked = replace(asked, job=new_job())
        write_whole(place, asked.to_json())
        return asked

    def begin(self, asked: Asked) -> bool:
        """Keep what was asked for; whether nobody did so before, under this id."""
        place = self._place(asked.job, "json")
        aside = place.with_name(f".{place.name}.{new_job()}")
        write_whole(aside, asked.to_json())
        try:
            os.link(aside, place)  # unlike a rename, refuses to replace what is there
        except FileExistsError:
            return False
        except OSError as error:
            raise ParameterError(f"{place} cannot be written: {error.strerror}") from None
        finally:
            aside.unlink()
        flush(self._jobs)
        return True

    def change(self, asked: Asked) -> None:
        """Replace what was asked for, before it was charged."""
        write_whole(self._place(asked.job, "json"), asked.to_json())

    def asked(self, job: str) -> Asked | None:
        """What was asked for under this id; None where nothing was."""
        return _read(self._place(job, "json"))

    def ending(self, job: str) -> Ending | None:
        """How its last worker ended, if it said so."""
        try:
            found = parsed(content(self._place(job, "end.json"), _LARGEST))
            return Ending(**found) if isinstance(found, dict) else None
        except (OSError, ValueError, TypeError):
            return None

    def end(self, job: str, ending: Ending) -> None:
        """Say how it ended."""
        write_whole(self._place(job, "end.json"), json.dumps(asdict(ending), indent=1))

    def forget_ending(self, job: str) -> None:
        """A new worker begins."""
        place = self._place(job, "end.json")
        try:
            place.unlink(missing_ok=True)
        except OSError as error:
            raise ParameterError(f"{place} cannot be removed: {error.strerror}") from None

    def lock(self, job: str) -> Path:
        """The file that a worker holds."""
        return self._place(job, "lock")

    def at_work(self, job: str) -> bool:
        """Whether some worker is at it, of this studio or of one before."""
        return is_taken(self.lock(job))

    def all_at_work(self) -> set[str]:
        """The jobs that some worker is at."""
        ids = (name.removesuffix(".lock") for name in self._names("*.lock"))
        return {job for job in ids if is_job(job) and self.at_work(job)}

    def release(self, job: str) -> Path:
        """Where a release goes."""
        _checked(job)
        return inside(self.project, "releases", job)

    def all(self, dataset: str | None = None) -> list[Asked]:
        """Every job that can be read, or those of a data set, by id."""
        ids = (name.removesuffix(".json") for name in self._names())
        found = []
        for job in filter(is_job, ids):
            with suppress(ParameterError):  # its own page says what is wrong with it
                found.append(self.asked(job))
        return [asked for asked in found if asked and dataset in (None, asked.dataset)]

    def without_ending(self) -> list[Asked]:
        """Jobs that are under way, or whose worker ended without a word; by id."""
        names = set(self._names())
        ids = sorted(name.removesuffix(".json") for name in names)
        found = []
        for job in ids:
            if is_job(job) and f"{job}.end.json" not in names:
                with suppress(ParameterError):  # its own page says what is wrong with it
                    found.append(self.asked(job))
        return [asked for asked in found if asked]

    def _names(self, pattern: str = "*") -> list[str]:
        try:
            found = os.listdir(self._jobs)  # noqa: PTH208  names alone, or what is wrong
            return sorted(matching(found, pattern))
        except PermissionError as error:  # another person's
            raise ParameterError(f"folder {self._jobs} cannot be read: {error.strerror}") from None
        except OSError as error:
            raise ParameterError(
                f"folder {self._jobs} cannot be read: {error.strerror}. {_PUT_BACK}"
            ) from None

    def _place(self, job: str, ending: str) -> Path:
        _checked(job)
        if not is_folder(self._jobs):  # somebody has moved it since the studio was started
            raise ParameterError(f"folder {self._jobs} cannot be read: it is none. {_PUT_BACK}")
        return inside(self._jobs, f"{job}.{ending}")

    def _review(self, dataset: str) -> Path:
        if not is_slug(dataset):
            raise ParameterError("there is no such data set here: begin at the start page")
        return inside(self.project, "datasets", dataset, "review.json")


def _checked(job: str) -> None:
    if not is_job(job):
        raise ParameterError("there is no such job here: begin at the start page")


def _read(place: Path) -> Asked | None:
    try:
        return Asked.from_json(content(place, _LARGEST).decode())
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError):
        raise ParameterError(f"{place.name} cannot be read") from None
