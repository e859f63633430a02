"""The audit of parts of one table that are charged apart."""

from sfumato.inspection.audit.mechanism import Mechanism
from sfumato.inspection.audit.parts import check_parts, sample_parts

__all__ = ["MECHANISM"]

MECHANISM = Mechanism(
    "parts of one table, at the price that a ledger asks for all of them",
    (lambda b: check_parts(b.pure), lambda b: check_parts(b.gaussian)),
    (lambda b, e: sample_parts(b.pure, e),),
)
