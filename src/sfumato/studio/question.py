"""A question to a release as the address of a page holds it, and its answer.

Columns and values stand in addresses by their position: names may hold anything, and what a
browser makes of a line break or of blanks is its own.

>>> import sfumato as sf
>>> schema = sf.Schema.parse(sf.example.CLINIC)
>>> release = sf.publish(sf.example.clinic(5_000), schema=schema, epsilon=1, seed=3)
>>> askable, ward = Askable(release), 5
>>> askable.names[ward], askable.values(ward)
('ward', ['cardiology', 'surgery', 'oncology', 'elsewhere'])
>>> asked = Question.of({"ask": ["count"], "column": ["5"], "value": ["1", "2"]})
>>> askable.answer(asked).question
'ward is surgery or oncology'
"""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Any

from sfumato.accuracy import collected_statement, statement, table_statement
from sfumato.accuracy.collected import collected, is_collected
from sfumato.accuracy.edges import ENDS
from sfumato.accuracy.published import Published, Readable, published
from sfumato.accuracy.statement import Answer
from sfumato.errors import ParameterError

__all__ = ["KINDS", "MOST_BOXES", "Askable", "Question"]

KINDS = {
    "count": "How many have …?",
    "more": "Is A more than B?",
    "largest": "Which is the most frequent?",
    "smallest": "Which is the least frequent?",
    "mean": "What is the mean of …?",
    "column": "All counts of …",
    "table": "A table of … by …",
}
MOST_BOXES = 24  # values that are offered one by one; more of them are typed
_MOST_ASKED = 1_000
_LONGEST = 10_000
_PLACES = 9


@dataclass(frozen=True, slots=True)
class Question:
    """What an address asks; None or nothing where it does not say."""

    kind: str = ""
    column: int | None = None
    values: tuple[int, ...] = ()
    typed: str = ""  # the same in words, where there are too many to choose from
    others: tuple[int, ...] = ()
    typed_others: str = ""
    by: int | None = None
    confidence: str = "95"

    @classmethod
    def of(cls, fields: Mapping[str, Sequence[str]]) -> "Question":
        """From the fields of a form; each may be there several times."""

        def last(name: str) -> str:
            return (fields.get(name) or [""])[-1].strip()[:_LONGEST]

        def places(name: str) -> tuple[int, ...]:
            found = (_place(text) for text in fields.get(name, [])[:_MOST_ASKED])
            return tuple(dict.fromkeys(place for place in found if place is not None))

        kind = last("ask")
        return cls(
            kind=kind if kind in KINDS else "",
            column=_place(last("column")),
            values=places("value"),
            typed=last("values"),
            others=places("other"),
            typed_others=last("others"),
            by=_place(last("by")),
            confidence=last("confidence") or "95",
        )

    @property
    def level(self) -> Fraction:
        """The confidence as a share; refused where it is none."""
        try:
            percent = Decimal(self.confidence.removesuffix("%").strip())
        except InvalidOperation:
            percent = Decimal(-1)
        # Far more places would make fractions that take minutes.
        if not (percent.is_finite() and 1 <= percent < 100 and round(percent, _PLACES) == percent):
            raise ParameterError(
                f"the confidence must be from 1 % to below 100 %, with at most {_PLACES} places "
                "behind the point, such as 95"
            )
        return Fraction(percent) / 100


