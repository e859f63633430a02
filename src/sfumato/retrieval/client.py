"""The asking side: noise is added here, before anything is sent.

A question is made once and can be sent again and again: its id and its noise stay, so that a
repetition after a broken connection is answered once, charged once and reveals nothing more.
"""

import secrets
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np

from sfumato.errors import ParameterError, Refused
from sfumato.numeric.arrays import Vector, Whole
from sfumato.privacy.guarantee import Number
from sfumato.privacy.randomness import Bits, SystemBits
from sfumato.retrieval.counts import MOST_KEYS, Keys
from sfumato.retrieval.histogram import checked_query
from sfumato.retrieval.line import Line
from sfumato.retrieval.mutual import (
    Answering,
    QueryPromise,
    coefficients,
    sampled_threshold,
    sparse,
)
from sfumato.retrieval.protocol import Question

__all__ = ["Facts", "Prepared", "QueryClient", "Reply"]

_THRESHOLD_ERROR, _THRESHOLD_CHANCE = "0.05", "0.01"


@dataclass(frozen=True, slots=True)
class Facts:
    """What a service says about itself."""

    dataset: str
    answering: Answering
    records: int | None
    answers_left: int

    @classmethod
    def from_json(cls, found: Any) -> "Facts":
        """As GET /facts says it."""
        try:
            length, records, left = (found[name] for name in ("length", "records", "answers_left"))
            if type(length) is not int or not 2 <= length <= MOST_KEYS:
                raise ValueError
            if records is not None and (type(records) is not int or records < 0):
                raise ValueError
            if type(left) is not int:
                raise ValueError
            neighbours, price = found["neighbours"], found["epsilon_per_answer"]
            if neighbours not in ("add-remove", "replace-one"):
                raise ValueError
            server = Answering(length, neighbours, str(price))
            return cls(str(found["dataset"]), server, records, left)
        except (KeyError, TypeError, ValueError):
            raise Refused("the address is not that of a Sfumato count service") from None


@dataclass(frozen=True, eq=False)
class Prepared:
    """A question whose noise is drawn: safe to send as often as needed."""

    query: Whole
    promise: QueryPromise
    question: Question
    message: bytes

    @classmethod
    def of(
        cls, query: Any, epsilon: Number, *, compress: bool = False, bits: Bits | None = None
    ) -> "Prepared":
        """Draw the noise; with `compress` only the larger Haar coefficients will be sent.

        >>> asked = Prepared.of([0, 1, 0, 0, 1, 0, 0, 0], epsilon=1)
        >>> asked.promise.toggled, asked.promise.replaced, asked.promise.anything
        (Fraction(1, 1), Fraction(2, 1), Fraction(8, 1))
        """
        given = checked_query(query, np.size(query))
        if (given % 1).any() or np.abs(given).max(initial=0.0) >= 2**31:
            raise ParameterError("query must consist of whole numbers of at most 32 bits")
        bits = bits or SystemBits()
        promise = QueryPromise(epsilon, given.size)
        noisy = promise.noisy(given.astype(np.int64), bits)
        name = secrets.token_hex(16)
        question = Question(name, "query", noisy.astype(np.float64))
        if compress:
            found = coefficients(noisy)
            kept = sparse(
                found, sampled_threshold(found, _THRESHOLD_ERROR, _THRESHOLD_CHANCE, bits)
            )
            question = Question(name, "coefficients", kept)
        message = question.to_bytes()
        sent = Question.from_bytes(message, given.size)  # as the server will read it
        return cls(given.astype(np.int64), promise, sent, message)

    @property
    def sent(self) -> Vector:
        """The query as the server sees it, a number for each key."""
        return self.question.vector(self.query.size)


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer and, where a bound on the counts is public, how far it may be off.

    `deviation` is the standard deviation of the service's noise alone: what hid the question adds
    to the error, by how large the counts are.
    """

    id: str
    value: float
    radius: float | None
    confidence: float
    deviation: float


class QueryClient:
    """A connection to a service; for one thread.  Failed attempts are repeated by themselves.

    `token` is what the owner of the data gave; `ca` is a file with the authority that signed the
    certificate of the service, if it is none that this machine knows.
    """

    def __init__(
        self,
        url: str,
        *,
        token: str | None = None,
        ca: str | Path | None = None,
        timeout: float = 30.0,
        attempts: int = 6,
    ) -> None:
        self._line = Line(url, token=token, ca=ca, timeout=timeout, attempts=attempts)
        self._url = url

    def facts(self) -> Facts:
        """Length, neighbours, price, answers left."""
        return Facts.from_json(self._line.asked("GET", "/facts"))

    def keys(self) -> Keys:
        """The public list of keys; all of it, so that nobody learns which were wanted."""
        found = self._line.asked("GET", "/keys").get("keys")
        if not isinstance(found, list) or not all(isinstance(key, str) for key in found):
            raise Refused(f"{self._url} did not send a list of keys")
        return Keys(tuple(found))

    def send(self, prepared: Prepared) -> float:
        """The answer to a question; the same again if it is sent again."""
        found = self._line.asked("POST", "/answer", prepared.message)
        value = found.get("answer")
        if found.get("id") != prepared.question.id or type(value) not in (int, float):
            raise Refused(f"{self._url} sent an answer that does not fit the question")
        return float(value)  # type: ignore[arg-type]  # looked at above

    def ask(
        self, query: Any, *, epsilon: Number, compress: bool = False, confidence: float = 0.95
    ) -> Reply:
        """One question under fresh noise, at the price of the client's own epsilon."""
        facts = self.facts()
        checked_query(query, facts.answering.length)
        prepared = Prepared.of(query, epsilon, compress=compress)
        value = self.send(prepared)
        far = None
        if facts.records is not None:  # ‖x‖₂ ≤ ‖x‖₁, the public number of records
            wanted = prepared.query.astype(np.float64)
            far = facts.answering.radius(wanted, prepared.sent, facts.records, 1 - confidence)
        least = facts.answering.deviation(prepared.sent)
        return Reply(prepared.question.id, value, far, confidence, least)

    def close(self) -> None:
        """Let go of the connection."""
        self._line.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
