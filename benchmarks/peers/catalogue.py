"""Who is compared: which script runs it, in which environment, and what it is told."""

from dataclasses import dataclass, field
from typing import Any

__all__ = ["PEERS", "REFERENCES", "Peer"]

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
    options: dict[str, Any] = field(default_factory=dict)


def _ours(name: str, title: str, delta: float | None, **options: Any) -> Peer:
    told = {"method": "mosaic"} | options
    words = ", ".join(filter(None, ("Sfumato mosaic", title)))
    return Peer(name, words, "release_sfumato.py", None, delta, told)


def _smartnoise(name: str, title: str, **options: Any) -> Peer:
    return Peer(name, f"SmartNoise {title}", "release_smartnoise.py", "smartnoise", DELTA, options)


def _opendp(name: str, title: str, **options: Any) -> Peer:
    return Peer(name, f"OpenDP {title}", "release_opendp.py", "opendp", DELTA, options)


def _privbayes(name: str, title: str, **options: Any) -> Peer:
    script, environment = "release_datasynthesizer.py", "datasynthesizer"
    return Peer(name, f"DataSynthesizer {title}", script, environment, None, options)


# The number of records is private then; about how many there are is taken as known.
ALIKE = {"neighbours": "add-remove", "records": 30_000}
PEERS = {
    peer.name: peer
    for peer in (
        _ours("mosaic-pure", "pure", None),
        _ours("mosaic-pure-forest", "pure, forest", None, model="forest"),
        _ours("mosaic-pure-alike", "pure, neighbours as peers", None, **ALIKE),
        _ours("mosaic", "", DELTA),
        _ours("mosaic-forest", "forest", DELTA, model="forest"),
        _ours("mosaic-alike", "neighbours as peers", DELTA, **ALIKE),
        _smartnoise("mst", "MST, repaired", algorithm="mst", repaired=True),
        _smartnoise("aim", "AIM, repaired", algorithm="aim", repaired=True),
        _opendp("opendp-mst", "MST, repaired", algorithm="MST", repaired=True),
        _privbayes("privbayes", "PrivBayes, pure, one parent", parents=1),
        _privbayes("privbayes-two", "PrivBayes, pure, two parents", parents=2),
        _smartnoise("patectgan", "PATE-CTGAN", algorithm="patectgan", settings={}),
        _smartnoise("mst-installed", "MST, as installed", algorithm="mst", repaired=False),
        _smartnoise("aim-installed", "AIM, as installed", algorithm="aim", repaired=False),
        _opendp("opendp-mst-installed", "MST, as installed", algorithm="MST", repaired=False),
    )
}
