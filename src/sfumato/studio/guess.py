"""Usual ranges of measures with familiar names: guesses, and shown as such everywhere.

No record is read for them.  A value outside of a range becomes its nearest end, so that a guess
can cost accuracy and never privacy.

>>> guess = guessed("sys_bp"); guess.facts, guess.source
({'low': 60, 'high': 260, 'step': 1}, 'only a guess: usual for a systolic pressure in mmHg')
>>> guessed("bp")
"""

from collections.abc import Mapping
from dataclasses import dataclass

from sfumato.schema.wizard.preset import words_of

__all__ = ["Guess", "guessed"]


@dataclass(frozen=True)
class Guess:
    """A range, and where it is known from: nowhere but from what is usual."""

    usual: str
    facts: Mapping[str, float]
    called: tuple[frozenset[str], ...]  # a name with all words of one of these

    @property
    def source(self) -> str:
        """What is published as the source, if a person accepts it."""
        return f"only a guess: usual for {self.usual}"


def _called(*names: str) -> tuple[frozenset[str], ...]:
    return tuple(frozenset(name.split()) for name in names)


# Where a name leaves the unit open, as weight does, nothing is guessed.
_GUESSES = (
    Guess(
        "a systolic pressure in mmHg",
        {"low": 60, "high": 260, "step": 1},
        _called("systolic", "sys bp", "sysbp", "sbp", "systolisch", "systolique", "sistolica"),
    ),
    Guess(
        "a diastolic pressure in mmHg",
        {"low": 30, "high": 160, "step": 1},
        _called("diastolic", "dia bp", "diabp", "dbp", "diastolisch", "diastolique", "diastolica"),
    ),
    Guess(
        "a pulse, per minute",
        {"low": 20, "high": 250, "step": 1},
        _called("pulse", "heart rate", "heartrate", "bpm", "puls"),
    ),
    Guess("a body mass index", {"low": 10, "high": 80, "step": 0.1}, _called("bmi")),
    Guess(
        "the weight of a body in kg",
        {"low": 0, "high": 300, "step": 0.1},
        _called("weight kg", "gewicht kg"),
    ),
    Guess("the height of a body in cm", {"low": 20, "high": 250, "step": 1}, _called("height cm")),
    Guess(
        "a stay of up to a year, in days",
        {"low": 0, "high": 365, "step": 1},
        _called("los", "length stay", "stay days", "liegedauer", "verweildauer"),
    ),
)


def guessed(name: str) -> Guess | None:
    """The usual range of what has this name."""
    words = frozenset(words_of(name))
    return next((one for one in _GUESSES if any(called <= words for called in one.called)), None)
