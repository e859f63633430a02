"""The audit of running means."""

from sfumato.inspection.audit.mechanism import Mechanism
from sfumato.inspection.audit.stream_reservoir import check_reservoir, sample_reservoir
from sfumato.inspection.audit.stream_single import check_single

__all__ = ["MECHANISM"]

MECHANISM = Mechanism(
    "shares of ones of a stream: a series, and one mean from a secret sample",
    (lambda b: check_reservoir(b.pure), lambda b: check_single(b.pure)),
    (lambda b, e: sample_reservoir(b.pure, e),),
)
