"""The promise of a plan in words and figures: the same on every page that states it.

>>> from sfumato.publishing.table import price
>>> plan = price({"name": "t", "columns": {"smoker": {"kind": "boolean"}}}, epsilon=1)
>>> found = SaidPromise.of(plan)
>>> found.sentence.endswith("at most 2.68 % likely afterwards (odds at most × 2.72).")
True
>>> found.figures.figure
'ε = 1'
"""

from dataclasses import dataclass
from typing import Self

from sfumato.plan import Plan
from sfumato.release.certificate import BoughtFacts
from sfumato.release.kind import TABLE
from sfumato.report.promised import Promised, in_odds, promised

__all__ = ["SaidPromise"]


@dataclass(frozen=True, slots=True)
class SaidPromise:
    """What is promised, for people."""

    sentence: str  # with the chance that it fails; empty where nothing is promised
    figures: Promised | None

    @classmethod
    def of(cls, plan: Plan) -> Self:
        """As the page of the release will say it, what was bought before with it."""
        subject = plan.terms.subject
        bought = subject.get("bought")
        facts = None if bought is None else BoughtFacts.model_validate(bought)
        steps = 2 if subject["neighbours"] == "add-remove" else 1
        about = TABLE.in_words_of(str(subject["unit"])).about
        return cls(
            in_odds(plan.guarantee, facts, steps, about), promised(plan.guarantee, facts, steps)
        )
