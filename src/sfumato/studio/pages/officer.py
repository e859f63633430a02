"""What an officer decides: budgets, refunds, names of the same data; each one line of the ledger.

A form says which line was the newest when its page was made.  Sent twice, it finds its own line
there and adds none; where somebody else has written meanwhile, it is shown again.
"""

import re
from collections.abc import Callable
from threading import Lock

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from sfumato.errors import LedgerError, ParameterError, Refused
from sfumato.ledger import Balance, Ledger
from sfumato.ledger.amount import NOTHING
from sfumato.ledger.grant import grantable, granted_budget
from sfumato.ledger.history import act_of
from sfumato.studio.account import account, address_of, name_at
from sfumato.studio.choice import read_choice
from sfumato.studio.forms import Form
from sfumato.studio.page import page, project_of, to
from sfumato.studio.pages.ledger import Typed, shown
from sfumato.studio.wanted import lacking, named_in, said_by

__all__ = ["ROUTES"]

_FIELDS = ("epsilon", "delta", "rho", "until", "reason")
_BACK = re.compile(r"budget(?:\?[A-Za-z0-9=&.,_-]*)?|review")
_deciding = Lock()  # what is seen and what is written belong together


def ask_grant(request: Request) -> Response:
    """The form of a grant, with what is missing where another page asks for it."""
    return _shown(request, {}, filled=_lacking(request))


def grant(request: Request) -> Response:
    """Add to a budget; where the ledger needs two people, ask for it."""
    form, project = Form.of(request), project_of(request)
    typed = {name: form.text(name, 600) for name in (*_FIELDS, "after")}
    typed |= {name: "on" for name in ("heuristic", "two_people") if form.flag(name)}
    try:
        with _deciding:
            if not project.ledger_path.exists():
                _name(request, None)  # known, before anything is made
                two_people = "two_people" in typed
                Ledger.create(project.ledger_path, two_people=two_people).close()
            with project.ledger() as ledger:
                if ledger is None:
                    raise LedgerError("the ledger went away: reload the page")
                name = _name(request, ledger)
                _grant(ledger, name, typed)
    except Refused as refusal:
        return _shown(request, typed, fault=str(refusal), status=422)
    return to(_asking(request, form) or f"/ledger/{address_of(name)}")


def _asking(request: Request, form: Form) -> str | None:
    """The page that needed a budget, with what was typed there."""
    back, address = form.text("back", 300), str(request.path_params["dataset"])
    known = any(draft.slug == address for draft in project_of(request).datasets)
    if not known or not back.startswith(("budget", "review")):
        return None
    return f"/d/{address}/{back if _BACK.fullmatch(back) else 'budget'}"


def _lacking(request: Request) -> dict[str, str]:
    """What the budget lacks for what was typed there: public figures, and the ledger's."""
    back, project = Form.of(request).text("back", 300), project_of(request)
    if not _asking(request, Form.of(request)):
        return {}
    if back == "review":
        wanted = said_by(read_choice(project, str(request.path_params["dataset"])))
    else:
        wanted = named_in(back)
    with project.ledger() as ledger:
        name = _name(request, ledger)
        known = ledger is not None and name in ledger.datasets()
        left = ledger.balance(name).left if ledger is not None and known else NOTHING
    return lacking(wanted, left)


def _grant(ledger: Ledger, name: str, typed: Typed) -> None:
    """One line, unless it stands there already."""
    figures = {unit: typed[unit].replace(",", ".") or None for unit in ("epsilon", "delta", "rho")}
    heuristic, reason = "heuristic" in typed, typed["reason"]
    if not any(figures.values()) and not heuristic:
        raise ParameterError("say how much: an epsilon, such as 1")
    balance = ledger.balance(name) if name in ledger.datasets() else Balance()
    said = granted_budget(None, heuristic, **figures)
    amount = grantable(said, heuristic=heuristic, balance=balance)
    seen = int(typed["after"]) if typed["after"].isdecimal() else 0
    since = [line for line in ledger.history(name) if line.sequence > seen]
    if since:
        for line in since:
            same = line.kind in ("grant", "request") and line.amount == amount
            if same and act_of(line).reason == reason:
                return
        raise LedgerError(
            f"since this page was opened, line {since[-1].sequence} was written: look at the "
            "figures below, and send it again if it is still right"
        )
    decide = ledger.request if ledger.two_people else ledger.grant
    until = typed["until"] or None
    decide(
        name,
        epsilon=figures["epsilon"],
        delta=figures["delta"],
        rho=figures["rho"],
        reason=reason,
        heuristic=heuristic,
        until=until,
    )


