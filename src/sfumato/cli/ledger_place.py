"""`sfumato ledger move` and `new-key`: where a ledger and its key lie."""

from typing import Annotated

import typer

from sfumato.cli.ledger_options import File, Reason
from sfumato.cli.screen import say

__all__ = ["move", "new_key"]


def move(
    ledger: File,
    to: Annotated[
        str, typer.Option("--to", help="A new file, or postgresql://user@host/database.")
    ],
) -> None:
    """Close a ledger where it is and go on at another place, with the whole history.

    Example: sfumato ledger move --ledger budget.db --to postgresql://dba@host/registry
    """
    from sfumato.ledger import Ledger

    with Ledger(ledger) as opened:
        opened.move(to)
        name = opened.name
    with Ledger(to) as there:
        say(f"{name} is closed; it goes on at {there.name}, head {there.head}")
        say(f"its fingerprint key, which publishing needs: {there.key_place}")


def new_key(ledger: File, reason: Reason) -> None:
    """Replace a fingerprint key that was lost: data drawn before is not known again.

    Example: sfumato ledger new-key --reason "the old disk died" --ledger budget.db
    """
    from sfumato.ledger import Ledger

    with Ledger(ledger) as opened:
        opened.new_key(reason=reason)
        say(f"the new key is in {opened.key_place}: keep it apart from copies of the ledger")
