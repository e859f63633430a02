"""The audit of noisy weights."""

from sfumato.inspection.audit.mechanism import Mechanism
from sfumato.inspection.audit.network import check_network, sample_network

__all__ = ["MECHANISM"]

MECHANISM = Mechanism(
    "every weight of a network under noise",
    (lambda b: check_network(b.pure), lambda b: check_network(b.gaussian)),
    (lambda b, e: sample_network(b.pure, e),),
)
