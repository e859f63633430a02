"""The audit of running counts."""

from sfumato.inspection.audit.mechanism import Mechanism
from sfumato.inspection.audit.stream_counter import check_series, sample_counter
from sfumato.inspection.audit.stream_memory import check_memory

__all__ = ["MECHANISM"]

MECHANISM = Mechanism(
    "running counts of a stream: tree, square root, pan-private tree",
    (
        lambda b: check_series("tree", b.pure),
        lambda b: check_series("tree", b.gaussian),
        lambda b: check_series("square-root", b.gaussian),
        lambda b: check_series("tree", b.pure, pan=True),
        lambda b: check_memory(b.pure),
        lambda b: check_memory(b.gaussian),
        lambda b: check_memory(b.pure, looks=2),
        lambda b: check_memory(b.gaussian, looks=2),
    ),
    (
        lambda b, e: sample_counter("tree", b.pure, e),
        lambda b, e: sample_counter("square-root", b.gaussian, e),
    ),
)
