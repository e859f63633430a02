"""Answers that are paid for: charge, noise, store, in this order.

Guarantee.  What was answered costs at most what the ledger holds as spent, whatever was killed
and whatever ran at the same time: (1) the charge for an answer and its draw are on the disk
before its noise is drawn, (2) the answer is on the disk before it leaves, and (3) an id that is
stored is answered from the store, never drawn for again.

What it costs.  A commit waits for the disk, some milliseconds, and a release has three of them in
the ledger (reserve, draw, settle); keeping an answer is a fourth.  So they are shared.
*Batches*: questions that wait while others are at the disk are stored together.
*Blocks*: a release pays for the batch at hand and, while questions come fast, for some answers
ahead: twice as many as last time if those were used up within a second, else half.  What is
bought ahead and not used is lost at a stop or a crash, because a draw cannot be refunded; so it
is never more than a hundredth of what is left, and nothing at all below a hundred answers.
At leisure there are four commits for an answer, in a crowd one for as many as wait.
"""

import hashlib
import json
import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf
from threading import Lock
from typing import Any

import numpy as np

from sfumato.errors import BudgetError, ParameterError
from sfumato.ledger import Ledger
from sfumato.numeric.arrays import Whole
from sfumato.plan.terms import protection
from sfumato.privacy.guarantee import PureDP
from sfumato.privacy.mechanism import Purse
from sfumato.privacy.randomness import SystemBits
from sfumato.retrieval.count_plan import COUNT_UNIT
from sfumato.retrieval.counts import Counts
from sfumato.retrieval.mutual import Answering
from sfumato.retrieval.protocol import Question
from sfumato.retrieval.store import AnswerStore, Stored, seal

__all__ = ["Answered", "Desk", "Refusal"]

_UNIT = 10**6  # micro-epsilon
_SPARE = 100  # of so many answers that are left, one may be bought ahead
_FAST = 1.0  # seconds within which a block is used up in a crowd
_FIRST = 8  # answers bought ahead at first
_MOST_NOISE = 2**22  # draws in one batch: memory is bounded whatever is asked


@dataclass(frozen=True, slots=True)
class Answered:
    """What goes back under an id."""

    id: str
    value: float


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why nothing goes back, with the HTTP status that says so."""

    status: int
    reason: str


@dataclass(slots=True)
class _Block:
    """Answers that one release paid for."""

    release: str
    left: int


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
        self._mark = counts.fingerprint(ledger.fingerprint_key)
        self._settling: list[str] = []
        self._refused: str | None = None
        self._block, self._ahead, self._bought_at = _Block("", 0), 0, -inf
        self._lock = Lock()
        self.plan = hashlib.sha256(json.dumps(self._fixed(), sort_keys=True).encode()).hexdigest()
        ledger.balance(dataset)  # refused here, if nothing was ever granted
        self._resume()

    @property
    def most(self) -> int:
        """The largest batch."""
        return max(1, min(1024, _MOST_NOISE // self.answering.length))

    @property
    def left(self) -> int:
        """How many answers the budget still pays for."""
        units = self._ledger.balance(self.dataset).left.micro_epsilon
        return int(Fraction(units, _UNIT) // self.answering.epsilon)

    def facts(self) -> dict[str, Any]:
        """What everybody may know; how many answers are left says only how many were asked."""
        return self._fixed() | {"answers_left": self.left}

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
        """Replies in the order of the questions, of which there are at most `most`."""
        ids = list(dict.fromkeys(question.id for question in questions))
        with self._lock:
            known = self._store.find(self.dataset, ids)
            fresh: dict[str, Question] = {}
            for question in questions:
                if question.id not in known:
                    fresh.setdefault(question.id, question)
            if fresh:
                self._answered(list(fresh.values()))
                # Read again: another process may have answered the same id in the meantime.
                known |= self._store.find(self.dataset, list(fresh))
        return [self._reply(question, known.get(question.id)) for question in questions]

    def settle(self) -> None:
        """Tell the ledger what was released under the blocks that are used up."""
        with self._lock:
            while self._settling:
                release = self._settling[0]
                self._ledger.settle(release, seal(self._store.of_release(release)))
                self._settling.pop(0)

    def close(self) -> None:
        """Settle what there is; what was bought ahead is lost."""
        with self._lock:
            if self._block.left:
                self._settling.append(self._block.release)
                self._block = _Block("", 0)
        self.settle()

    def _reply(self, question: Question, stored: Stored | None) -> Answered | Refusal:
        if stored is None:
            return Refusal(
                403,
                "the privacy budget of this data is spent: no new question is answered until its "
                "owner grants more; answers that were given are repeated under their ids",
            )
        if stored.question != question.digest():
            return Refusal(409, "this id was used for another question: choose a new one")
        return Answered(stored.id, stored.value)

    def _answered(self, questions: list[Question]) -> None:
        """Draw and store for as many as are paid for; the others get nothing."""
        paid = self._paid(len(questions))
        chosen = questions[: sum(count for _, count in paid)]
        if not chosen:
            return
        found = [
            Stored(question.id, question.digest(), float(x @ question.vector(x.size)))
            for x, question in zip(self._noisy(len(chosen)), chosen, strict=True)
        ]
        for release, count in paid:
            self._store.add(self.dataset, release, found[:count])
            del found[:count]

    def _paid(self, count: int) -> list[tuple[str, int]]:
        """Releases, and how many of the answers at hand each of them pays for."""
        paid = []
        while count > 0:
            if not self._block.left and not self._bought(count):
                break
            taken = min(count, self._block.left)
            self._block.left -= taken
            count -= taken
            paid.append((self._block.release, taken))
            if not self._block.left:
                self._settling.append(self._block.release)
        return paid

    def _bought(self, count: int) -> bool:
        """Charge for a new block, and record its draw; False if nothing can be afforded."""
        if self._refused is not None:
            raise BudgetError(self._refused)  # for good: asking again would only fill the ledger
        now = time.monotonic()
        fast = now - self._bought_at < _FAST
        self._ahead = max(_FIRST, 2 * self._ahead) if fast else self._ahead // 2
        self._bought_at = now
        left = self.left
        size = min(max(count, min(self._ahead, left // _SPARE)), left)
        while size > 0:
            release = f"answers-{secrets.token_hex(8)}"
            price = PureDP(size * self.answering.epsilon)
            try:
                self._ledger.reserve(
                    release,
                    self.dataset,
                    price,
                    plan=self.plan,
                    protects=protection(COUNT_UNIT, self.answering.neighbours),
                )
            except BudgetError:  # another process was faster
                size = min(size - 1, self.left)
                continue
            self._drawn(release)
            self._block = _Block(release, size)
            return True
        return False

    def _drawn(self, release: str) -> None:
        try:
            self._ledger.draw(release, self._mark)
        except BudgetError as error:
            self._ledger.refund(release, reason="no noise was drawn: the draw was refused")
            self._refused = str(error)
            raise

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
