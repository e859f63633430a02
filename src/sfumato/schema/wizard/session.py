"""Questions and answers: asked again until they can be read, taken back, kept for later.

An interview is a function that asks; all that it does follows from the answers.  So answers that
were kept are given again in silence until the first question that is new, and `back` is the same
with one answer less.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

__all__ = ["Asker", "Question", "Quit", "Session", "WrongAnswer"]

Read = TypeVar("Read")
_LONGEST = 100_000  # characters of an answer


class WrongAnswer(ValueError):
    """An answer that cannot be read; the message says what would be one."""


class Quit(Exception):
    """The person wants to leave; what was answered is kept."""


class _Back(Exception):
    """The last answer is taken back."""


class Asker(Protocol):
    """Whoever answers: a terminal, a file, a test."""

    def ask(self, question: str) -> str:
        """What is answered to this; EOFError where nobody answers any more."""

    def tell(self, line: str) -> None:
        """Show a line."""


@dataclass(frozen=True)
class Question(Generic[Read]):
    """A question, what Enter answers (None: nothing), what ? says, and how answers are read."""

    text: str
    default: str | None
    help: str
    read: Callable[[str], Read]
    shown: str | None = None  # in place of the default


@dataclass
class Session:
    """One interview; `keep` is handed all answers after each one."""

    asker: Asker
    answers: list[str] = field(default_factory=list)
    keep: Callable[[list[str]], object] = list.copy  # nowhere
    _given: int = 0  # how many of the answers have been given in this run

    def run(self, interview: Callable[["Session"], Read]) -> Read:
        """The result of the interview, whatever was taken back on the way."""
        while True:
            self._given = 0
            try:
                return interview(self)
            except _Back:
                if self.answers:
                    self.answers.pop()
                    self.keep(self.answers)

    def ask(self, question: Question[Read]) -> Read:
        """The answer, as it is read."""
        if self._given < len(self.answers):
            self._given += 1
            return question.read(self.answers[self._given - 1])
        while True:
            answer = self._typed(question)
            try:
                read = question.read(answer)
            except WrongAnswer as wrong:
                self.asker.tell(f"  {wrong}")
                continue
            self.answers.append(answer)
            self._given += 1
            self.keep(self.answers)
            return read

    def tell(self, line: str) -> None:
        """Show a line, unless answers are being given again."""
        if self._given == len(self.answers):
            self.asker.tell(line)

    def _typed(self, question: Question[Any]) -> str:
        shown = question.default if question.shown is None else question.shown
        proposal = f" [{shown}]" if shown is not None else ""
        while True:
            answer = self.asker.ask(f"{question.text}{proposal}: ").strip()
            if len(answer) > _LONGEST:
                self.asker.tell(f"  an answer has at most {_LONGEST:,} characters")
            elif answer.lower() == "back":
                raise _Back
            elif answer.lower() == "quit":
                raise Quit
            elif answer != "?" and (answer or question.default is not None):
                return answer or str(question.default)
            else:
                self.asker.tell(f"  {question.help}")
