"""Releases of streams: their plan again, and times that rise."""

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pyarrow as pa

from sfumato.errors import ReleaseError
from sfumato.plan.terms import ReleaseTerms
from sfumato.privacy.budget import Budget
from sfumato.publishing.kinds import stated_budget
from sfumato.release.certificate import Certificate, Continues, stated
from sfumato.stream.methods import stream_method
from sfumato.stream.series_terms import series_terms

__all__ = ["check_values", "described", "series_again", "terms_again"]


def terms_again(folder: Path, certificate: Certificate) -> ReleaseTerms:  # noqa: ARG001
    """The terms of this release, or of this part of a series."""
    return series_again(certificate, certificate.continues)


def series_again(certificate: Certificate, continues: Continues | None) -> ReleaseTerms:
    """The terms of a series with these settings; of its beginning where nothing is continued."""
    budget = _budget(certificate)
    horizon = stated(certificate.stream).horizon
    plan = stream_method(certificate.method).price(horizon, budget, certificate.options)
    said = None if continues is None else continues.model_dump(by_alias=True, exclude_unset=True)
    counted = certificate.ledger is not None
    return series_terms(certificate.dataset, plan, said, counted=counted)


def _budget(certificate: Certificate) -> Budget:
    budget = stated_budget(certificate, True)
    assert budget is not None  # noqa: S101  it was asked for
    return budget


def check_values(certificate: Certificate) -> Callable[[pa.RecordBatch], None]:
    """Times rise from where the series begins to its horizon."""
    continues, horizon = certificate.continues, stated(certificate.stream).horizon
    last = 0 if continues is None else continues.start

    def check(batch: pa.RecordBatch) -> None:
        nonlocal last
        times = [last, *batch.column("time").to_pylist()]
        if any(b <= a for a, b in pairwise(times)) or times[-1] > horizon:
            raise ReleaseError("the times do not rise from where the series begins to its horizon")
        last = int(times[-1])

    return check


def described(certificate: Certificate) -> str:
    """What the registry says of the method."""
    return stream_method(certificate.method).summary
