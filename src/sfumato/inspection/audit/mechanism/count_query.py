"""The audit of published counts, and of answers to queries."""

from sfumato.inspection.audit.counts import check_counts, sample_counts
from sfumato.inspection.audit.counts_desk import check_desk
from sfumato.inspection.audit.mechanism import Mechanism

__all__ = ["MECHANISM"]

MECHANISM = Mechanism(
    "counts: histogram, wavelet, both, and answers of the desk",
    (
        lambda b: check_counts(b.pure),
        lambda b: check_counts(b.gaussian),
        lambda b: check_desk(b.pure),
    ),
    (
        lambda b, e: sample_counts("histogram", b.pure, e),
        lambda b, e: sample_counts("wavelet", b.pure, e),
    ),
)
