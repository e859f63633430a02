"""Answers that are paid for and not yet given: a block of them for each client.

A release of the ledger pays for what is wanted now and, while questions come fast, for some
answers ahead: for each client twice as many as last time if those were used up within a second,
else half.  What a client gets comes only from what was charged to that client.  What is bought
ahead and not used is lost at a stop or a crash, because a draw cannot be refunded; so it is never
more than a hundredth of what is left, of the data set and of the client, and nothing at all below
a hundred answers.
"""

import secrets
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from math import inf
from typing import NamedTuple

from sfumato.errors import BudgetError
from sfumato.ledger import Ledger
from sfumato.plan.terms import protection
from sfumato.privacy.budget import Charge, charge
from sfumato.privacy.guarantee import PureDP
from sfumato.retrieval.count_plan import COUNT_UNIT
from sfumato.retrieval.mutual import Answering

__all__ = ["Paid", "Stock"]

_UNIT = 10**6  # micro-epsilon
_SPARE = 100  # of so many answers that are left, one may be bought ahead
_FAST = 1.0  # seconds within which a block is used up in a crowd
_FIRST = 8  # answers bought ahead at first


class Paid(NamedTuple):
    """Answers that a release pays for, to one client or, where it is None, to nobody by name."""

    release: str
    client: str | None
    number: int


@dataclass(slots=True)
class _Block:
    """What one client has left of a release, and how fast it is used up."""

    release: str = ""
    left: int = 0
    ahead: int = 0
    bought_at: float = -inf

    def foreseen(self, now: float) -> int:
        """How many to buy at the next purchase, which is now."""
        fast = now - self.bought_at < _FAST
        self.ahead = max(_FIRST, 2 * self.ahead) if fast else self.ahead // 2
        self.bought_at = now
        return self.ahead


class Stock:
    """Buys answers of a ledger and hands them out; for one thread at a time."""

    def __init__(
        self, ledger: Ledger, dataset: str, answering: Answering, plan: str, mark: bytes | None
    ) -> None:
        self._ledger, self._dataset, self._answering = ledger, dataset, answering
        self._plan, self._mark = plan, mark
        self._blocks: dict[str | None, _Block] = {}
        self._unused: dict[str, int] = {}  # answers that each open release still pays for
        self._refused: str | None = None
        self.used_up: list[str] = []  # releases that can be settled

    def left(self, client: str | None = None) -> int:
        """How many answers can still be bought, for this client if one is named."""
        lefts = self._lefts([client])
        return min(lefts[None], lefts[client])

    def taken(self, wanted: Mapping[str | None, int]) -> list[Paid]:
        """Releases that pay for these answers, or for as many as can be afforded."""
        missing = Counter(wanted)
        paid = self._at_hand(missing)
        while missing and self._bought(missing):
            paid += self._at_hand(missing)
        return paid

    def close(self) -> None:
        """What was bought ahead is lost."""
        self.used_up += self._unused
        self._unused.clear()
        self._blocks.clear()

    def _at_hand(self, missing: Counter[str | None]) -> list[Paid]:
        """From the blocks there are; `missing` keeps what they do not hold."""
        paid = []
        for client, count in list(missing.items()):
            block = self._blocks.setdefault(client, _Block())
            taken = min(count, block.left)
            block.left -= taken
            missing[client] -= taken
            if taken:
                paid.append(Paid(block.release, client, taken))
                self._unused[block.release] -= taken
                if not self._unused[block.release]:
                    del self._unused[block.release]
                    self.used_up.append(block.release)
        for client in [client for client, count in missing.items() if count <= 0]:
            del missing[client]
        return paid

    def _bought(self, missing: Mapping[str | None, int]) -> bool:
        """Charge for new blocks, and record their draw; False if nothing can be afforded."""
        if self._refused is not None:
            raise BudgetError(self._refused)  # for good: asking again would only fill the ledger
        sizes = self._sizes(missing)
        made = self._charged(sizes) if sizes else []
        for release, some in made:
            self._drawn(release)
            self._unused[release] = sum(some.values())
            for client, size in some.items():
                block = self._blocks[client]
                block.release, block.left = release, size
        return bool(made)

    def _sizes(self, missing: Mapping[str | None, int]) -> dict[str | None, int]:
        """How many to buy for each: what is wanted, and some ahead while questions come fast."""
        now, lefts = time.monotonic(), self._lefts(missing)
        whole = lefts[None]
        spare = whole // _SPARE - sum(self._unused.values())
        sizes: dict[str | None, int] = {}
        for client, count in missing.items():
            ahead = min(self._blocks[client].foreseen(now), lefts[client] // _SPARE)
            more = max(0, min(ahead - count, spare))
            size = min(count + more, lefts[client], whole)
            spare, whole = spare - more, whole - size
            if size:
                sizes[client] = size
        return sizes

    def _charged(self, sizes: dict[str | None, int]) -> list[tuple[str, dict[str | None, int]]]:
        """One release for all; each client its own, if another process was faster somewhere."""
        try:
            return [(self._reserved(sizes), sizes)]
        except BudgetError:
            made = []
            for client, most in sizes.items():
                size = most if len(sizes) > 1 else most - 1
                while (size := min(size, self.left(client))) > 0:
                    with suppress(BudgetError):
                        made.append((self._reserved({client: size}), {client: size}))
                        break
                    size -= 1
            return made

    def _reserved(self, sizes: Mapping[str | None, int]) -> str:
        release, price = f"answers-{secrets.token_hex(8)}", self._answering.epsilon
        uses = {name: PureDP(size * price) for name, size in sizes.items() if name is not None}
        # Each share is rounded up to whole units of the ledger: the sum has to cover them all.
        whole = sum(charge(share).micro_epsilon for share in uses.values())
        self._ledger.reserve(
            release,
            self._dataset,
            PureDP(max(sum(sizes.values()) * price, Fraction(whole, _UNIT))),
            plan=self._plan,
            protects=protection(COUNT_UNIT, self._answering.neighbours),
            uses=uses,
        )
        return release

    def _drawn(self, release: str) -> None:
        try:
            self._ledger.draw(release, self._mark)
        except BudgetError as error:
            self._ledger.refund(release, reason="no noise was drawn: the draw was refused")
            self._refused = str(error)
            raise

    def _lefts(self, clients: Iterable[str | None]) -> dict[str | None, int]:
        """Answers that the data set still pays for (under None), and the budget of each client."""
        found: dict[str | None, int] = {
            None: self._answers(self._ledger.balance(self._dataset).left)
        }
        if any(client is not None for client in clients):
            found |= {c.name: self._answers(c.left) for c in self._ledger.clients(self._dataset)}
        return {client: found.get(client, 0) for client in [None, *clients]}

    def _answers(self, left: Charge) -> int:
        return int(Fraction(left.micro_epsilon, _UNIT) // self._answering.epsilon)
