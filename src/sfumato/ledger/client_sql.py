"""What the lines say of clients: who there are, and what each has used."""

from sfumato.ledger.amount import NOTHING, plus
from sfumato.ledger.backend import Connection
from sfumato.ledger.chain import LedgerLine, accounts_within
from sfumato.ledger.sql import EVER, checked
from sfumato.privacy.budget import Charge

__all__ = ["clients_of", "uses_of"]


def clients_of(connection: Connection, dataset: str) -> dict[str, LedgerLine]:
    """The newest word on each client of a data set, by account."""
    query = "SELECT * FROM event WHERE kind = 'client' AND dataset > ? AND dataset < ?"
    found: dict[str, LedgerLine] = {}
    for line in checked(connection.execute(query + " ORDER BY sequence", accounts_within(dataset))):
        found[line.dataset] = line
    return found


def uses_of(connection: Connection, release: str, until: int = EVER) -> dict[str, Charge]:
    """What each client has used of a release and not got back, by account."""
    query = (
        "SELECT * FROM event WHERE other = ? AND kind IN ('use', 'return') AND sequence + 0 <= ?"
    )
    found: dict[str, Charge] = {}
    lines = checked(connection.execute(query, (release, until)))
    for line in sorted(lines, key=lambda line: line.sequence):
        before = found.get(line.dataset, NOTHING)
        found[line.dataset] = plus(before, line.amount) if line.kind == "use" else NOTHING
    return {account: used for account, used in found.items() if used != NOTHING}
