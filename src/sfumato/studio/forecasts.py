"""Forecasts for the pages, made beside them: what was made is kept, what nobody waits for is not.

A page asks and gets what is there already; what is not there is made in a thread, and the page
asks again.  Whoever moves a slider leaves questions behind that nobody asks any more: they are
dropped, a search in the middle.  The last question is answered first.

Nothing of a forecast depends on a record, so it does not matter who else sees an answer.

>>> schema = "{name: t, columns: {smoker: {kind: boolean}}}"
>>> answers, asked = Forecasts(), Question(schema, records=5_000, epsilon="1")
>>> print(answers.answer(asked, wait=60).line("smoker").told(5_000))
smoker: each of 2 counts within ± 4 of 5,000 records (0.08 %)
"""

import sys
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from threading import Condition, Thread
from time import monotonic

from sfumato.errors import Refused
from sfumato.publishing.forecast import Forecast, foreseen, wished
from sfumato.publishing.table import price
from sfumato.schema import Schema

__all__ = ["Forecasts", "Question"]

_KEPT = 64  # answers
_LEASE = 6.0  # seconds that a question is worth an answer without being asked again
# A page takes turns with a forecast some twenty times: after so many seconds in place of 5 ms.
_TURN = 0.0005

Answer = Forecast | Exception


@dataclass(frozen=True, slots=True)
class Question:
    """Public facts of which a forecast is wanted; with `want`, epsilon is looked for."""

    schema: str  # YAML, with its neighbours
    records: int
    method: str = "mosaic"
    epsilon: str | None = None
    delta: str | None = None
    want: str = ""
    counted: bool = True  # whether it is counted first what does not fit, for a part of the budget


class _NotWantedError(Exception):
    """Nobody asks for this search any more."""


class Forecasts:
    """Questions and their answers, of all pages of a studio."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._answers: OrderedDict[Question, Answer] = OrderedDict()
        self._asked: OrderedDict[Question, float] = OrderedDict()  # the last one asked is last
        self._tried: dict[Question, int] = {}  # of searches that are not done
        self._changed = Condition()
        self._at_work = False

    def answer(self, question: Question, wait: float = 0) -> Forecast | Refused | None:
        """What is known of it; None if that takes longer than so many seconds."""
        with self._changed:
            if question not in self._answers:
                self._ask(question)
                self._changed.wait_for(lambda: question in self._answers, wait)
            found = self._answers.get(question)
            if found is not None:
                self._answers.move_to_end(question)
        if isinstance(found, Exception) and not isinstance(found, Refused):
            raise found
        return found

    def tried(self, question: Question) -> int:
        """How many epsilons a search has tried by now."""
        with self._changed:
            return self._tried.get(question, 0)

    def _ask(self, question: Question) -> None:
        self._asked[question] = self._clock()
        self._asked.move_to_end(question)
        if not self._at_work:
            self._at_work = True
            # Of a studio that is told to stop, nobody waits for a forecast.
            Thread(target=self._work, daemon=True, name="forecasts").start()

    def _work(self) -> None:
        usual = sys.getswitchinterval()
        sys.setswitchinterval(min(usual, _TURN))
        try:
            while (question := self._next(searches=True)) is not None:
                self._make(question)
        finally:
            sys.setswitchinterval(usual)

    def _next(self, *, searches: bool) -> Question | None:
        """The question to be answered now; quick ones before searches."""
        with self._changed:
            late = self._clock() - _LEASE
            for question in [one for one, asked in self._asked.items() if asked < late]:
                del self._asked[question]
            waiting = sorted(self._asked, key=lambda one: (not one.want, self._asked[one]))
            if waiting and (searches or not waiting[-1].want):
                return waiting[-1]
            self._at_work = not searches
            return None

    def _make(self, question: Question) -> None:
        try:
            found: Answer = self._search(question) if question.want else _forecast(question)
        except _NotWantedError:
            return
        except Exception as fault:  # the page that asked tells it
            found = fault
        finally:
            with self._changed:
                self._tried.pop(question, None)
        with self._changed:
            self._asked.pop(question, None)
            self._answers[question] = found
            while len(self._answers) > _KEPT:
                self._answers.popitem(last=False)
            self._changed.notify_all()

    def _search(self, question: Question) -> Forecast:
        """As `sfumato.forecast` looks for it, with room for others between its forecasts."""

        def at(epsilon: Fraction, columns: frozenset[str] | None) -> Forecast:
            while (quick := self._next(searches=False)) is not None:
                self._make(quick)
            with self._changed:
                if question not in self._asked:
                    raise _NotWantedError
                self._tried[question] = self._tried.get(question, 0) + 1
            return _forecast(replace(question, epsilon=str(epsilon)), columns)

        schema = Schema.parse(question.schema)
        return wished(at, schema, question.records, [question.want])


def _forecast(question: Question, columns: frozenset[str] | None = None) -> Forecast:
    plan = price(
        Schema.parse(question.schema),
        method=question.method,
        epsilon=question.epsilon,
        delta=question.delta,
        fit=question.counted,
    )
    return foreseen(plan, question.records, columns)
