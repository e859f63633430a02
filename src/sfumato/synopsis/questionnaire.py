"""What a record is asked when it is changed by itself: one question a column, by public facts.

A category is answered by randomized response (`sfumato.privacy.answer`), a number by itself
under discrete Laplace noise of its whole range.  A number that may be missing is two
questions, which share what its column may lose: is it missing, and what is it (the middle of its
range, if it is).  A column with a single value is not asked.

The ε of a record is shared among its columns by weight, so that all its answers together lose
just that (`docs/proofs/local.md`).

>>> from sfumato.schema import Schema
>>> domain = Domain.of(Schema.of({"name": "t", "columns": {
...     "age": {"kind": "integer", "low": 0, "high": 110},
...     "ward": {"kind": "category", "values": ["a", "b", "c"]}}}))
>>> asked = Questionnaire.of(domain, Fraction(2), weights={"ward": "3"})
>>> [(event.statistic, str(event.cost)) for event in asked.events]  # doctest: +NORMALIZE_WHITESPACE
[('numbers of age', '0.5-local differential privacy'),
 ('answers of ward', '1.5-local differential privacy')]
>>> asked.columns
{'age': 'int64', 'ward': 'string'}
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from sfumato.errors import ParameterError, SchemaError
from sfumato.numeric.arrays import Codes, Matrix, Whole
from sfumato.privacy.answer import DirectResponse, Response, UnaryResponse, best_response
from sfumato.privacy.guarantee import LocalDP, exact
from sfumato.privacy.mechanism import Event, Noise
from sfumato.privacy.sensitivity import record
from sfumato.schema import Date
from sfumato.schema.domain import MISSING, Domain, Grid, Levels
from sfumato.synopsis.bins import ABSENT, levels

__all__ = ["ENCODINGS", "Choice", "Figure", "Question", "Questionnaire"]

ENCODINGS = ("best", "direct", "unary")
_MOST_BITS = 256  # columns that one question may become


@dataclass(frozen=True)
class Choice:
    """A question with one of several answers."""

    axis: int
    name: str  # of the column
    answers: tuple[str, ...]
    response: Response
    flag: bool = False  # whether it is only asked whether a number is missing

    @property
    def event(self) -> Event:
        """What all answers cost."""
        return self.response.event

    @property
    def columns(self) -> dict[str, str]:
        """Names and types of the columns that hold the answers."""
        if self.flag:
            return {f"{self.name}={ABSENT}": "int64"}
        if isinstance(self.response, UnaryResponse):
            return {f"{self.name}={answer}": "int64" for answer in self.answers}
        return {self.name: "string"}

    def query(self, codes: Codes) -> Whole:
        """NOT PRIVATE: the true answer of each record."""
        column = codes[:, self.axis].astype(np.int64)
        return (column == MISSING).astype(np.int64) if self.flag else column


@dataclass(frozen=True)
class Figure:
    """A question with a number for an answer, as steps of its public grid."""

    axis: int
    grid: Grid
    noise: Noise

    @property
    def name(self) -> str:
        """Of the column."""
        return self.grid.name

    @property
    def event(self) -> Event:
        """What all numbers cost."""
        return self.noise.event

    @property
    def columns(self) -> dict[str, str]:
        """Whole numbers where a step is one; else decimal ones."""
        return {self.name: "int64" if self._whole else "double"}

    @property
    def low(self) -> Fraction:
        """Where the range begins; a date counts its steps from there."""
        column = self.grid.column
        return Fraction(0) if isinstance(column, Date) else Fraction(str(column.low))

    @cached_property
    def step(self) -> Fraction:
        """From one point of the grid to the next, in the unit of the column."""
        column, grid = self.grid.column, self.grid
        if isinstance(column, Date):
            return Fraction(grid.steps or 1, grid.points)
        width = Fraction(str(column.high)) - Fraction(str(column.low))
        if column.step is not None:  # what is left over above the last whole step is not used
            width = Fraction(str(column.step)) * (grid.steps or 1)
        return width / grid.points

    def query(self, codes: Codes) -> Whole:
        """NOT PRIVATE: the point of the grid at which each record stands."""
        column = codes[:, self.axis].astype(np.int64)
        return np.where(column == MISSING, self.grid.middle, column)

    def values(self, points: Whole) -> Matrix | Whole:
        """Noisy points as numbers in the unit of the column, also beyond its range."""
        if self._whole:
            return np.asarray(int(self.low) + points)
        return np.asarray(float(self.low) + points * float(self.step))

    @property
    def _whole(self) -> bool:
        return self.step == 1 and self.low.denominator == 1


Question = Choice | Figure


@dataclass(frozen=True)
class Questionnaire:
    """All questions, in the order of the schema."""

    domain: Domain
    questions: tuple[Question, ...]

    @classmethod
    def of(
        cls,
        domain: Domain,
        epsilon: Fraction,
        *,
        encoding: str = "best",
        weights: Mapping[str, Any] | None = None,
    ) -> "Questionnaire":
        """Refused where options are wrong or nothing is asked."""
        if encoding not in ENCODINGS:
            raise ParameterError(f"encoding must be one of {', '.join(ENCODINGS)}, got {encoding}")
        asked = {axis.name: k for k, axis in enumerate(domain.axes) if axis.codes > 1}
        if not asked:
            raise SchemaError("every column has a single value: there is nothing to ask")
        shares = _shares(asked, epsilon, weights or {})
        found = [
            question
            for name, position in asked.items()
            for question in _questions(domain, position, shares[name], encoding)
        ]
        made = cls(domain, tuple(found))
        made.check_names()
        return made

    @property
    def events(self) -> tuple[Event, ...]:
        """What is bought, a question at a time."""
        return tuple(question.event for question in self.questions)

    @cached_property
    def columns(self) -> dict[str, str]:
        """Names and types of the table of answers."""
        return {name: kind for asked in self.questions for name, kind in asked.columns.items()}

    def check_names(self) -> None:
        """Refuse columns or answers that could not be told apart."""
        names = Counter(name for asked in self.questions for name in asked.columns)
        name, often = names.most_common(1)[0]
        if often > 1:
            raise SchemaError(f"column {name}: the answers would have it twice: rename it")
        for asked in self.questions:
            if isinstance(asked, Choice) and len(set(asked.answers)) < len(asked.answers):
                raise SchemaError(f"column {asked.name}: two values are called alike: rename one")


def _shares(
    asked: Mapping[str, int], epsilon: Fraction, weights: Mapping[str, Any]
) -> dict[str, Fraction]:
    for name in weights:
        if name not in asked:
            raise ParameterError(f"weights name {name}, which is no column with several values")
    each = {name: exact(f"weight of {name}", weights.get(name, 1)) for name in asked}
    whole = sum(each.values())
    return {name: epsilon * weight / whole for name, weight in each.items()}


def _questions(
    domain: Domain, position: int, epsilon: Fraction, encoding: str
) -> tuple[Question, ...]:
    axis = domain.axes[position]
    if isinstance(axis, Levels):
        names = tuple(levels(axis))
        return (Choice(position, axis.name, names, _response(axis, epsilon, encoding)),)
    share = epsilon / 2 if axis.missing else epsilon
    noise = Noise(f"numbers of {axis.name}", record(continuous=1), LocalDP(share))
    noise.check(axis.points)
    figure = Figure(position, axis, noise)
    if not axis.missing:
        return (figure,)
    response = DirectResponse(f"missing values of {axis.name}", 2, share)
    flag = Choice(position, axis.name, ("there", ABSENT), response, flag=True)
    return (figure, flag)


def _response(axis: Levels, epsilon: Fraction, encoding: str) -> Response:
    if encoding == "unary" and axis.codes > _MOST_BITS:
        raise ParameterError(
            f"column {axis.name}: unary answers would be {axis.codes:,} columns, and at most "
            f"{_MOST_BITS} are made: choose encoding=direct, or fewer values"
        )
    asked = f"answers of {axis.name}", axis.codes, epsilon
    if encoding == "direct" or axis.codes > _MOST_BITS:
        return DirectResponse(*asked)
    return UnaryResponse(*asked) if encoding == "unary" else best_response(*asked)
