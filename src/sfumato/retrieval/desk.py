"""Answers that are paid for: charge, noise, store, in this order.

Guarantee.  What was answered costs at most what the ledger holds as spent, whatever was killed
and whatever ran at the same time, and what a client was answered at most what it holds as spent
by that client: (1) the charge for an answer and its draw are on the disk before its noise is
drawn, (2) the answer is on the disk before it leaves, and (3) an id that is stored is answered
from the store, never drawn for again.  An id belongs to the client that used it: the same id of
another client is another question.

What it costs.  A commit waits for the disk, some milliseconds, and a release has three of them in
the ledger (reserve, draw, settle); keeping an answer is a fourth.  So they are shared.
*Batches*: questions that wait while others are at the disk are stored together.
*Blocks*: a release pays for the batch at hand, of however many clients, and for some answers
ahead (`sfumato.retrieval.stock`).
At leisure there are four commits for an answer, in a crowd one for as many as wait.
"""

import hashlib
import json
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, NamedTuple

import numpy as np

from sfumato.errors import ParameterError
from sfumato.ledger import Ledger
from sfumato.ledger.clients import Client
from sfumato.numeric.arrays import Whole
from sfumato.privacy.mechanism import Purse
from sfumato.privacy.randomness import SystemBits
from sfumato.retrieval.counts import Counts
from sfumato.retrieval.mutual import Answering
from sfumato.retrieval.protocol import Question
from sfumato.retrieval.stock import Stock
from sfumato.retrieval.store import AnswerStore, Stored, seal

__all__ = ["Answered", "Asked", "Desk", "Refusal"]

_NO_MORE = (
    "no new question is answered until its owner grants more; answers that were given are "
    "repeated under their ids"
)
_MOST_NOISE = 2**22  # draws in one batch: memory is bounded whatever is asked


