"""`sfumato report`: the page that is published beside a release."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sfumato.cli.screen import say

if TYPE_CHECKING:
    from sfumato.report.series_pictures import Reach

__all__ = ["report"]

_MOST_STEPS = 2**22  # of a series; the noise of longer ones is not worked out here


def report(
    release: Annotated[Path, typer.Argument(help="The folder of a release.")],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Another file; report.html in the folder by default."),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace a file that holds something else.")
    ] = False,
) -> None:
    """Write a page that says what was published, what is promised and how good it is.

    It is made from the release alone, so it may be published; the same release gives the same
    bytes. A release that does not verify is refused.

    Example: sfumato report release/
    """
    from sfumato.errors import ReleaseError
    from sfumato.release import Release
    from sfumato.release.file import appearing
    from sfumato.report.html import report as made
    from sfumato.verification import REPORT, verify

    place = output or release / REPORT
    if place.parent.resolve() == release.resolve() and place.name != REPORT:
        raise ReleaseError(f"{place} lies in the release, where only {REPORT} may be added")
    failed = [check for check in verify(release) if not check.passed]
    if failed:
        raise ReleaseError(f"{release} is not as it was released: {failed[0].detail}")
    known = Release.load(release)
    summary, reach = _method(known.certificate)
    text = made(known, summary=summary, reach=reach).encode()
    if _holds(place, text):
        say(f"{place} is up to date")
        return
    if (place.exists() or place.is_symlink()) and not force:
        raise ReleaseError(f"{place} exists and holds something else: --force replaces it")
    with appearing(place) as part:
        part.write_bytes(text)
    say(f"written {place}, {len(text) / 1000:,.0f} kB")


def _holds(place: Path, text: bytes) -> bool:
    try:
        return place.read_bytes() == text
    except OSError:  # not there, a folder, or not ours to read
        return False


def _method(paper: Mapping[str, Any]) -> "tuple[str, Reach | None]":
    """The method in a sentence and, where only it can tell, the error of its figures."""
    if "network" in paper:
        from sfumato.graph.methods import edge_method

        return edge_method(paper["method"]).summary, None
    if "stream" in paper:
        from sfumato.stream.methods import stream_method

        return stream_method(paper["method"]).summary, _recovered(paper)
    if "counts" in paper:
        from sfumato.retrieval.count_plan import Described

        return Described().summary, None
    from sfumato.methods import method

    return method(paper["method"]).summary, None


def _recovered(paper: Mapping[str, Any]) -> "Reach | None":
    """The error of counts that are recovered from decaying sums.

    A count is the truth plus Σ h_k X_{t−k}, h the counts that a single measurement of 1 at the
    first step is recovered as.  Discrete Gaussian noise of variance σ² has lighter tails than
    the continuous one, so |error| > √(2 σ² Σ h² ln(2/χ)) has a chance of χ at most; rounding
    adds a half.
    """
    import numpy as np

    from sfumato.stream.counter_settings import Settings
    from sfumato.stream.square_root import RecoveredCounts
    from sfumato.verification import stated_budget

    options = paper["options"]
    if options.get("engine") != "square-root" or options["smooth"] == "monotone":
        return None
    budget = stated_budget(paper, True)
    assert budget is not None  # noqa: S101  it was asked for
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
