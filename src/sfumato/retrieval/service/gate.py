"""Who asks: a client with a token, or, where no client was ever named, an address.

The ledger says who the clients are; it is read at most once a second, so a client that is revoked
gets nothing more a second later, not even for a question that was on its way.
"""

import asyncio
import hmac
import time
from collections.abc import Sequence
from dataclasses import dataclass

from starlette.requests import Request

from sfumato.errors import LedgerError, SfumatoError
from sfumato.ledger.clients import Client
from sfumato.retrieval.bearer import token_digest
from sfumato.retrieval.desk import Desk, Refusal
from sfumato.retrieval.service.limits import Allowance, Limits, household

__all__ = ["Asker", "Gate"]

_FRESH = 1.0  # seconds
_LONGEST = 200  # characters of an Authorization header that are looked at
_UNKNOWN = Refusal(
    401,
    "token",
    "a token is needed (Authorization: Bearer …), of a client who is not revoked: the owner of "
    "the data gives one",
)


@dataclass(frozen=True, slots=True)
class Asker:
    """Who asks, and the name under which requests are counted."""

    client: str | None
    counted: str


class Gate:
    """Lets askers in, each at their rate."""

    def __init__(self, desk: Desk, limits: Limits, *, behind_proxy: bool) -> None:
        self._desk, self._limits, self._behind_proxy = desk, limits, behind_proxy
        self._requests = Allowance.a_second(limits.rate)
        self._answers = Allowance.an_hour(limits.answers_per_hour)
        self._clients: Sequence[Client] = ()
        self._failure: SfumatoError | None = None
        self._read_at, self._reading = float("-inf"), asyncio.Lock()

    async def clients(self) -> Sequence[Client]:
        """All that were ever named, as of a second ago at most."""
        async with self._reading:
            if time.monotonic() - self._read_at >= _FRESH:
                self._failure = None
                try:
                    self._clients = await asyncio.to_thread(self._desk.clients)
                except SfumatoError as error:  # remembered, or a queue would try one by one
                    self._failure = error
                self._read_at = time.monotonic()
            if self._failure is not None:
                raise LedgerError(str(self._failure))
            return self._clients

    async def enter(self, request: Request) -> tuple[Asker, Refusal | None]:
        """Who this is, and a refusal if they are unknown or too fast."""
        clients = await self.clients()
        asker = Asker(None, f"address {self._address(request)}")
        if clients:
            name = _named(clients, request.headers.get("authorization", ""))
            if name is not None:
                asker = Asker(name, f"client {name}")
        if wait := self._requests.wait(asker.counted):
            return asker, Refusal(
                429,
                "rate",
                f"at most {self._limits.rate:g} requests a second: wait {wait:.1f} s",
                wait,
            )
        return asker, _UNKNOWN if clients and asker.client is None else None

    async def gone(self, request: Request, asker: Asker) -> Refusal | None:
        """A refusal, if the token was taken away while the question arrived."""
        clients = await self.clients()
        name = _named(clients, request.headers.get("authorization", ""))
        return _UNKNOWN if clients and (name is None or name != asker.client) else None

    def one_answer(self, asker: Asker) -> Refusal | None:
        """Count a new answer before it is given; see `not_given`."""
        if wait := self._answers.wait(asker.counted):
            return Refusal(
                429,
                "answers",
                f"at most {self._limits.answers_per_hour:,} new answers an hour: wait {wait:.0f} s",
                wait,
            )
        return None

    def not_given(self, asker: Asker) -> None:
        """The answer was not a new one."""
        self._answers.give_back(asker.counted)

    def _address(self, request: Request) -> str:
        """As the connection says, or as the proxy does that alone can connect."""
        if self._behind_proxy:
            named = request.headers.getlist("x-forwarded-for")
            return household(named[-1].rpartition(",")[2].strip()) if named else ""
        return household(request.client.host) if request.client is not None else ""


def _named(clients: Sequence[Client], header: str) -> str | None:
    """The client whose token this is; all are compared, each in constant time."""
    kind, _, token = header[:_LONGEST].partition(" ")
    if kind.lower() != "bearer":
        return None
    digest, found = token_digest(token.strip()), None
    for client in clients:
        if client.token is not None and hmac.compare_digest(client.token, digest):
            found = client.name
    return found