@dataclass(frozen=True, slots=True)
class Answered:
    """What goes back under an id."""

    id: str
    value: float
    again: bool = field(default=False, compare=False)  # it was given before, and cost nothing now


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why nothing goes back: an HTTP status, a kind in a word, and a sentence for who asked."""

    status: int
    kind: str
    reason: str
    wait: float = 0.0  # seconds after which it may be tried again


class Asked(NamedTuple):
    """A question, and the client who asks it; None where clients have no names."""

    question: Question
    client: str | None

    @property
    def key(self) -> str:
        """What its answer is kept under: ids have no slash."""
        return self.question.id if self.client is None else f"{self.client}/{self.question.id}"


class Desk:
    """Counts, a price for each answer, and the two files that remember what was given."""

    def __init__(
        self,
        counts: Counts,
        answering: Answering,
        ledger: Ledger,
        store: AnswerStore,
        dataset: str,
    ) -> None:
        if answering.length != len(counts.keys):
            raise ParameterError("counts and answers must be of the same length")
        self.counts, self.answering, self.dataset = counts, answering, dataset
        self._ledger, self._store, self._bits = ledger, store, SystemBits()
        self._settling: list[str] = []
        self._unkept: dict[str, list[Stored]] = {}  # drawn, and not yet on the disk
        self._lock = Lock()
        self.plan = hashlib.sha256(json.dumps(self._fixed(), sort_keys=True).encode()).hexdigest()
        mark = counts.fingerprint(ledger.fingerprint_key)
        self._stock = Stock(ledger, dataset, answering, self.plan, mark)
        ledger.balance(dataset)  # refused here, if nothing was ever granted
        self._resume()

    @property
    def most(self) -> int:
        """The largest batch."""
        return max(1, min(1024, _MOST_NOISE // self.answering.length))

    @property
    def left(self) -> int:
        """How many answers the budget still pays for."""
        return self._stock.left()

    def clients(self) -> list[Client]:
        """All clients that were ever named for these counts."""
        return self._ledger.clients(self.dataset)

    def facts(self, client: str | None = None) -> dict[str, Any]:
        """What everybody may know; how many answers are left says only how many were asked."""
        return self._fixed() | {"answers_left": self._stock.left(client)}

    def _fixed(self) -> dict[str, Any]:
        server = self.answering
        public = server.neighbours == "replace-one"
        return {
            "format": 1,
            "dataset": self.dataset,
            "length": server.length,
            "keys": self.counts.keys.digest(),
            "neighbours": server.neighbours,
            "records": self.counts.records if public else None,
            "epsilon_per_answer": str(server.epsilon),
        }

    def answer(self, questions: Sequence[Question]) -> list[Answered | Refusal]:
        """Replies to questions that no client by name asks; at most `most`."""
        return self.reply([Asked(question, None) for question in questions])

    def reply(self, asked: Sequence[Asked]) -> list[Answered | Refusal]:
        """Replies in the order of the questions, of which there are at most `most`."""
        with self._lock:
            self._keep()
            before = self._store.find(self.dataset, list(dict.fromkeys(one.key for one in asked)))
            fresh: dict[str, Asked] = {}
            for one in asked:
                if one.key not in before:
                    fresh.setdefault(one.key, one)
            known = before
            if fresh:
                self._answered(list(fresh.values()))
                # Read again: another process may have answered the same id in the meantime.
                known = before | self._store.find(self.dataset, list(fresh))
            poor = {one.client for one in asked if one.key not in known}
            spent = {client: self._spent(client) for client in poor}
        return [
            _given(one, known[one.key], again=one.key in before)
            if one.key in known
            else spent[one.client]
            for one in asked
        ]

    def repeated(self, one: Asked) -> Answered | Refusal | None:
        """The reply to a question whose id was used before; None if it was not."""
        stored = self._store.find(self.dataset, [one.key]).get(one.key)
        return None if stored is None else _given(one, stored, again=True)

    def settle(self) -> None:
        """Tell the ledger what was released under the blocks that are used up."""
        with self._lock:
            self._keep()
            self._settling += self._stock.used_up
            self._stock.used_up.clear()
            while self._settling:
                release = self._settling[0]
                self._ledger.settle(release, seal(self._store.of_release(release)))
                self._settling.pop(0)

    def close(self) -> None:
        """Settle what there is; what was bought ahead is lost."""
        with self._lock:
            self._stock.close()
        self.settle()

    def _spent(self, client: str | None) -> Refusal:
        """Whose budget it is that does not suffice."""
        if client is None or self._stock.left() == 0:
            return Refusal(403, "budget", f"the privacy budget of this data is spent: {_NO_MORE}")
        return Refusal(
            403, "client budget", f"the budget of client {client!r} is spent: {_NO_MORE}"
        )

    def _answered(self, fresh: list[Asked]) -> None:
        """Draw and store for as many as are paid for; the others get nothing."""
        waiting: dict[str | None, deque[Asked]] = {}
        for one in fresh:
            waiting.setdefault(one.client, deque()).append(one)
        paid = self._stock.taken({client: len(some) for client, some in waiting.items()})
        chosen = [
            (release, waiting[client].popleft())
            for release, client, count in paid
            for _ in range(count)
        ]
        if not chosen:
            return
        found: dict[str, list[Stored]] = {}
        for x, (release, one) in zip(self._noisy(len(chosen)), chosen, strict=True):
            value = float(x @ one.question.vector(x.size))
            found.setdefault(release, []).append(Stored(one.key, one.question.digest(), value))
        self._unkept = found
        self._keep()

    def _keep(self) -> None:
        """Put what was drawn on the disk.

        Before anything new is charged: a disk that is full costs what was under way, and who asks
        again is not charged again.
        """
        if self._unkept:
            self._store.add(self.dataset, self._unkept)
            self._unkept = {}

    def _noisy(self, answers: int) -> Whole:
        """A fresh noisy copy of the counts for each answer."""
        noise, exact = self.answering.noise(answers), np.tile(self.counts.values, answers)
        paid = Purse(noise.cost, self._bits).pay(noise)
        return paid.add(exact, np.ones(exact.size, np.int64)).reshape(answers, -1)

    def _resume(self) -> None:
        """Settle what an earlier run stored and did not come to settle.

        Only where no other desk has the store open: its blocks are not at their end.
        """
        if not self._store.alone():
            return
        for entry in self._ledger.unfinished(self.dataset):
            ours = entry.state == "drawn" and entry.plan == self.plan
            if ours and self._store.of_release(entry.release):
                self._settling.append(entry.release)
        self.settle()


def _given(one: Asked, stored: Stored, *, again: bool) -> Answered | Refusal:
    if stored.question != one.question.digest():
        return Refusal(409, "id", "this id was used for another question: choose a new one")
    return Answered(one.question.id, stored.value, again)
