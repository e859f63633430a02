"""Releases of streams: their plan again, times that rise, and how far a figure may be off."""

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from sfumato.errors import ReleaseError
from sfumato.plan.terms import ReleaseTerms
from sfumato.privacy.budget import Budget
from sfumato.publishing.kinds import stated_budget
from sfumato.release.certificate import Certificate, Continues, stated
from sfumato.stream.counter_settings import Settings
from sfumato.stream.methods import stream_method
from sfumato.stream.series_terms import series_terms
from sfumato.stream.square_root import RecoveredCounts

if TYPE_CHECKING:
    from sfumato.report.series_pictures import Reach

__all__ = ["check_values", "described", "series_again", "terms_again"]

_MOST_STEPS = 2**22  # of a series; the noise of longer ones is not worked out here


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


def described(certificate: Certificate) -> "tuple[str, Reach | None]":
    """What the registry says of the method, and the error of recovered counts."""
    return stream_method(certificate.method).summary, _recovered(certificate, _budget(certificate))


def _recovered(certificate: Certificate, budget: Budget) -> "Reach | None":
    """The error of counts that are recovered from decaying sums.

    A count is the truth plus Σ h_k X_{t−k}, h the counts that a single measurement of 1 at the
    first step is recovered as.  Discrete Gaussian noise of variance σ² has lighter tails than
    the continuous one, so |error| > √(2 σ² Σ h² ln(2/χ)) has a chance of χ at most; rounding
    adds a half.
    """
    options = certificate.options
    recovered = options.get("engine") == "square-root" and options.get("smooth") != "monotone"
    if not recovered:
        return None
    settings = Settings.read(stated(certificate.stream).horizon, budget, **options)
    if settings.steps > _MOST_STEPS:
        return None

    def reach(times: Any) -> Any:
        steps = -(-times // settings.every)
        first = np.zeros(int(steps.max()), np.int64)
        first[0] = settings.unit
        weights = np.cumsum(RecoveredCounts(settings.design).estimate(first) ** 2)
        variance = float(settings.noise.event.noise or 0)
        far = np.sqrt(2 * variance * weights[steps - 1] * np.log(2 / 0.05))
        return far + (0.5 if settings.smooth == "whole" else 0.0)

    return reach
