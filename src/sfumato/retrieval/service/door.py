"""Who is connected, and who has to go when there is no more room.

A connection that has not sent a whole request is worth less than one that has, and of these the
oldest goes first: an honest head arrives within milliseconds, so whoever keeps the service
waiting makes room for whoever does not.
"""

from collections.abc import Callable, Iterable
from typing import Literal, Protocol

from sfumato.retrieval.service.limits import Limits

__all__ = ["Door", "Stage", "Visitor"]

Stage = Literal["head", "body", "reply", "idle", "stuck", "leaving"]


class Visitor(Protocol):
    """A connection, as the door sees it."""

    address: str

    @property
    def stage(self) -> Stage:
        """How far its request has come."""

    def drop(self, refusal: str) -> None:
        """End it at once."""


class Door:
    """Counts connections, in all and for each address."""

    def __init__(
        self,
        limits: Limits,
        *,
        by_address: bool,
        note: Callable[[str], None],
        malformed: Callable[[], None] = lambda: None,
    ) -> None:
        self.limits, self.note, self.malformed = limits, note, malformed
        self._by_address = by_address
        self._visitors: dict[Visitor, None] = {}  # in the order in which they came

    def __len__(self) -> int:
        return len(self._visitors)

    def admit(self, visitor: Visitor) -> bool:
        """Let it in, if need be in place of another; False if all others have sent a request."""
        if self._by_address and visitor.address:
            alike = [other for other in self._visitors if other.address == visitor.address]
            if len(alike) >= self.limits.per_address and not self._drop_one(alike):
                self.note("connections of one address")
                return False
        if len(self._visitors) >= self.limits.connections and not self._drop_one(self._visitors):
            self.note("connections")
            return False
        self._visitors[visitor] = None
        return True

    def leave(self, visitor: Visitor) -> None:
        """It is gone."""
        self._visitors.pop(visitor, None)

    def close(self) -> None:
        """Nobody who keeps the service waiting is waited for any longer."""
        for visitor in list(self._visitors):
            if visitor.stage != "reply":
                visitor.drop("stopping")

    def _drop_one(self, among: Iterable[Visitor]) -> bool:
        """End the oldest that keeps the service waiting, and so does most for least."""
        for stages in (("leaving",), ("head", "body"), ("idle",), ("stuck",)):
            for visitor in among:
                if visitor.stage in stages:
                    self.leave(visitor)
                    visitor.drop("no room")
                    return True
        return False