def answer(request: Request) -> Response:
    """Approve or decline what another person asked for."""
    form = Form.of(request)
    number, yes = form.text("number", 18), form.text("answer", 20) == "approve"
    if not number.isdecimal():
        raise ParameterError("there is no such request: reload the page")

    def decide(ledger: Ledger) -> None:
        kind = "approve" if yes else "decline"
        if not any(
            line.kind == kind and line.other == number for line in ledger.history()
        ):  # sent twice, it stands there already
            (ledger.approve if yes else ledger.decline)(int(number), reason=form.text("reason"))

    return _decided(request, form, decide)


def refund(request: Request) -> Response:
    """Give back the budget of a release that was stopped before its noise was drawn."""
    form = Form.of(request)
    release = form.text("release", 600)

    def decide(ledger: Ledger) -> None:
        entry = ledger.entry(release)
        if entry is None or entry.state != "refunded":
            ledger.refund(release, reason=form.text("reason"))

    return _decided(request, form, decide)


def same_data(request: Request) -> Response:
    """Say that two names stand for the same data: their budgets add up."""
    form = Form.of(request)

    def decide(ledger: Ledger) -> None:
        name = name_at(form.text("dataset", 1_000), ledger.datasets())
        other = name_at(form.text("other", 1_000), ledger.datasets())
        if other not in account(ledger, name).others:
            ledger.allow(name, other, form.text("reason"))

    return _decided(request, form, decide)


def _decided(request: Request, form: Form, decide: Callable[[Ledger], None]) -> Response:
    with project_of(request).ledger() as ledger:
        if ledger is None:
            raise LedgerError("there is no ledger yet: the first grant makes one")
        name = name_at(form.text("dataset", 1_000), ledger.datasets())
        try:
            with _deciding:
                decide(ledger)
        except Refused as refusal:
            return shown(request, ledger, name, typed={"fault": str(refusal)}, status=422)
    return to(f"/ledger/{address_of(name)}")


def _name(request: Request, ledger: Ledger | None) -> str:
    """The data set of the address: one that the ledger knows, or one whose columns are typed."""
    project, address = project_of(request), str(request.path_params["dataset"])
    for draft in project.datasets:
        if draft.slug == address:
            return draft.name
    return name_at(address, [] if ledger is None else ledger.datasets())


def _shown(
    request: Request,
    typed: Typed,
    *,
    filled: Typed | None = None,
    fault: str = "",
    status: int = 200,
) -> Response:
    form = Form.of(request)
    with project_of(request).ledger() as ledger:
        name = _name(request, ledger)
        known = ledger is not None and name in ledger.datasets()
        found = account(ledger, name) if ledger is not None and known else None
        return page(
            request,
            "grant.html",
            status=status,
            title="Grant a budget",
            name=name,
            address=request.path_params["dataset"],
            account=found,
            after=found.last if found else 0,
            made=ledger is not None,
            two_people=ledger is not None and ledger.two_people,
            ledger_name=project_of(request).ledger_path.name,
            back=form.text("back", 300),
            asking=_asking(request, form),
            typed=typed or filled or {},
            filled=bool(filled),
            fault=fault,
            read="Read for this page: the ledger. No record was read.",
        )


ROUTES = [
    Route("/d/{dataset}/grant", ask_grant),
    Route("/d/{dataset}/grant", grant, methods=["POST"]),
    Route("/ledger/approve", answer, methods=["POST"]),
    Route("/ledger/refund", refund, methods=["POST"]),
    Route("/ledger/same-data", same_data, methods=["POST"]),
]
