"""What is about to happen, before it does: from public facts and the ledger, and no record.

The same plan is made as when it is published, so what is refused for public reasons is refused
here, before anybody has typed a name.
"""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sfumato.errors import BudgetError
from sfumato.ledger import Balance, Ledger
from sfumato.ledger.amount import covers, minus
from sfumato.ledger.history import Act, act_of
from sfumato.ledger.rules import affordable, one_promise, priced
from sfumato.plan import Plan
from sfumato.plan.terms import ReleaseTerms
from sfumato.publishing.table import price
from sfumato.publishing.transaction import check_promise
from sfumato.schema import Schema
from sfumato.studio.asked import Asked
from sfumato.studio.choice import Choice
from sfumato.studio.draft import Draft
from sfumato.studio.job_folder import JobFolder
from sfumato.studio.misfit import CHOICES, UNCHECKED, flags, hidden, options
from sfumato.studio.project import Project
from sfumato.studio.said_promise import SaidPromise

__all__ = ["Funds", "Review", "reviewed"]


@dataclass(frozen=True, slots=True)
class Funds:
    """What the ledger has to say to a charge; `refusal` is empty where it would agree."""

    left: str = ""
    after: str = ""
    looks: int = 0
    releases: int = 0
    signed: Act | None = None  # the last grant
    refusal: str = ""
    grantable: bool = False  # whether a grant would do away with it
    command: str = ""  # that would grant it


@dataclass(frozen=True, slots=True)
class Review:
    """All that the page says."""

    asked: Asked
    columns: int
    figure: str  # ε = 1
    promise: str  # in odds, with the chance that it fails
    cost: str
    published: tuple[str, ...]  # as it is
    caveats: tuple[str, ...]
    doubt: str
    misfit: str  # what happens where too many records do not fit
    command: str
    funds: Funds


def reviewed(project: Project, draft: Draft, choice: Choice) -> Review:
    """The review of what was typed, under the id that its release will have."""
    text = project.schema_text(draft.slug)
    schema = Schema.parse(text)
    plan = price(
        schema,
        method=choice.method,
        epsilon=choice.epsilon,
        delta=choice.delta,
        rho=choice.rho,
        **choice.options,
        **options(choice.misfit),
    )
    terms = plan.terms
    check_promise(terms, accepted=False)
    promise = SaidPromise.of(plan)
    asked = JobFolder(project.folder).planned(
        Asked(
            job="",
            kind="publish",
            dataset=draft.slug,
            name=terms.dataset,
            file=draft.file,
            schema=text,
            method=choice.method,
            epsilon=choice.epsilon,
            delta=choice.delta,
            rho=choice.rho,
            rows=choice.rows,
            options=choice.options,
            misfit=choice.misfit,
        )
    )
    return Review(
        asked=asked,
        columns=sum(column.kind != "id" for column in schema.columns.values()),
        figure=promise.figures.figure if promise.figures else str(terms.guarantee),
        promise=promise.sentence,
        cost=str(priced(terms.guarantee)),
        published=(*terms.invariants, "the names of all columns, their ranges and their lists"),
        caveats=terms.caveats,
        doubt=_doubt(plan, choice),
        misfit=_misfit(plan, choice),
        command=command(project, asked),
        funds=_funds(project, terms, asked.job),
    )


def _misfit(plan: Plan, choice: Choice) -> str:
    """What happens where too many records do not fit, as far as noise lets it be seen."""
    if plan.fit is None and choice.misfit != UNCHECKED:
        return ""
    seen = "" if choice.records is None else hidden(plan, choice.records)
    return f"{CHOICES[choice.misfit]} {seen}".strip()


def _doubt(plan: Plan, choice: Choice) -> str:
    """Why the release is expected to be hardly better than guessing, as far as is known here."""
    if plan.sized is not None and choice.records is not None:
        plan = plan.sized(choice.records)
    return plan.terms.doubt or ""


def command(project: Project, asked: Asked) -> str:
    """What does the same in a terminal, in the folder of the project; under the same id."""
    schema = project.schema_path(asked.dataset).relative_to(project.folder).as_posix()
    words = ["sfumato", "publish", f"data/{asked.file}", "--schema", schema]
    stated: Mapping[str, Any] = {
        "method": asked.method,
        "epsilon": asked.epsilon,
        "delta": asked.delta,
        "rho": asked.rho,
        "rows": asked.rows,
        "ledger": project.ledger_path.name,
        "release": asked.job,
        "output": f"releases/{asked.job}",
    }
    for name, value in stated.items():
        words += [] if value is None else [f"--{name}", str(value)]
    for name, value in asked.options.items():
        words += ["--option", f"{name}={value}"]
    words += flags(asked.misfit)
    return shlex.join(words)


def _funds(project: Project, terms: ReleaseTerms, job: str) -> Funds:
    """Whether the ledger would charge this now; another process may be quicker, and it will say."""
    name, cost = terms.dataset, priced(terms.guarantee)
    with project.ledger() as ledger:
        if ledger is None or name not in ledger.datasets():
            return Funds(refusal=f"nobody has granted a budget for {name} yet", grantable=True)
        balance = ledger.balance(name)
        left = balance.left.spelled(like=cost)
        refusal, grantable, command = _refused(ledger, balance, terms, job)
        after = ""
        if covers(balance.left, cost):
            after = minus(balance.left, cost).spelled(like=cost)
        looks = sum(ledger.inspections(name).values())
        signed = _signed(ledger, name)
        return Funds(left, after, looks, balance.releases, signed, refusal, grantable, command)


def _refused(
    ledger: Ledger, balance: Balance, terms: ReleaseTerms, job: str
) -> tuple[str, bool, str]:
    """What speaks against a charge, whether a grant would do away with it, and by which command."""
    name = terms.dataset
    try:
        one_promise(name, {name: balance}, terms.protects)
        affordable(job, name, balance, priced(terms.guarantee))
    except BudgetError as refusal:
        return refusal.said, bool(refusal.command), refusal.command
    over = _over(ledger, name)
    return over, bool(over), ""


def _over(ledger: Ledger, name: str) -> str:
    period = ledger.period(name)
    if period is None or not period.over:
        return ""
    return f"the budget of {name!r} was for the time until {period.until}, which is over"


def _signed(ledger: Ledger, name: str) -> Act | None:
    """Who granted the budget last, when and why."""
    grants = [line for line in ledger.history(name) if line.kind in ("grant", "approve")]
    return act_of(grants[-1]) if grants else None
