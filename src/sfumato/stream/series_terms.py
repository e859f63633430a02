"""What is to be published of a stream, as ledger and certificate see it."""

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from sfumato.plan.terms import ReleaseTerms
from sfumato.stream.recipe import StreamPlan

__all__ = ["COLUMNS", "series_terms"]

COLUMNS = pa.schema(
    [
        pa.field("time", pa.int64(), nullable=False),
        pa.field("value", pa.float64(), nullable=False),
    ]
)
_LIMITS = (
    "The promise is about one bit. Whoever is behind several bits is protected less: the promise "
    "weakens in proportion to them.",
    "When bits came, and how many, is not hidden.",
    "How long the computation took, and other side channels of the machine, are not covered.",
)


_UNCOUNTED = (
    "No ledger kept count of the parts of this series: whoever went on from a copy of a paused "
    "state has published the same bits more than once, and nothing would show it."
)


def series_terms(
    dataset: str,
    plan: StreamPlan,
    continues: Mapping[str, Any] | None = None,
    *,
    counted: bool,
) -> ReleaseTerms:
    """A plan for a stream of this name.

    `continues` says which part it is of which release, and from where it goes on; `counted`
    whether a ledger keeps count of the parts.
    """
    uncounted = plan.pausable and not counted
    return plan.terms_for(
        {
            "dataset": dataset,
            "unit": "one bit of the stream",
            "neighbours": "two streams of the same length that differ in one bit",
            "stream": {"horizon": plan.horizon, "continues": continues},
        },
        columns=COLUMNS,
        invariants=("the number of bits that came",),
        caveats=(*((_UNCOUNTED,) if uncounted else ()), *_LIMITS),
    )
