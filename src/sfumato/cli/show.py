"""What commands print: the promise of a release, open entries of a ledger, bars."""

import shlex
from collections.abc import Mapping
from math import log, sqrt
from typing import Any

from sfumato.cli.screen import Grid, panel, say, show, styled
from sfumato.ledger import Ledger
from sfumato.privacy.guarantee import Heuristic, Seeded
from sfumato.release import Release

__all__ = ["bars", "promise", "unfinished"]

_MOSTLY_NOISE = 10  # per cent of a column's range


def promise(release: Release) -> None:
    """What was published, what is promised, where it is, and how to check it."""
    paper = release.certificate
    lines = Grid.plain()
    lines.line("promise", styled(paper["statement"], "bold"))
    if not isinstance(release.guarantee, Seeded | Heuristic):
        lines.line("hides", _hidden(paper))
    for event in paper["events"]:
        if event["noise"] is None:
            how = "changed, no proof" if event["mechanism"] == "perturbation" else "without noise"
            lines.line("measured", f"{event['statistic']}: {how}")
            continue
        figure = next(iter(event["noise"]))
        law = event["mechanism"].replace("-", " ")
        amount = event["noise"]["approximately"]
        said = f"{event['statistic']}: {law} noise, {figure} {amount:.4g}"
        lines.line("measured", said)
    if isinstance(basis := paper["options"].get("basis"), dict):
        source = paper["options"].get("basis_source") or "no source was stated"
        said = f"of {basis['rows']:,} public records ({source}): free, on the owner's word"
        lines.line("components", said)
    if (share := _noise_on_means(release)) is not None:
        classes = (release.synopsis or {})["classes"]
        whose = "at most" if classes == 1 else "(in a class of usual size) about"
        said = f"the noise moves a mean by {whose} {share:.2g} % of its range, 19 times in 20"
        lines.line("expect", said)
        if share > _MOSTLY_NOISE:
            lines.line("beware", styled("at this size and budget that is mostly noise", "yellow"))
    for warning in paper["warnings"]:
        lines.line("beware", styled(warning, "yellow"))
    if paper["invariants"]:
        lines.line("not hidden", ", ".join(paper["invariants"]))
    ledger = paper["ledger"]
    counted = f"charged as {paper['release']}" if ledger else "none kept: nothing counts repeats"
    lines.line("ledger", counted)
    if release.folder is not None:
        names = ", ".join(sorted([*paper["files"], "release.json"]))
        lines.line("written", f"{release.folder}/ ({names})")
        check = f"sfumato verify {shlex.quote(str(release.folder))}"
        lines.line("check it", check + (" --ledger …" if ledger else ""))
    of = "edges" if "network" in paper else "figures" if "stream" in paper else "rows"
    show(panel(lines, f"{paper['dataset']} · {paper['rows']:,} {of} by {paper['method']}"))


def _hidden(paper: Mapping[str, Any]) -> str:
    """What neighbours differ in, in plain words."""
    if "network" in paper:
        return f"which of two weightings it is: {paper['neighbours']}"
    if "stream" in paper:
        return f"any one bit of up to {paper['stream']['horizon']:,}, in all figures together"
    if "counts" in paper:
        return f"any one record behind the counts ({paper['neighbours']}), in all counts together"
    relation = {"replace-one": "what it holds", "add-remove": "and whether it is there at all"}
    return f"any one row: {relation[paper['neighbours']]}, in all columns together"


def bars(shares: list[float], top: float) -> str:
    """A row of bars, each from empty to full at `top`."""
    blocks = " ▁▂▃▄▅▆▇█"
    wide = 3 if len(shares) < 8 else 1
    return "".join(blocks[round(8 * share / top)] * wide + " " * (wide > 1) for share in shares)


def _noise_on_means(release: Release) -> float | None:
    """How far the noise alone moves a column's mean, in per cent of its range, at 95 %.

    Of the records that were measured, not of the rows that were drawn; so only where their
    number is public, and the mean is a noisy sum over an exact count.
    """
    synopsis, event = release.synopsis, release.certificate["events"][0]
    if not synopsis or synopsis.get("kind") != "moments" or not synopsis["rows"]:
        return None
    size = float(event["noise"]["approximately"])
    laplace = event["mechanism"] == "discrete-laplace"
    far = size * log(20) if laplace else 1.96 * sqrt(size)
    return 100 * far * int(synopsis["classes"]) / int(synopsis["rows"])


def unfinished(ledger: Ledger, dataset: str, release: str | None) -> None:
    """Say what earlier runs left open, before a new charge is made."""
    left = [entry for entry in ledger.unfinished(dataset) if entry.release != release]
    if left:
        ids = ", ".join(entry.release for entry in left[:3]) + (", …" if len(left) > 3 else "")
        say(
            f"unfinished releases of {dataset}: {ids}. They are still running or were "
            "stopped, and stay charged; see: sfumato ledger show",
            err=True,
        )
