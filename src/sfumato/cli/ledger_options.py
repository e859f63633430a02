"""What the commands on a ledger are told in the same words."""

from typing import Annotated

import typer

__all__ = ["LEDGER", "Dataset", "File", "Reason", "Until"]

LEDGER = typer.Option(
    "--ledger",
    envvar="SFUMATO_LEDGER",
    help="The ledger: a file, or postgresql://user@host/database.",
    metavar="LEDGER",
)
File = Annotated[str, LEDGER]
Dataset = Annotated[str, typer.Argument(help="The data set, as its schema names it.")]
Reason = Annotated[str, typer.Option("--reason", help="Why, for whoever reads the ledger later.")]
Until = Annotated[
    str | None,
    typer.Option(help="Last day of the period that the budget is for, as in 2026-12-31 (UTC)."),
]
