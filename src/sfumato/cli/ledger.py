"""`sfumato ledger`: make one, grant budgets, see what is left, check that nothing is missing."""

from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli import ledger_history, ledger_people, ledger_place, ledger_sign, ledger_verify
from sfumato.cli.ledger_options import Dataset, File, Reason, Until
from sfumato.cli.screen import Grid, say
from sfumato.cli.screen import show as show_table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sfumato.ledger import Entry, Ledger
    from sfumato.ledger.table_part import TablePart
    from sfumato.privacy.budget import Charge

__all__ = ["app"]

app = typer.Typer(
    name="ledger",
    help="Keep the privacy budget of each data set.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
    epilog="Example: sfumato ledger create --ledger budget.db",
)
app.command("create-dataset")(ledger_people.create_dataset)
app.command("request")(ledger_people.request)
app.command("requests")(ledger_people.requests)
app.command("approve")(ledger_people.approve)
app.command("decline")(ledger_people.decline)
app.command(
    "verify",
    epilog="Examples: sfumato ledger verify --ledger budget.db --head 3f1a… · sfumato ledger "
    "verify --export audit.jsonl",
)(ledger_verify.verify)
app.command(
    "sign", epilog="Example: sfumato ledger sign --ledger budget.db --key owner.key -o head.json"
)(ledger_sign.sign)
app.command("log")(ledger_history.log)
app.command("export")(ledger_history.export)
app.command("move")(ledger_place.move)
app.command("new-key")(ledger_place.new_key)


@app.command(
    epilog="Examples: sfumato ledger create --ledger budget.db · sfumato ledger create --ledger "
    "postgresql://dba@host/registry --two-people"
)
def create(
    ledger: File,
    two_people: Annotated[
        bool, typer.Option("--two-people", help="A grant needs one who asks and one who approves.")
    ] = False,
) -> None:
    """Create an empty ledger: a file that you alone can read, or a schema in PostgreSQL."""
    from sfumato.ledger import Ledger

    with Ledger.create(ledger, two_people=two_people) as made:
        say(f"{made.name} is created; keep its head elsewhere: {made.head}")
        say(f"its fingerprint key, which publishing needs: {made.key_place}")
        if made.place.caution:
            say(f"warning: {made.place.caution}", style="yellow")
        if made.place.roles:
            owner, publisher, auditor = made.place.roles
            say(f"GRANT {owner}, {publisher} or {auditor} TO … lets others grant, spend, read")
    step = "request" if two_people else "grant"
    say(f"next: sfumato ledger {step} DATASET --epsilon … --reason …")


@app.command(
    epilog='Examples: sfumato ledger grant adult --epsilon 3 --reason "board, 4 May" --ledger '
    "budget.db · sfumato ledger grant adult --heuristic --reason …"
)
def grant(
    dataset: Dataset,
    ledger: File,
    reason: Reason,
    epsilon: Annotated[str | None, typer.Option(help="Epsilon to add.")] = None,
    delta: Annotated[
        str | None, typer.Option(help="Delta to add, with epsilon or to what was granted before.")
    ] = None,
    rho: Annotated[str | None, typer.Option(help="Rho (zCDP) to add, in place of both.")] = None,
    heuristic: Annotated[
        bool, typer.Option("--heuristic", help="Also allow releases without a guarantee.")
    ] = False,
    until: Until = None,
) -> None:
    """Add to the budget of a data set; the decision is recorded."""
    from sfumato.ledger import Ledger

    with Ledger(ledger) as opened:
        opened.grant(
            dataset,
            epsilon=epsilon,
            delta=delta,
            rho=rho,
            reason=reason,
            heuristic=heuristic,
            until=until,
        )
        say(ledger_people.left_of(opened, dataset))


@app.command(epilog="Example: sfumato ledger show --ledger budget.db --dataset adult")
def show(
    ledger: File,
    dataset: Annotated[str | None, typer.Option(help="Only this data set.")] = None,
) -> None:
    """Show budgets granted, spent and left, by part where parts were released, and what is open."""
    from sfumato.ledger import Ledger

    with Ledger(ledger) as opened:
        if opened.gone_to is not None:
            say(f"this ledger was moved to {opened.gone_to}: it can be read here, and used there")
        names = opened.datasets() if dataset is None else [dataset]
        if not names:
            say("no budget yet: sfumato ledger grant DATASET --epsilon … --reason …")
            return
        show_table(_table(opened, names))
        for name in names:
            if parts := opened.parts(name):
                show_table(_parts(opened, name, parts))
            if period := opened.period(name):
                over = " and is over: nothing can be charged to it until the next grant"
                say(f"{name}: its budget is for the time until {period.until}{over * period.over}")
            if others := opened.joined(name):
                say(
                    f"{name}: the same data as {', '.join(others)}, so its people bear what all of "
                    "these spend: add the budgets up"
                )
            if protects := opened.balance(name).protects:
                say(f"{name}: its budget protects {protects}")
            if unproved := opened.balance(name).unproved:
                say(f"{name}: {unproved} of its releases carry no guarantee")
            for release, times in opened.inspections(name).items():
                subject = "its records, without a release," if release is None else release
                say(f"{name}: {subject} looked at without noise {_times(times)}")
            for client in opened.clients(name):
                revoked = " (revoked)" * (client.token is None)
                left = client.left.spelled(like=client.granted)
                say(f"{name}: client {client.name}{revoked} used {client.spent}, {left} left")
        for asked in opened.requests():
            if dataset in (None, asked.dataset):
                say(ledger_people.asked_for(asked))
        for entry in opened.unfinished(dataset):
            say(_advice(entry))


