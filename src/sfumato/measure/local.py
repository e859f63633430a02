"""Every record's answers to a public questionnaire, each record by itself.

Guarantee.  ε-local differential privacy: whatever two records are compared, no answers are more
than e^ε times as likely from one as from the other; so the answers of all records are ε-DP
under replace-one, n public.  Nothing about a record decides what is asked or how another one is
answered, so whoever holds a single record can do this alone.
Sensitivity.  A number moves by at most its whole range, which is 1 in its unit; the law of
an answer is that of `sfumato.privacy.answer`.  Proof: `docs/proofs/local.md`.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from sfumato.numeric.arrays import Codes, Whole
from sfumato.privacy.answer import answered
from sfumato.privacy.mechanism import Purse
from sfumato.synopsis.questionnaire import Choice, Question, Questionnaire
from sfumato.table.records import Records

__all__ = ["Answers", "paid_answers"]

Asking = Callable[[Codes], Whole]


@dataclass(frozen=True)
class Answers:
    """Noisy answers of every record, in the order of the records."""

    questionnaire: Questionnaire

    def query(self, codes: Codes) -> list[Whole]:
        """NOT PRIVATE: the true answers, question by question."""
        return [asked.query(codes) for asked in self.questionnaire.questions]

    def perturb(self, records: Records, purse: Purse) -> Iterator[list[Whole]]:
        """The answers to each question, batch by batch; paid for once, up front."""
        asking = [paid_answers(question, purse) for question in self.questionnaire.questions]
        return records.map(lambda codes: [ask(codes) for ask in asking])


def paid_answers(question: Question, purse: Purse) -> Asking:
    """Pay for all answers to a question; how records answer it from then on."""
    if isinstance(question, Choice):
        bits = purse.spend(question.event)
        return lambda codes: answered(question.response, question.query(codes), bits)
    paid, unit = purse.pay(question.noise), question.grid.points

    def noisy(codes: Codes) -> Whole:
        exact = question.query(codes)
        return paid.add(exact, np.full(exact.shape, unit, np.int64))

    return noisy
