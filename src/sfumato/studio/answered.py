"""An answer as a page shows it: what was asked, the sentences, and a table where it has one.

>>> from sfumato.accuracy.statement import Answer
>>> counts = [{"value": "home", "noisy": 39.0, "low": 30.0, "high": 48.0}]
>>> answered(Answer("outcome", ("Each …",), {"counts": counts})).rows
[['home', '39', '30', '48']]
"""

from dataclasses import dataclass, field

from sfumato.accuracy.spelling import at_least, at_most, spelt
from sfumato.accuracy.statement import Answer

__all__ = ["Answered", "answered"]

_MOST = 2_000  # cells; what has more is for the command line
_TOO_MANY = "There are {:,} lines or cells: sfumato accuracy FOLDER {} lists them."


@dataclass(frozen=True)
class Answered:
    """Sentences, and lines under headings; the first cell of a line is its own heading."""

    question: str
    sentences: tuple[str, ...]
    headings: list[str] = field(default_factory=list)
    rows: list[list[str]] = field(default_factory=list)


def answered(answer: Answer) -> Answered:
    """The answer of the library, nothing added to it and nothing rounded but for reading."""
    figures = answer.figures
    if isinstance(counts := figures.get("counts"), list):
        if len(counts) > _MOST:
            return _only_said(answer, len(counts), "--column")
        rows = [
            [cell["value"], spelt(cell["noisy"]), at_least(cell["low"]), at_most(cell["high"])]
            for cell in counts
        ]
        return Answered(
            answer.question, answer.sentences, [answer.question, "noisy", "at least", "at most"],
            rows,
        )  # fmt: skip
    if "columns" in figures and "values" in figures:
        down, across = figures["values"]
        if len(down) * len(across) > _MOST:
            return _only_said(answer, len(down) * len(across), "--pair")
        rows = [
            [
                value,
                *(
                    f"{at_least(low)} – {at_most(high)}"
                    for low, high in zip(figures["low"][k], figures["high"][k], strict=True)
                ),
            ]
            for k, value in enumerate(down)
        ]
        return Answered(
            answer.question, answer.sentences, [figures["columns"][0], *across], rows
        )  # fmt: skip
    return Answered(answer.question, answer.sentences)


def _only_said(answer: Answer, count: int, option: str) -> Answered:
    return Answered(answer.question, (*answer.sentences, _TOO_MANY.format(count, option)))
