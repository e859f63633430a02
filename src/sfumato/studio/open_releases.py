"""Releases about which something is still to be done or waited for, and those that are lost.

The ledger knows what was charged and has not ended; the folder of jobs knows what was confirmed
and ended, without a word, before it was charged.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from sfumato.errors import ParameterError
from sfumato.ledger import Entry
from sfumato.studio.asked import is_job
from sfumato.studio.jobs import Jobs

__all__ = ["OpenRelease", "OpenReleases", "open_releases"]

_OF_OTHERS = {  # by the ledger's word alone
    "reserved": "it was begun by another program and charged, and no noise is drawn yet",
    "drawn": "it was begun by another program, charged, and its noise is drawn",
}
_OURS = {
    "under way": "it is under way",
    "not begun": "it stopped before it was charged",
    "charged": "it stopped after it was charged and before its noise was drawn",
    "whole": "it stopped when all of it was written, and the ledger was not told",
    "ahead": "it lies in its folder, and the ledger does not hold it as published",
}


@dataclass(frozen=True, slots=True)
class OpenRelease:
    """One that is not done, and how far it came."""

    release: str
    dataset: str
    said: str


@dataclass
class OpenReleases:
    """What a page says of them."""

    open: list[OpenRelease] = field(default_factory=list)
    lost: dict[str, str] = field(default_factory=dict)  # their data sets
    complaints: list[str] = field(default_factory=list)


def open_releases(jobs: Jobs, charged: Iterable[Entry]) -> OpenReleases:
    """What stopped on its way or is on it, of what the ledger has as charged and of our own."""
    found = OpenReleases()
    known = {entry.release for entry in charged}
    for entry in charged:
        _place(found, jobs, entry.release, entry.dataset, _OF_OTHERS.get(entry.state, ""))
    try:
        uncharged = [one for one in jobs.folder.without_ending() if one.job not in known]
    except ParameterError as refusal:
        found.complaints.append(str(refusal))
        return found
    for asked in uncharged:
        if asked.kind == "publish" and jobs.entry(asked.job) is None:
            _place(found, jobs, asked.job, asked.name, "")
    return found


def _place(found: OpenReleases, jobs: Jobs, release: str, dataset: str, said: str) -> None:
    if is_job(release):
        try:
            what = jobs.standing(release).what
        except ParameterError:  # the folder is another person's, or none: the ledger has its word
            what = "elsewhere"
        if what == "lost":
            found.lost[release] = dataset
            return
        said = _OURS.get(what, said if what == "elsewhere" else "")
    if said:
        found.open.append(OpenRelease(release, dataset, said))
