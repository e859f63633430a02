"""The five steps of a release: which are done, and which lead anywhere from here.

A step leads to its page where that page has something to show.  A release has no page before it
is confirmed: that one is said, and leads nowhere.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from sfumato.studio.choice import is_chosen
from sfumato.studio.draft import Draft
from sfumato.studio.project import Project

__all__ = ["Step", "steps"]

_NAMES = ("File", "Columns", "Promise", "Review", "Release")


@dataclass(frozen=True, slots=True)
class Step:
    """One of the five, as the line on top of a page shows it."""

    name: str
    now: bool
    done: bool
    address: str  # empty where it leads nowhere


def steps(project: Project, draft: Draft | None, here: int) -> Iterator[Step]:
    """All five, seen from the page of step `here`, for a data set where there is one already."""
    pages = {} if draft is None else _pages(project, draft)
    for number, name in enumerate(_NAMES, 1):
        now = number == here
        yield Step(name, now, number < here, "" if now else pages.get(number, ""))


def _pages(project: Project, draft: Draft) -> dict[int, str]:
    """The pages of a data set that have something to show."""
    found = {1: f"/d/{draft.slug}/file", 2: f"/d/{draft.slug}/schema"}
    if draft.declared:
        found[3] = f"/d/{draft.slug}/budget"
        if is_chosen(project, draft.slug):
            found[4] = f"/d/{draft.slug}/review"
    return found
