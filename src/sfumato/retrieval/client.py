"""The asking side: noise is added here, before anything is sent.

A question is made once and can be sent again and again: its id and its noise stay, so that a
repetition after a broken connection is answered once, charged once and reveals nothing more.
"""

import http.client
import secrets
import time
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

import numpy as np

from sfumato.errors import BudgetError, ParameterError, Refused
from sfumato.numeric.arrays import Vector, Whole
from sfumato.privacy.guarantee import Number
from sfumato.privacy.randomness import Bits, SystemBits
from sfumato.retrieval.counts import MOST_KEYS, Keys
from sfumato.retrieval.histogram import checked_query
from sfumato.retrieval.mutual import (
    Answering,
    QueryPromise,
    coefficients,
    sampled_threshold,
    sparse,
)
from sfumato.retrieval.protocol import BYTES, Question
from sfumato.untrusted.strict_json import parsed

__all__ = ["Facts", "Prepared", "QueryClient", "Reply"]

_LARGEST = 2**28  # bytes of a list of keys
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
    """An answer and, where a bound on the counts is public, how far it may be off."""

    id: str
    value: float
    radius: float | None
    confidence: float


class QueryClient:
    """A connection to a service; for one thread.  Failed attempts are repeated by themselves."""

    def __init__(self, url: str, *, timeout: float = 30.0, attempts: int = 6) -> None:
        try:
            parts = urlsplit(url)
            host, port = (parts.hostname or "").encode("idna").decode("ascii"), parts.port
            sound = parts.scheme in ("http", "https") and bool(host) and parts.path.isascii()
        except ValueError:
            sound = False
        if not sound:
            raise ParameterError("url must be http://HOST:PORT or https://HOST:PORT")
        kind = http.client.HTTPSConnection if parts.scheme == "https" else None
        self._connection = (kind or http.client.HTTPConnection)(host, port, timeout=timeout)
        self._url, self._path, self._attempts = url, parts.path.rstrip("/"), attempts

    def facts(self) -> Facts:
        """Length, neighbours, price, answers left."""
        return Facts.from_json(self._asked("GET", "/facts"))

    def keys(self) -> Keys:
        """The public list of keys; all of it, so that nobody learns which were wanted."""
        found = self._asked("GET", "/keys").get("keys")
        if not isinstance(found, list) or not all(isinstance(key, str) for key in found):
            raise Refused(f"{self._url} did not send a list of keys")
        return Keys(tuple(found))

    def send(self, prepared: Prepared) -> float:
        """The answer to a question; the same again if it is sent again."""
        found = self._asked("POST", "/answer", prepared.message)
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
        return Reply(prepared.question.id, value, far, confidence)

    def close(self) -> None:
        """Let go of the connection."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _asked(self, verb: str, path: str, body: bytes | None = None) -> dict[str, Any]:
        """A reply, after as many attempts as it takes; a refusal is never repeated."""
        failure = "it does not answer"
        for attempt in range(self._attempts):
            if attempt:
                time.sleep(0.05 * 2**attempt)
            try:
                status, found = self._once(verb, path, body)
            except (OSError, http.client.HTTPException) as error:
                self._connection.close()
                failure = getattr(error, "strerror", None) or "the connection broke"
                continue
            if status == 200:
                return found
            reason = str(found.get("error", f"status {status}"))[:500]
            if status < 500:
                raise (BudgetError if status == 403 else ParameterError)(reason)
            failure = reason
        raise Refused(f"{self._url}: {failure}; check the address, and whether the service runs")

    def _once(self, verb: str, path: str, body: bytes | None) -> tuple[int, dict[str, Any]]:
        headers = {"Content-Type": BYTES} if body is not None else {}
        self._connection.request(verb, self._path + path, body, headers)
        reply = self._connection.getresponse()
        text = reply.read(_LARGEST)
        try:
            found = parsed(text)
        except ValueError:
            found = {}
        return reply.status, found if isinstance(found, dict) else {}
