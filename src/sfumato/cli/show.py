"""What commands print: the promise of a release, open entries of a ledger, bars."""

import shlex
from math import log, sqrt

from sfumato.cli.screen import Grid, panel, say, show, styled
from sfumato.ledger import Ledger
from sfumato.privacy.guarantee import Heuristic, Seeded
from sfumato.release import Certificate, Release
from sfumato.release.facts import measured_facts, rows_of, warnings_of
from sfumato.schema.person import PERSON
from sfumato.signature.key import brief

__all__ = ["bars", "promise", "unfinished"]

_RELATION = {"replace-one": "what it holds", "add-remove": "and whether it is there at all"}
_OF_PERSON = {
    "replace-one": "what these hold, and how many they are",
    "add-remove": "and whether there is such a person at all",
}
_MOSTLY_NOISE = 10  # per cent of a column's range


def promise(release: Release, *, again: bool = False) -> None:
    """What was published, what is promised, where it is, and how to check it.

    `again`: the folder held it before, so that nothing new was measured.
    """
    certificate = release.certificate
    lines = Grid.plain()
    lines.line("promise", styled(certificate.statement, "bold"))
    if not isinstance(release.guarantee, Seeded | Heuristic):
        lines.line("hides", _hidden(certificate))
    for name, text in measured_facts(certificate):
        lines.line(name, text)
    if isinstance(basis := certificate.options.get("basis"), dict):
        source = certificate.options.get("basis_source") or "no source was stated"
        said = f"of {basis.get('rows', 0):,} records that the owner declared public ({source})"
        if "release" in basis:
            said = f"bought by release {basis['release']} ({basis['method']})"
        lines.line("components", f"{said}: no budget spent here")
    if (share := _noise_on_means(release)) is not None:
        classes = (release.synopsis or {})["classes"]
        whose = "at most" if classes == 1 else "(in a class of usual size) about"
        said = f"the noise moves a mean by {whose} {share:.2g} % of its range, 19 times in 20"
        lines.line("expect", said)
        if share > _MOSTLY_NOISE:
            lines.line("warning", styled("at this size and budget that is mostly noise", "yellow"))
    for warning in warnings_of(certificate):
        lines.line("warning", styled(warning, "yellow"))
    if certificate.invariants:
        lines.line("not hidden", ", ".join(certificate.invariants))
    if (joint := certificate.parties) is not None:
        lines.line("parties", f"{', '.join(joint.contributed)} (of {len(joint.names)})")
    ledger = certificate.ledger
    counted = "none: repeated releases are not counted"
    if ledger is not None:
        counted = f"charged as {certificate.release}"
    elif joint is not None:
        counted = "whether each party counts it in a ledger is not known here"
    lines.line("ledger", counted)
    if certificate.signature is not None:
        lines.line("signed", f"by key {brief(certificate.signature.key)}")
    if release.folder is not None:
        names = ", ".join(sorted([*certificate.listed, "release.json"]))
        lines.line("written", f"{release.folder}/ ({names})")
        check = f"sfumato verify {shlex.quote(str(release.folder))}"
        lines.line("check it", check + (" --ledger …" if ledger else ""))
    rows = rows_of(certificate)
    show(panel(lines, f"{certificate.dataset} · {rows} by {certificate.method}"))
    if again:
        say(
            "already released: nothing was drawn or charged again. To publish the data as it is "
            "today, choose another folder."
        )


def _hidden(certificate: Certificate) -> str:
    """What neighbours differ in, in plain words."""
    about = certificate.neighbours
    if certificate.stream is not None:
        about = f"{certificate.stream.horizon:,}"
    elif certificate.public_schema is not None or certificate.estimate is not None:
        relation = _OF_PERSON if certificate.unit == PERSON else _RELATION
        about = relation.get(certificate.neighbours, certificate.neighbours)
    return certificate.words.hidden.format(about)


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
    synopsis, event = release.synopsis, release.certificate.measured[0]
    if not synopsis or synopsis.get("kind") != "moments" or not synopsis["rows"]:
        return None
    joint = release.certificate.parties
    if joint is not None and joint.noises(event) != 1:
        return None  # its noise is larger than that of the event
    laplace = event.mechanism == "discrete-laplace"
    far = event.size * log(20) if laplace else 1.96 * sqrt(event.size)
    return 100 * far * int(synopsis["classes"]) / int(synopsis["rows"])


def unfinished(ledger: Ledger, dataset: str, release: str | None) -> None:
    """Say what earlier runs left open, before a new charge is made."""
    left = [entry for entry in ledger.unfinished(dataset) if entry.release != release]
    if left:
        ids = ", ".join(entry.release for entry in left[:3]) + (", …" if len(left) > 3 else "")
        say(
            f"unfinished releases of {dataset}: {ids}. They are still running or were "
            "interrupted, and stay charged; see: sfumato ledger show",
            err=True,
        )
