"""S1: what there is, what is left of each budget, and what to do next."""

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from sfumato.errors import ParameterError
from sfumato.ledger import Balance, Ledger
from sfumato.ledger.amount import NOTHING
from sfumato.studio.account import address_of
from sfumato.studio.draft import Draft
from sfumato.studio.madeup import begin_example
from sfumato.studio.open_releases import open_releases
from sfumato.studio.page import jobs_of, page, project_of, to
from sfumato.studio.project import Project
from sfumato.studio.warming import warm_up
from sfumato.studio.words import NOTHING_READ, READ_SO_FAR, greek, several
from sfumato.table.file.opening import is_table
from sfumato.untrusted.visible import visible

__all__ = ["ROUTES"]

_MOST_NAMED = 12  # files
_NOTHING_GRANTED = "nothing granted yet"


@dataclass(frozen=True)
class Line:
    """One data set, as the start page shows it."""

    name: str
    slug: str | None  # None: known to the ledger alone
    budget: str
    spent: int | None  # hundredths of what was granted, for the bar; None where nothing was
    known: bool  # to the ledger
    releases: int
    lost: int  # after their noise was drawn
    looks: int
    todo: str
    next: str

    @property
    def address(self) -> str:
        """Of its account in the ledger."""
        return address_of(self.name)


def show(request: Request) -> Response:
    """The start page."""
    warm_up()
    project = project_of(request)
    drafts = project.datasets
    with project.ledger() as ledger:
        charged = [] if ledger is None else ledger.unfinished()
    stopped = open_releases(jobs_of(request), charged)
    lost = Counter(stopped.lost.values())
    with project.ledger() as ledger:
        lines = [_line(draft, ledger, lost[draft.name]) for draft in drafts]
        if ledger is not None:
            known = {draft.name for draft in drafts}
            others = [name for name in ledger.datasets() if name not in known]
            lines += [_counted(name, None, ledger, lost[name], "", "") for name in others]
    example = not any(draft.made_up for draft in drafts)
    waiting, astray, complaints = _not_begun(project, {draft.file for draft in drafts})
    return page(
        request,
        "start.html",
        title="Start",
        lines=lines,
        waiting={name: quote(visible(name), safe="") for name in waiting},
        most=_MOST_NAMED,
        astray=[] if lines or waiting else astray,
        unfinished=stopped.open,
        complaints=project.complaints + complaints + stopped.complaints,
        example=example,
        read=READ_SO_FAR if drafts else NOTHING_READ,
    )


def make_example(request: Request) -> Response:
    """A clinic that never was, to try everything with."""
    return to(f"/d/{begin_example(project_of(request)).slug}/schema")


def _not_begun(project: Project, begun: set[str]) -> tuple[list[str], list[str], list[str]]:
    """Tables to begin with, tables that lie in the wrong place, and what cannot be listed."""
    try:
        waiting = [name for name in project.files if is_table(name) and name not in begun]
        return waiting, project.astray, []
    except ParameterError as refusal:  # the folder is another person's: the ledger may be ours
        return [], [], [str(refusal)]


def _line(draft: Draft, ledger: Ledger | None, lost: int) -> Line:
    done = sum(bool(column.kind) and not column.proposed for column in draft.columns)
    all_of_them = len(draft.columns)
    todo = "" if draft.declared else f"{done} of {several(all_of_them, 'column')} declared"
    next_step = "Confirm the columns" if done == all_of_them else "Declare the columns"
    next_step = "Choose the promise" if draft.declared else next_step
    if ledger is None or draft.name not in ledger.datasets():
        nothing = (_NOTHING_GRANTED, None, False, 0, 0, 0)
        return Line(draft.name, draft.slug, *nothing, todo, next_step)
    return _counted(draft.name, draft.slug, ledger, lost, todo, next_step)


def _counted(
    name: str, slug: str | None, ledger: Ledger, lost: int, todo: str, next_step: str
) -> Line:
    balance, looks = ledger.balance(name), sum(ledger.inspections(name).values())
    left = balance.left.spelled(like=balance.granted)
    if balance.granted == NOTHING:
        said, share = _NOTHING_GRANTED, None
    else:
        said, share = greek(f"{left} left of {balance.granted}"), _spent(balance)
    # What stopped published nothing, and neither did what is lost.
    releases = balance.releases - len(ledger.stopped(name)) - lost
    spent = (said, share, True, releases, lost, looks)
    return Line(name, slug, *spent, todo, next_step)


def _spent(balance: Balance) -> int:
    """Hundredths of the currency of which most is gone."""
    pairs = zip(_figures(balance.spent), _figures(balance.granted), strict=True)
    shares = [Fraction(spent, granted) for spent, granted in pairs if granted]
    return round(100 * min(max(shares, default=Fraction(0)), Fraction(1)))


def _figures(charge: object) -> tuple[int, ...]:
    return tuple(getattr(charge, unit) for unit in ("micro_epsilon", "pico_delta", "micro_rho"))


ROUTES = [Route("/", show), Route("/example", make_example, methods=["POST"])]