class Askable:
    """A release that can be asked; refused where its method leaves nothing to ask."""

    def __init__(self, release: Readable) -> None:
        self._alone = is_collected(release.certificate)  # each record answered by itself
        found: Any = collected(release) if self._alone else published(release)
        self._found = found
        self._counted = list(found.tallies if self._alone else found.counts)
        if not self._alone and found.edges is not None:
            self._counted = list(ENDS)
        self._numbers = list(found.numbers)
        self.names: list[str] = [
            *self._counted,
            *(name for name in self._numbers if name not in self._counted),
        ]

    def columns(self, kind: str) -> list[int]:
        """The positions of columns that such a question can be about."""
        if kind == "table":
            names = {name for pair in self._pairs for name in pair}
        elif kind == "mean":
            names = set(self._numbers)
        elif kind in ("largest", "smallest", "column") and not self._listed:
            names = set()
        else:
            names = set(self._counted)
        return [place for place, name in enumerate(self.names) if name in names]

    @property
    def kinds(self) -> dict[str, str]:
        """The questions that make sense here."""
        return {kind: said for kind, said in KINDS.items() if self.columns(kind)}

    def values(self, column: int) -> list[str]:
        """All values of a column that has counts; none of one that is only known by its sum."""
        name = self.name(column)
        if self._alone:
            return list(self._found.tallies[name].given) if name in self._found.tallies else []
        return list(self._found.counts.get(name, ()))

    def partners(self, column: int) -> list[int]:
        """The columns of which there is a table with this one."""
        name = self.name(column)
        names = {other for pair in self._pairs if name in pair for other in pair} - {name}
        return [place for place, other in enumerate(self.names) if other in names]

    def name(self, column: int | None) -> str:
        """The column at a position."""
        if column is None or not 0 <= column < len(self.names):
            raise ParameterError("choose a column")
        return self.names[column]

    def whole(self, question: Question) -> bool:
        """Whether nothing is left to choose."""
        if question.kind not in self.kinds or question.column not in self.columns(question.kind):
            return False
        chosen = bool(question.values or question.typed)
        match question.kind:
            case "count":
                return chosen
            case "more":
                return chosen and bool(question.others or question.typed_others)
            case "table":
                return question.by in self.partners(question.column)
            case _:
                return True

    def lacking(self, question: Question) -> str:
        """What is still to be chosen, for whoever has pressed the button."""
        if question.kind == "table":
            return "Choose the other column."
        return f"Choose at least one value{' on each side' * (question.kind == 'more')}."

    def answer(self, question: Question) -> Answer:
        """What the release says, with the interval that the truth lies in."""
        found, level, name = self._found, question.level, self.name(question.column)
        said: Any = collected_statement if self._alone else statement
        if question.kind not in self.kinds:
            raise ParameterError("choose a question")
        match question.kind:
            case "mean":
                answer: Answer = said.about_mean(found, name, level)
            case "largest" | "smallest":
                largest = question.kind == "largest"
                answer = said.about_extreme(found, name, level, largest=largest)
            case "column":
                whole: Any = collected_statement if self._alone else table_statement
                answer = whole.about_column(found, name, level)
            case "table":
                answer = table_statement.about_pair(found, name, self.name(question.by), level)
            case "more":
                own = self._chosen(question.column, question.values, question.typed)
                others = self._chosen(question.column, question.others, question.typed_others)
                answer = said.about_difference(found, name, own, others, level)
            case _:
                own = self._chosen(question.column, question.values, question.typed)
                answer = said.about_count(found, name, own, level)
        return answer

    def _chosen(self, column: int | None, places: Sequence[int], typed: str) -> list[str]:
        known = self.values(column if column is not None else -1)
        chosen = [known[place] for place in places if place < len(known)] + _split(typed)
        if not chosen:
            raise ParameterError("choose at least one value on each side")
        return chosen

    @property
    def _pairs(self) -> list[tuple[str, str]]:
        found = self._found
        if not isinstance(found, Published) or found.tables is None:
            return []
        return found.tables.measured

    @property
    def _listed(self) -> bool:
        """Whether counts are kept value by value."""
        return self._alone or (self._found.edges is None and self._found.series is None)


def _place(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 9 else None


def _split(text: str) -> list[str]:
    """Values between commas; one that holds a comma goes between double quotes."""
    rows = csv.reader([text.replace("\n", ",")], skipinitialspace=True)
    return [value.strip() for row in rows for value in row if value.strip()][:_MOST_ASKED]
