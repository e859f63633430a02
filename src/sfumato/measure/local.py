"""Every record's answers to a public questionnaire, each record by itself.

Guarantee.  ε-local differential privacy: whatever two records are compared, no answers are more
than e^ε times as likely from one as from the other; so the answers of all records are ε-DP
under replace-one, n public.  Nothing about a record decides what is asked or how another one is
answered, so whoever holds a single record can do this alone.
Sensitivity.  A number moves by at most its whole range, which is 1 in its unit; the law of
an answer is that of `sfumato.privacy.answer`.  Proof: `docs/proofs/local.md`.
"""

from dataclasses import dataclass

import numpy as np

from sfumato.numeric.arrays import Codes, Whole
from sfumato.privacy.answer import answered
from sfumato.privacy.keyed import NoiseKey
from sfumato.privacy.mechanism import PaidByPart, Purse
from sfumato.synopsis.questionnaire import Choice, Figure, Question, Questionnaire
from sfumato.table.mapped import EachPart, Mapped
from sfumato.table.records import Records

__all__ = ["Answers", "paid_answers"]


@dataclass(frozen=True)
class Answers:
    """Noisy answers of every record, in the order of the records."""

    questionnaire: Questionnaire

    def query(self, codes: Codes) -> list[Whole]:
        """NOT PRIVATE: the true answers, question by question."""
        return [asked.query(codes) for asked in self.questionnaire.questions]

    def perturb(self, records: Records, purse: Purse) -> Mapped[list[Whole]]:
        """The answers to each question, part by part; paid for once, up front."""
        asking = tuple(paid_answers(question, purse) for question in self.questionnaire.questions)
        return records.map(_PaidQuestionnaire(asking))


def paid_answers(question: Question, purse: Purse) -> EachPart[Whole]:
    """Pay for all answers to a question; how records answer it from then on."""
    if isinstance(question, Choice):
        return _PaidChoice(question, purse.spend_by_part(question.event))
    return _PaidFigure(question, purse.pay_by_part(question.noise))


@dataclass(frozen=True, eq=False)
class _PaidQuestionnaire:
    asking: tuple[EachPart[Whole], ...]

    def __call__(self, number: int, codes: Codes, /) -> list[Whole]:
        return [ask(number, codes) for ask in self.asking]


@dataclass(frozen=True, eq=False)
class _PaidChoice:
    question: Choice
    key: NoiseKey

    def __call__(self, number: int, codes: Codes, /) -> Whole:
        bits = self.key.part(number, codes)
        return answered(self.question.response, self.question.query(codes), bits)


@dataclass(frozen=True, eq=False)
class _PaidFigure:
    question: Figure
    paid: PaidByPart

    def __call__(self, number: int, codes: Codes, /) -> Whole:
        exact = self.question.query(codes)
        units = np.full(exact.shape, self.question.grid.points, np.int64)
        return self.paid.part(number, codes).add(exact, units)
