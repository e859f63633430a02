"""The audit of the private choice of a method."""

from sfumato.inspection.audit.choice import check_choice, check_judge, check_split, sample_choice
from sfumato.inspection.audit.mechanism import Mechanism

__all__ = ["MECHANISM"]

MECHANISM = Mechanism(
    "one of several methods, for a share of the budget",
    (
        lambda b: check_choice(b.pure),
        lambda b: check_judge(b.pure),
        lambda b: check_split(b.pure),
    ),
    (lambda b, e: sample_choice(b.pure, e),),
)