@app.command(
    epilog='Example: sfumato ledger refund adult-7 --reason "interrupted" --ledger budget.db'
)
def refund(
    release: Annotated[str, typer.Argument(help="A release that has drawn no noise.")],
    ledger: File,
    reason: Reason,
) -> None:
    """Refund what an interrupted release had reserved; refused once noise was drawn."""
    from sfumato.ledger import Ledger

    with Ledger(ledger) as opened:
        opened.refund(release, reason=reason)
        entry = opened.entry(release)
        if entry is not None:
            say(f"{entry.dataset} got {entry.charge} back")


@app.command(
    epilog='Example: sfumato ledger protects adult "one record (row) of the table; replace-one" '
    '--reason "all releases so far were of this table" --ledger budget.db'
)
def protects(
    dataset: Dataset,
    promise: Annotated[
        str, typer.Argument(help="Unit and neighbours, as the error message states them.")
    ],
    ledger: File,
    reason: Reason,
) -> None:
    """Record what the charges of a data set protect, where an older Sfumato did not."""
    from sfumato.ledger import Ledger

    with Ledger(ledger) as opened:
        opened.protects(dataset, promise, reason=reason)
    say(f"the budget of {dataset} protects {promise}, from its first charge on")


@app.command(
    "same-data",
    epilog='Example: sfumato ledger same-data adult adult-2026 --reason "one table, two projects" '
    "--ledger budget.db",
)
def same_data(
    dataset: Dataset,
    other: Annotated[str, typer.Argument(help="The other name of the same data.")],
    ledger: File,
    reason: Reason,
) -> None:
    """Record that two names stand for the same data: their budgets add up."""
    from sfumato.ledger import Ledger

    with Ledger(ledger) as opened:
        opened.allow(dataset, other, reason)
    say(f"{dataset} and {other} are the same data from here on: add their budgets up")


def _table(opened: "Ledger", names: list[str]) -> Grid:
    from sfumato.ledger.balance_table import HEADINGS, balance_rows

    table = Grid(*HEADINGS, title=f"ledger {opened.ledger_id}")
    for row in balance_rows(opened, names):
        table.line(*row)
    return table


def _parts(opened: "Ledger", name: str, parts: "Mapping[TablePart, Charge]") -> Grid:
    """What a record of each part has borne, with what was spent on the whole table."""
    table = Grid("part", "spent", "left", title=f"{name}: records of a part bear at most")
    balance = opened.balance(name)
    for part, spent in parts.items():
        table.line(part.name, str(spent), balance.left_for(part).spelled(like=balance.granted))
    return table


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _advice(entry: "Entry") -> str:
    from shlex import quote

    if entry.release.startswith("choice-") and entry.state == "drawn":
        fate = (
            "it is a private choice that is still running, or was interrupted: its noise was drawn "
            "and the charge stays; if nothing runs, choose again, which is charged again"
        )
    elif entry.release.startswith("choice-"):
        remedy = f"sfumato ledger refund {quote(entry.release)} --reason …"
        fate = (
            "it is a private choice that is still running, or was interrupted before it drew "
            f"anything; if nothing runs, {remedy}"
        )
    elif entry.state == "reserved" and entry.part is not None:
        fate = (
            "it is a later part of a series and drew nothing yet: it is still running, or "
            "was interrupted; if nothing runs, resume from the same state once more"
        )
    elif entry.state == "reserved":
        remedy = f"sfumato ledger refund {quote(entry.release)} --reason …"
        fate = (
            "nothing was drawn yet: it is still running, or was interrupted; if nothing runs, "
            f"publish again with --release {quote(entry.release)} (of several parties: run sfumato "
            f"party contribute again), or {remedy}"
        )
    else:
        fate = (
            "its noise was drawn and the charge stays: if its folder is there, publish again "
            f"with --release {quote(entry.release)} to settle it. Of several parties: run sfumato "
            "party contribute with the same state, in the round that is on"
        )
    return f"release {entry.release} of {entry.dataset} is {entry.state}; {fate}"
