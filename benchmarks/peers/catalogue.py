"""Who is compared: which script runs it, in which environment, and what it is told."""

from dataclasses import dataclass, field
from typing import Any

__all__ = ["PEERS", "REFERENCES", "USUAL", "Peer"]

DELTA = 1e-9
REFERENCES = ("real", "bootstrap")


@dataclass(frozen=True)
class Peer:
    """One synthesizer with one promise; `environment` None is the one the harness runs in."""

    name: str
    title: str
    script: str
    environment: str | None
    delta: float | None = DELTA
    neighbours: str = "add-remove"
    options: dict[str, Any] = field(default_factory=dict)


def _ours(
    name: str, *words: str, delta: float | None = DELTA, alike: bool = False, told: bool = True
) -> Peer:
    neighbours = "add-remove" if alike else "replace-one"
    options = {"method": "mosaic", "neighbours": neighbours, "roles": told}
    title = ", ".join(("Sfumato mosaic", *words))
    return Peer(name, title, "release_sfumato.py", None, delta, neighbours, options)


def _smartnoise(name: str, title: str, **options: Any) -> Peer:
    script = "release_smartnoise.py"
    return Peer(name, f"SmartNoise {title}", script, "smartnoise", options=options)


def _opendp(name: str, title: str, **options: Any) -> Peer:
    return Peer(name, f"OpenDP {title}", "release_opendp.py", "opendp", options=options)


def _privbayes(name: str, title: str, **options: Any) -> Peer:
    script, environment = "release_datasynthesizer.py", "datasynthesizer"
    title = f"DataSynthesizer {title}"
    return Peer(name, title, script, environment, None, options=options)


AIM, MST = ({"algorithm": name, "repaired": True} for name in ("aim", "mst"))
BY_SCALE = "bins by scale"
ALIKE, UNTOLD = "neighbours as peers", "label not declared"
PEERS = {
    peer.name: peer
    for peer in (
        _ours("mosaic"),
        _ours("mosaic-unlabelled", UNTOLD, told=False),
        _ours("mosaic-alike", ALIKE, alike=True),
        _ours("mosaic-alike-unlabelled", ALIKE, UNTOLD, alike=True, told=False),
        _ours("mosaic-pure", "pure", delta=None),
        _ours("mosaic-pure-alike", "pure", ALIKE, delta=None, alike=True),
        _smartnoise("aim", "AIM, repaired", **AIM),
        _smartnoise("mst", "MST, repaired", **MST),
        _smartnoise("aim-scaled", f"AIM, repaired, {BY_SCALE}", **AIM, scaled=True),
        _smartnoise("mst-scaled", f"MST, repaired, {BY_SCALE}", **MST, scaled=True),
        _opendp("opendp-mst", "MST, repaired", algorithm="MST", repaired=True),
        _privbayes("privbayes", "PrivBayes, pure, one parent", parents=1),
        _privbayes("privbayes-two", "PrivBayes, pure, two parents", parents=2),
        _smartnoise("patectgan", "PATE-CTGAN", algorithm="patectgan", settings={}),
        _smartnoise("mst-installed", "MST, as installed", algorithm="mst", repaired=False),
        _smartnoise("aim-installed", "AIM, as installed", algorithm="aim", repaired=False),
        _opendp("opendp-mst-installed", "MST, as installed", algorithm="MST", repaired=False),
    )
}
# Those of a run that names none: the others are faults and slow ones, measured once.
USUAL = [name for name in PEERS if name not in ("privbayes-two", "patectgan")]
USUAL = [name for name in USUAL if not name.endswith("installed")]
