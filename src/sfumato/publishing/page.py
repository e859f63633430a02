"""The page of a release, as `sfumato report` writes it and `sfumato verify` expects it.

It follows from the release alone: the same folder gives the same bytes.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sfumato.privacy.budget import Budget
from sfumato.release.release import Release
from sfumato.report.html import html_page

if TYPE_CHECKING:
    from sfumato.report.series_pictures import Reach

__all__ = ["report_page"]

_MOST_STEPS = 2**22  # of a series; the noise of longer ones is not worked out here


def report_page(release: Release, budget: Budget | None) -> bytes:
    """The page; `budget` is what the certificate says that was spent."""
    summary, reach = _method(release.certificate, budget)
    return html_page(release, summary=summary, reach=reach).encode()


def _method(paper: Mapping[str, Any], budget: Budget | None) -> "tuple[str, Reach | None]":
    """The method in a sentence and, where only it can tell, the error of its figures."""
    if "network" in paper:
        from sfumato.graph.methods import edge_method

        return edge_method(paper["method"]).summary, None
    if "stream" in paper:
        from sfumato.stream.methods import stream_method

        return stream_method(paper["method"]).summary, _recovered(paper, budget)
    if "counts" in paper:
        from sfumato.retrieval.count_plan import Described

        return Described().summary, None
    from sfumato.methods import method

    return method(paper["method"]).summary, None


def _recovered(paper: Mapping[str, Any], budget: Budget | None) -> "Reach | None":
    """The error of counts that are recovered from decaying sums.

    A count is the truth plus Σ h_k X_{t−k}, h the counts that a single measurement of 1 at the
    first step is recovered as.  Discrete Gaussian noise of variance σ² has lighter tails than
    the continuous one, so |error| > √(2 σ² Σ h² ln(2/χ)) has a chance of χ at most; rounding
    adds a half.
    """
    import numpy as np

    from sfumato.stream.counter_settings import Settings
    from sfumato.stream.square_root import RecoveredCounts

    options = paper["options"]
    recovered = options.get("engine") == "square-root" and options.get("smooth") != "monotone"
    if budget is None or not recovered:
        return None
    settings = Settings.read(paper["stream"]["horizon"], budget, **options)
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
