"""The audit of the counts that a release begins with, and of where it stops."""

from sfumato.inspection.audit.fit import check_fit, sample_fit
from sfumato.inspection.audit.mechanism import Mechanism

__all__ = ["MECHANISM"]

MECHANISM = Mechanism(
    "counts of what does not fit a schema, and releases that stop at them",
    (lambda b: check_fit(b.pure), lambda b: check_fit(b.gaussian)),
    (lambda b, e: sample_fit(b.pure, e),),
)
