"""Where every data set of a ledger stands: rows of texts, and a table for notebooks."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from sfumato.errors import LedgerError
from sfumato.untrusted.fact_table import fact_table

if TYPE_CHECKING:
    from sfumato.ledger.ledger import Ledger

__all__ = ["HEADINGS", "balance_rows", "balance_table"]

HEADINGS = ("data set", "granted", "spent", "left", "releases", "looks", "unfinished")


def balance_rows(ledger: "Ledger", names: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """A row for each of these data sets, under `HEADINGS`."""
    for name in names:
        balance, unfinished = ledger.balance(name), ledger.unfinished(name)
        granted = str(balance.granted) + ", heuristics" * balance.heuristic
        figures = (granted, str(balance.spent), balance.left.spelled(like=balance.granted))
        looked = sum(ledger.inspections(name).values())
        # What stopped published nothing, but was charged.
        stopped = len(ledger.stopped(name))
        made = f"{balance.releases - stopped}" + f", {stopped} stopped" * bool(stopped)
        yield name, *figures, made, str(looked), str(len(unfinished))


def balance_table(ledger: "Ledger", path: str) -> str:
    """All data sets; of a ledger that cannot be asked, why not."""
    try:
        rows = list(balance_rows(ledger, ledger.datasets()))
    except LedgerError as error:
        return fact_table(f"Ledger {path}", [], note=str(error))
    if not rows:
        return fact_table(f"Ledger {path}", [], note="No budget was granted yet.")
    return fact_table(f"Ledger {path}", rows, headings=HEADINGS)
