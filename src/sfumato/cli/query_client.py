"""`sfumato query client`: who may ask a service, and for how much."""

import re
from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli.screen import Grid, say, show

__all__ = ["app"]

app = typer.Typer(
    no_args_is_help=True,
    help="Clients of a service: each has a token, and a part of the budget that it may use.",
    epilog="Example: sfumato query client add anna --ledger budget.db --dataset words "
    "--epsilon 0.5",
)

LedgerFile = Annotated[
    str, typer.Option(envvar="SFUMATO_LEDGER", help="Ledger of the service.", metavar="FILE")
]
Dataset = Annotated[str, typer.Option(help="Name of the data set in the ledger.")]
Client = Annotated[str, typer.Argument(help="Name of the client: letters, digits, . _ @ -")]
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,63}")


@app.command("add")
def add(
    name: Client,
    ledger: LedgerFile,
    dataset: Dataset,
    epsilon: Annotated[str, typer.Option(help="Part of the budget that the client may use.")],
    reason: Annotated[
        str, typer.Option(help="Why, for whoever reads the ledger later.")
    ] = "asks the query service",
    token_file: Annotated[
        Path | None,
        typer.Option(help="New file for the token, readable by you alone; default: the screen."),
    ] = None,
) -> None:
    """Name a client, and print its token, once; for one that is named, add budget, renew the token.

    Example: sfumato query client add anna --ledger budget.db --dataset words --epsilon 0.5
    """
    from sfumato.errors import ParameterError
    from sfumato.ledger import Ledger
    from sfumato.retrieval.bearer import new_token, token_digest, write_token

    if not _NAME.fullmatch(name):
        raise ParameterError(
            "NAME must be 1 to 64 letters, digits, . _ @ or -, and begin with a letter or digit"
        )
    token = new_token()
    with Ledger(ledger) as opened:
        if token_file is not None:
            write_token(token_file, token)  # first: what the ledger names must be in a hand
        try:
            opened.add_client(
                dataset, name, token=token_digest(token), epsilon=epsilon, reason=reason
            )
        except BaseException:
            if token_file is not None:
                token_file.unlink()
            raise
        [client] = [client for client in opened.clients(dataset) if client.name == name]
        left = opened.balance(dataset).left
    mine = client.left.spelled(like=client.granted)
    say(f"{name} may use {mine} of {dataset}, which has {left} left", err=True)
    if token_file is None:
        say("its token, which is not shown again and kept nowhere:", err=True)
        say(token)
    else:
        say(f"its token is in {token_file}, and kept nowhere else", err=True)


@app.command("list")
def list_clients(ledger: LedgerFile, dataset: Dataset) -> None:
    """Show the clients of a data set: what each may use, has used, and has left.

    Example: sfumato query client list --ledger budget.db --dataset words
    """
    from sfumato.ledger import Ledger

    with Ledger(ledger) as opened:
        opened.balance(dataset)  # refused where nobody ever granted anything
        clients = opened.clients(dataset)
    if not clients:
        say(f"{dataset} has no clients: sfumato query client add NAME … names one")
        return
    table = Grid("client", "may use", "used", "left", "token")
    for client in clients:
        token = "revoked" if client.token is None else "active"
        amounts = (client.granted, client.spent, client.left)
        shown = (amount.spelled(like=client.granted) for amount in amounts)
        table.line(client.name, *shown, token)
    show(table)


@app.command("revoke")
def revoke(
    name: Client,
    ledger: LedgerFile,
    dataset: Dataset,
    reason: Annotated[str, typer.Option(help="Why, for whoever reads the ledger later.")],
) -> None:
    """Take a client's token away; a running service refuses it a second later.

    Example: sfumato query client revoke anna --reason "left" --ledger budget.db --dataset words
    """
    from sfumato.ledger import Ledger

    with Ledger(ledger) as opened:
        opened.revoke_client(dataset, name, reason=reason)
    say(f"{name} has no token for {dataset} any more; `sfumato query client add` makes another")
