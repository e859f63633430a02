"""What answers of records by themselves (`local`) say of all of them together.

Read from the answers and the certificate alone: how each question was answered follows from the
schema, the budget and the options stated there, and is checked against its events.

>>> import sfumato as sf
>>> from sfumato.example import CLINIC, clinic
>>> schema = sf.Schema.parse(CLINIC)
>>> release = sf.publish(clinic(5_000), schema=schema, method="local", epsilon=8, seed=3)
>>> found = collected(release)
>>> surgery = found.count("ward", ["surgery"])
>>> round(surgery.value), surgery.interval("0.95")
(2119, (1919, 2322))
>>> value, (low, high) = found.mean("age", "0.95")
>>> low < value < high
True
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import inf, nextafter

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sfumato.accuracy.discrete_sum import DiscreteSum
from sfumato.accuracy.label_answers import has_coordinates, label_question
from sfumato.accuracy.law import share
from sfumato.accuracy.published import Readable
from sfumato.accuracy.two_rates import TwoRates
from sfumato.errors import ParameterError, ReleaseError
from sfumato.numeric.arrays import Whole
from sfumato.privacy.answer import DirectResponse
from sfumato.privacy.guarantee import Number, PureDP
from sfumato.release.certificate import Certificate, stated
from sfumato.schema.domain import Domain
from sfumato.synopsis.questionnaire import Choice, Figure, Questionnaire

__all__ = ["Collected", "NoisyMean", "Tally", "collected", "is_collected"]

_FARTHEST = 2.0**62  # steps of an answer: whole numbers of 64 bits hold it
_DIFFERENT = "the certificate or the answers are not what Sfumato writes"


@dataclass(frozen=True)
class Tally:
    """How often each answer to one question was given."""

    question: Choice
    given: Mapping[str, int]
    records: int

    def count(self, values: Sequence[str]) -> TwoRates:
        """Records that have one of these values.

        Direct answers: one of g values is answered at the rate p + (g − 1) q by those who have one,
        at g q by the others.  Unary ones: g bits each, all but one of them at the rate q.
        """
        several, (own, other) = len(values), self.question.response.rates
        yes = sum(self.given[value] for value in values)
        if isinstance(self.question.response, DirectResponse):
            # All values together have chance 1, which rounding must not pass.
            rates = min(own + (several - 1) * other, 1.0), min(several * other, 1.0)
            return TwoRates(yes, self.records, self.records, *rates)
        return TwoRates(yes, several * self.records, self.records, own, other)


@dataclass(frozen=True)
class NoisyMean:
    """The sum of a number over all records, each under its own noise."""

    question: Figure
    total: float  # of what lies above the lower end of the range, in the unit of the column
    records: int
    absent: TwoRates | None  # records without it; they stand at the middle of the range

    def mean(self, confidence: Number) -> tuple[float, tuple[float, float]]:
        """The mean of the values that are there, and what the true mean lies between.

        (sum − middle · missing) / (records − missing) goes one way in each of the two noisy
        ones, which share the chance of error.  Both ends are cut back to the range.
        """
        chance = (1 - share("confidence", confidence)) / (2 if self.absent else 1)
        low, high = 0.0, float(self.ends[1] - self.ends[0])
        if not self.records:
            return self._moved((low + high) / 2, low, high)
        reach = self.law.two_sided(chance)
        sums = self.total - reach, self.total + reach
        away: Sequence[float] = self.absent.interval(1 - chance) if self.absent else (0,)
        corners = [self._mean(*corner) for corner in product(sums, away)]
        ends = [corner for corner in corners if corner is not None]
        if len(ends) < len(corners):  # perhaps nobody has a value
            ends = [low, high]
        seen = self._mean(self.total, self.absent.value if self.absent else 0.0)
        inside = [min(max(end, low), high) for end in ends]
        value = (low + high) / 2 if seen is None else min(max(seen, low), high)
        return self._moved(value, min(inside), max(inside))

    def _moved(self, value: float, low: float, high: float) -> tuple[float, tuple[float, float]]:
        """From above the lower end of the range to where it is; ends are rounded outwards."""
        first = self.ends[0]
        least, most = first + Fraction(low), first + Fraction(high)
        down, up = float(least), float(most)
        down = down if down <= least else nextafter(down, -inf)
        up = up if up >= most else nextafter(up, inf)
        return float(first + Fraction(value)), (down, up)

    @property
    def ends(self) -> tuple[Fraction, Fraction]:
        """The public range."""
        asked = self.question
        return asked.low, asked.low + asked.grid.points * asked.step

    @property
    def law(self) -> DiscreteSum:
        """Of the noise on the sum, in the unit of the column."""
        asked = self.question
        scale = (asked.event.noise or 0) * asked.grid.points
        return DiscreteSum.laplace(scale, self.records, step=asked.step)

    def _mean(self, total: float, away: float) -> float | None:
        there = self.records - away
        middle = float(self.question.grid.middle * self.question.step)
        return (total - middle * away) / there if there >= 1 else None


@dataclass(frozen=True, eq=False)
class Collected:
    """Tallies by column and noisy sums of numbers."""

    certificate: Certificate
    records: int
    tallies: Mapping[str, Tally]
    numbers: Mapping[str, NoisyMean]

    def count(self, column: str, values: Sequence[str]) -> TwoRates:
        """Records whose column has one of these values, with its interval."""
        tally = self.tally(column)
        wrong = [value for value in values if value not in tally.given]
        if wrong or not values:
            raise ParameterError(
                f"column {column} has no value {wrong[0] if wrong else ''!r}; it has: "
                f"{', '.join(tally.given)}"
            )
        return tally.count(list(dict.fromkeys(values)))

    def tally(self, column: str) -> Tally:
        """The answers to a question with a list of them."""
        if column in self.tallies:
            return self.tallies[column]
        offered = ", ".join(self.tallies) or "none"
        remedy = "; for a number ask for its mean" if column in self.numbers else ""
        raise ParameterError(f"no answers of {column} can be counted; there are: {offered}{remedy}")

    def mean(self, column: str, confidence: Number) -> tuple[float, tuple[float, float]]:
        """The mean of a number, and what the true one lies between."""
        if column in self.numbers:
            return self.numbers[column].mean(confidence)
        offered = ", ".join(self.numbers) or "none"
        raise ParameterError(f"{column} is no number that was asked; there are: {offered}")


def is_collected(certificate: Certificate) -> bool:
    """Whether a release holds answers of records by themselves: `local`, or labels of `lop`."""
    return certificate.method == "local" or has_coordinates(certificate)


def collected(release: Readable, *more: Readable) -> Collected:
    """The answers of a release, added up; refused where they are not those of its certificate.

    Those who answer alone make a release each: give all of them, asked in the same way.
    """
    for other in more:
        if _asked(other.certificate) != _asked(release.certificate):
            raise ReleaseError("the releases were not asked in the same way: collect like ones")
    certificate, budget = release.certificate, release.certificate.budget
    if not is_collected(certificate) or not isinstance(budget, PureDP):
        raise ReleaseError(f"{certificate.method} collects no answers; local does")
    try:
        table = pa.concat_tables([release.table, *(other.table for other in more)])
        if has_coordinates(certificate):
            return _labels(certificate, table)
        asked = Questionnaire.of(
            Domain.of(stated(certificate.public_schema)),
            budget.epsilon,
            encoding=certificate.options["encoding"],
            weights=certificate.options["weights"],
        )
        if asked.events != certificate.events or asked.columns != certificate.columns:
            raise ReleaseError(_DIFFERENT)
        return _added_up(certificate, asked, table)
    except (LookupError, TypeError, ValueError, AttributeError, pa.ArrowException):
        raise ReleaseError(_DIFFERENT) from None


def _asked(certificate: Certificate) -> tuple[object, ...]:
    options = {k: v for k, v in certificate.options.items() if k != "order"}
    return certificate.method, certificate.public_schema, certificate.budget, options


def _labels(certificate: Certificate, table: pa.Table) -> Collected:
    """Beside coordinates only the label is an answer; refused where there is none."""
    domain = Domain.of(stated(certificate.public_schema))
    question = label_question(domain, certificate.events)
    if question is None:
        raise ReleaseError(
            "lop released noisy coordinates and no label, so there is nothing to count: "
            "sfumato.accuracy.noisy_records reads them"
        )
    tally = Tally(question, _given(question, table), table.num_rows)
    return Collected(certificate, table.num_rows, {question.name: tally}, {})


def _added_up(certificate: Certificate, asked: Questionnaire, table: pa.Table) -> Collected:
    records = table.num_rows
    tallies: dict[str, Tally] = {}
    absent: dict[str, TwoRates] = {}
    for question in asked.questions:
        if isinstance(question, Choice):
            tally = Tally(question, _given(question, table), records)
            if question.flag:
                absent[question.name] = tally.count(question.answers[1:])
            else:
                tallies[question.name] = tally
    numbers = {
        question.name: NoisyMean(
            question,
            _above(question, table.column(question.name)),
            records,
            absent.get(question.name),
        )
        for question in asked.questions
        if isinstance(question, Figure)
    }
    return Collected(certificate, records, tallies, numbers)


def _above(question: Figure, column: pa.ChunkedArray) -> float:
    """Σ (value − low), exactly in steps of the grid: sums of large values pass 64 bits."""
    if column.null_count:
        raise ReleaseError(_DIFFERENT)
    values = column.to_numpy()
    if values.dtype.kind == "i":
        steps = _exact_sum(values) - len(values) * question.low
        return float(steps)
    steps = np.rint((values - float(question.low)) / float(question.step))
    if not (np.abs(steps) < _FARTHEST).all():  # nor is it where there is no number
        raise ReleaseError(_DIFFERENT)
    return float(_exact_sum(steps.astype(np.int64)) * question.step)


def _exact_sum(values: Whole) -> int:
    """Of whole numbers, in two halves, neither of which can overflow."""
    return (int((values >> 32).sum()) << 32) + int((values & 0xFFFFFFFF).sum())


def _given(question: Choice, table: pa.Table) -> dict[str, int]:
    """Yeses by answer; whatever is no answer to the question is refused."""
    if list(question.columns) == [question.name]:
        seen = table.column(question.name).value_counts().to_pylist()
        given = dict.fromkeys(question.answers, 0) | {one["values"]: one["counts"] for one in seen}
        if len(given) > len(question.answers):
            raise ReleaseError(_DIFFERENT)
        return given
    bits = [table.column(name) for name in question.columns]
    for column in bits:
        if column.null_count or (
            len(column) and not 0 <= pc.min(column).as_py() <= pc.max(column).as_py() <= 1
        ):
            raise ReleaseError(_DIFFERENT)
    yes = [int(pc.sum(column).as_py() or 0) for column in bits]
    answers = question.answers[1:] if question.flag else question.answers
    return dict(zip(answers, yes, strict=True))
