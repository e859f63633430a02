"""The audit of ranges and categories that are bought."""

from sfumato.inspection.audit.mechanism import Mechanism
from sfumato.inspection.audit.ranges import check_ranges, check_values, sample_ranges

__all__ = ["MECHANISM"]

MECHANISM = Mechanism(
    "ranges, steps and categories that a schema leaves blank",
    (lambda b: check_ranges(b.pure), lambda b: check_values(b.gaussian)),
    (lambda b, e: sample_ranges(b.pure, e),),
)
