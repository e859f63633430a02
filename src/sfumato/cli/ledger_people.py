"""`sfumato ledger request` and its like: budgets that one person asks for and another approves."""

from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli.ledger_options import Dataset, File, Reason, Until
from sfumato.cli.screen import say
from sfumato.cli.whole_number import integer

if TYPE_CHECKING:
    from sfumato.ledger import Ledger
    from sfumato.ledger.granting import Request

__all__ = ["approve", "asked_for", "create_dataset", "decline", "left_of", "request", "requests"]

Number = Annotated[int, typer.Argument(parser=integer, help="The number of the request.")]


def create_dataset(dataset: Dataset, ledger: File, reason: Reason) -> None:
    """Open an account without a budget, also under a name much like another.

    Example: sfumato ledger create-dataset survey27 --reason "next year's" --ledger budget.db
    """
    from sfumato.ledger import Ledger

    with Ledger(ledger) as opened:
        opened.create_dataset(dataset, reason=reason)
        decide = "request" if opened.two_people else "grant"
    say(f"{dataset} has an account; next: sfumato ledger {decide} {dataset} --epsilon … --reason …")


def request(
    dataset: Dataset,
    ledger: File,
    reason: Reason,
    epsilon: Annotated[str | None, typer.Option(help="Epsilon to ask for.")] = None,
    delta: Annotated[str | None, typer.Option(help="Delta to ask for.")] = None,
    rho: Annotated[str | None, typer.Option(help="Rho (zCDP), in place of both.")] = None,
    heuristic: Annotated[
        bool, typer.Option("--heuristic", help="Also releases without a guarantee.")
    ] = False,
    until: Until = None,
) -> None:
    """Ask for a budget, which another person approves.

    Example: sfumato ledger request adult --epsilon 1 --reason "second wave" --ledger budget.db
    """
    from sfumato.ledger import Ledger

    with Ledger(ledger) as opened:
        number = opened.request(
            dataset,
            epsilon=epsilon,
            delta=delta,
            rho=rho,
            reason=reason,
            heuristic=heuristic,
            until=until,
        )
    say(f"request {number} is recorded; another person: sfumato ledger approve {number} --reason …")


def requests(ledger: File) -> None:
    """List what was asked for and has no answer.

    Example: sfumato ledger requests --ledger budget.db
    """
    from sfumato.ledger import Ledger

    with Ledger(ledger) as opened:
        waiting = opened.requests()
    for asked in waiting:
        say(asked_for(asked))
    if not waiting:
        say("nothing is asked for")


def approve(number: Number, ledger: File, reason: Reason) -> None:
    """Grant what another person asked for.

    Example: sfumato ledger approve 12 --reason "data board, 4 May" --ledger budget.db
    """
    from sfumato.ledger import Ledger

    with Ledger(ledger) as opened:
        asked = next((one for one in opened.requests() if one.number == number), None)
        opened.approve(number, reason=reason)
        if asked is not None:
            say(left_of(opened, asked.dataset))


def decline(number: Number, ledger: File, reason: Reason) -> None:
    """Answer a request with no; whoever made it takes it back so.

    Example: sfumato ledger decline 12 --reason "asked for twice" --ledger budget.db
    """
    from sfumato.ledger import Ledger

    with Ledger(ledger) as opened:
        opened.decline(number, reason=reason)
    say(f"request {number} is declined")


def asked_for(asked: "Request") -> str:
    """A request in one line."""
    from sfumato.ledger.history import said

    until = "" if asked.until is None else f" until {asked.until}"
    also = ", releases without a guarantee" * asked.heuristic
    return (
        f"request {asked.number}: {asked.who} asks for {asked.amount}{also} for {asked.dataset}"
        f"{until}, {said(asked.clock)} UTC ({asked.reason}): sfumato ledger approve {asked.number} "
        "--reason …"
    )


def left_of(opened: "Ledger", dataset: str) -> str:
    """What a decision leaves a data set, and until when."""
    period = opened.period(dataset)
    until = "" if period is None else f", until {period.until}"
    return f"{dataset} has {opened.balance(dataset).left} left{until}"
