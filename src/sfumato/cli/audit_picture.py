"""The picture of an audit: what was seen on two neighbouring tables, and where they differ."""

from collections.abc import Callable
from pathlib import Path
from textwrap import shorten

from sfumato.cli.audit_show import shares
from sfumato.errors import ParameterError
from sfumato.inspection.audit import Audit
from sfumato.release.file import appearing
from sfumato.report.style import COLOURS, INK, QUIET, style, subplots
from sfumato.untrusted.plain_file import is_folder

__all__ = ["canvas_for"]


def canvas_for(path: Path) -> Callable[[Audit], None]:
    """A function that draws into this file; what would stop it is refused beforehand."""
    if path.suffix.lower() not in (".svg", ".png"):
        raise ParameterError(f"picture must end in .svg or .png, got {path.name}")
    if not is_folder(path.parent) or is_folder(path):
        raise ParameterError(f"picture must be a file in a folder that exists, got {path}")
    with style():
        pass  # matplotlib is there
    return lambda found: _draw(found, path)


def _draw(found: Audit, path: Path) -> None:
    best = found.finding.best
    edges, sides = shares(found, 60)
    with style():
        figure = subplots(width=7.2, height=4.6)
        (axes,) = figure.axes
        for k, dash in enumerate(("-", (0, (4, 2)))):
            label = f"last record: {shorten(found.pair[k], 60)}"
            axes.stairs(sides[k], edges, color=COLOURS[k], linestyle=dash, label=label)
        region = f"region: {best.region.kind} {best.region.at:.4g}"
        axes.axvline(best.region.at, color=INK, linewidth=1, label=region)
        reach = {"at least": (best.region.at, edges[-1]), "at most": (edges[0], best.region.at)}
        if best.region.kind in reach:
            axes.axvspan(*reach[best.region.kind], color=QUIET, alpha=0.15, linewidth=0)
        axes.set(xlabel=best.region.score.text, ylabel="share of held-out runs")
        axes.set(xlim=(edges[0], edges[-1]), ylim=(0, None))
        proved = (
            f"{best.figure.name} of at least {best.found:.4g}, claimed {best.figure.claimed:.4g}"
        )
        axes.set_title(f"{found.method}: {found.verdict}, {proved}")
        figure.legend(loc="outside upper left")  # long labels, one under the other
        with appearing(path) as part:
            figure.savefig(part, format=path.suffix[1:].lower(), metadata=_plain(path))


def _plain(path: Path) -> dict[str, None]:
    """Nothing about when and with what it was drawn."""
    return {"Software": None} if path.suffix.lower() == ".png" else {"Date": None, "Creator": None}
