"""Clients of a service: each may use so much of the budget of a data set, and no more.

A client's part is a quota and no budget: what all of them use together is charged to the data set
as ever, so it does not matter whether they work together.  What is refunded to the data set goes
back to the clients who used it.  Of a client's token the ledger holds a
hash alone.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

from sfumato.errors import BudgetError, ParameterError
from sfumato.ledger.amount import covers, plus
from sfumato.ledger.backend import Connection
from sfumato.ledger.chain import Balance, account_of, client_of
from sfumato.ledger.client_sql import clients_of, uses_of
from sfumato.ledger.grant import grantable, granted_budget
from sfumato.ledger.granting import Granting
from sfumato.ledger.rules import line_text, priced, unknown
from sfumato.ledger.sql import append, balance_of, granted_datasets
from sfumato.privacy.budget import Charge
from sfumato.privacy.guarantee import Guarantee, Number

__all__ = ["Client", "Clients", "give_back", "use"]


@dataclass(frozen=True, slots=True)
class Client:
    """What a client may use of a data set, and has used."""

    name: str
    token: str | None  # SHA-256 in hexadecimal; None once it was revoked
    granted: Charge
    spent: Charge

    @property
    def left(self) -> Charge:
        """What it may still use."""
        return Balance(self.granted, self.spent).left


class Clients(Granting):
    """An open ledger that knows the clients of each data set."""

    def add_client(
        self, dataset: str, client: str, *, token: str, epsilon: Number, reason: str
    ) -> None:
        """Let a client use so much of the budget; again, it adds to that and replaces the token."""
        line_text(dataset=dataset, client=client, reason=reason)
        if not re.fullmatch("[0-9a-f]{64}", token):
            raise ParameterError("token must be the SHA-256 of a client's token, in hexadecimal")
        said = granted_budget(None, False, epsilon=epsilon, delta=None, rho=None)
        with self._writing() as connection:
            if balance_of(connection, dataset) is None:
                raise unknown(dataset, granted_datasets(connection))
            account = account_of(dataset, client)
            before = balance_of(connection, account) or Balance()
            amount = grantable(said, heuristic=False, balance=before)
            append(connection, "client", account, {"token": token, "reason": reason}, amount=amount)

    def revoke_client(self, dataset: str, client: str, *, reason: str) -> None:
        """Take a client's token away; what it used stays used."""
        line_text(dataset=dataset, client=client, reason=reason)
        with self._writing() as connection:
            account = account_of(dataset, client)
            if balance_of(connection, account) is None:
                raise _stranger(dataset, client)
            append(connection, "client", account, {"token": None, "reason": reason})

    def clients(self, dataset: str) -> list[Client]:
        """The clients of a data set, by name."""
        with self._session() as connection:
            found = []
            for account, line in sorted(clients_of(connection, dataset).items()):
                balance = balance_of(connection, account) or Balance()
                name, token = (client_of(account) or ("", ""))[1], json.loads(line.detail)["token"]
                found.append(Client(name, token, balance.granted, balance.spent))
        return found


def use(
    connection: Connection, dataset: str, release: str, uses: Mapping[str, Guarantee], whole: Charge
) -> None:
    """Charge each client for its share of a release that is being charged."""
    shares = {client: priced(guarantee) for client, guarantee in uses.items()}
    together = Charge()
    for share in shares.values():
        together = plus(together, share)
    if not covers(whole, together):
        raise ParameterError("uses: the clients use more together than the release is charged")
    for client, share in shares.items():
        account = account_of(dataset, client)
        balance = balance_of(connection, account)
        if balance is None:
            raise _stranger(dataset, client)
        if not covers(balance.left, share):
            raise BudgetError(
                f"client {client!r} of data set {dataset!r} has {balance.left.spelled(like=share)}"
                f" left and asks for {share}: its owner may add to it with sfumato query client add"
            )
        append(connection, "use", account, {}, amount=share, other=release)


def give_back(connection: Connection, release: str) -> None:
    """Give each client back what it used of a release that is being refunded."""
    for account, used in sorted(uses_of(connection, release).items()):
        append(connection, "return", account, {}, amount=used, other=release)


def _stranger(dataset: str, client: str) -> BudgetError:
    return BudgetError(
        f"data set {dataset!r} has no client {client!r}: add it with sfumato query client add"
    )
