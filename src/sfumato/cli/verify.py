"""`sfumato verify`: is this folder what it says it is?"""

from pathlib import Path
from typing import Annotated

import typer

__all__ = ["verify"]


def verify(
    folder: Annotated[Path, typer.Argument(help="A release folder.")],
    ledger: Annotated[
        Path | None, typer.Option(envvar="SFUMATO_LEDGER", help="The ledger it was charged to.")
    ] = None,
) -> None:
    """Check files, plan, data and, with a ledger, the charge; needs no original data.

    Example: sfumato verify release/ --ledger budget.db
    """
    from rich.table import Table

    from sfumato.cli.show import console
    from sfumato.privacy.ledger import Ledger
    from sfumato.verification import verify as run

    account = Ledger(ledger) if ledger is not None else None
    checks = run(folder, ledger=account)
    table = Table("check", "", "finding")
    for check in checks:
        mark = "[green]passed[/green]" if check.passed else "[red]FAILED[/red]"
        table.add_row(check.name, mark, check.detail)
    console.print(table)
    if not all(check.passed for check in checks):
        raise typer.Exit(1)
