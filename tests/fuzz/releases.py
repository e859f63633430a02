"""Release folders as they are received: by whoever made them, with seals that fit."""

import json
from functools import cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa

from fuzz.changes import bytes_changed, nested_changed, words_changed
from fuzz.judge import Trial, command
from fuzz.keys import made_up_key
from fuzz.schemas import SCHEMA
from sfumato.publishing.counts import publish_counts
from sfumato.publishing.network import publish_network
from sfumato.publishing.stream import publish_stream
from sfumato.publishing.table import publish
from sfumato.release import Release
from sfumato.release.digest import digest
from sfumato.release.folder import CERTIFICATE, sha256
from sfumato.retrieval.published import PublishedCounts

__all__ = ["make"]

_TABLE = pa.table(
    {
        "age": [30, 41, 57] * 4,
        "weight": [60.5, None, 81.0] * 4,
        "ward": ["a", "b", "c"] * 4,
        "smoker": [True, False, False] * 4,
        "seen": ["2021-01-01", "2022-02-02", "2023-03-03"] * 4,
    }
)
_EDGES = pa.table({"source": ["a", "b", "a"], "target": ["b", "c", "c"], "weight": [1.0, 2.0, 4.0]})
_COUNTS = pa.table({"key": [f"k{place}" for place in range(8)], "count": list(range(8))})
_MINE, _OTHER = made_up_key(1), made_up_key(2)
_GOOD: dict[str, Any] = {
    "signed": lambda to: _signed(to),
    "mosaic": lambda to: publish(_TABLE, schema=SCHEMA, epsilon=1, seed=1, release="r", folder=to),
    "parquet": lambda to: publish(
        _TABLE,
        schema=SCHEMA,
        method="modips",
        epsilon=1,
        seed=1,
        release="r",
        folder=to,
        format="parquet",
    ),
    "dp-lda": lambda to: publish(
        _TABLE, schema=SCHEMA, method="dp-lda", epsilon=1, seed=1, release="r", folder=to
    ),
    "network": lambda to: publish_network(
        _EDGES, directed=False, epsilon=1, high=10, seed=1, release="r", folder=to
    ),
    "series": lambda to: publish_stream(
        [0, 1] * 16, horizon=32, every=8, epsilon=1, seed=1, release="r", folder=to
    ),
    "counts": lambda to: publish_counts(
        _COUNTS, ways="both", epsilon=1, seed=1, release="r", folder=to
    ),
}


def _signed(to: Path) -> None:
    place = to.with_name("publisher.key")
    place.write_bytes(_MINE.pem())
    place.chmod(0o600)
    publish(_TABLE, schema=SCHEMA, epsilon=1, seed=1, release="r", folder=to, sign=place)


@cache
def _good(kind: str) -> dict[str, bytes]:
    with TemporaryDirectory() as place:
        folder = Path(place) / "release"
        _GOOD[kind](folder)
        return {path.name: path.read_bytes() for path in folder.iterdir()}


def make(rng: Random, folder: Path) -> Trial:
    """A folder of which one file was changed, most of them sealed anew by whoever did it."""
    kind = rng.choice(list(_GOOD))
    files = dict(_good(kind))
    name = rng.choice(list(files) + [CERTIFICATE] * 3)
    level = rng.choice(("bytes", "words", "nested", "nested", "gone"))
    if level == "gone":
        del files[name]
    elif level == "nested" and name.endswith(".json"):
        files[name] = json.dumps(nested_changed(rng, json.loads(files[name]))).encode()
    elif level == "words" and not name.endswith(".parquet"):
        files[name] = words_changed(rng, files[name].decode()).encode("utf-8", "surrogatepass")
    else:
        files[name] = bytes_changed(rng, files[name])
    place = folder / "release"
    place.mkdir()
    for file, content in files.items():
        (place / file).write_bytes(content)
    sealed = rng.random() < 0.8 and _seal(place)
    act, said = _act(rng, place)
    shown = files.get(name, b"")
    return Trial(act, f"{said} of {kind}, {name}, {level}, sealed {sealed}: {shown!r}")


def _seal(place: Path) -> bool:
    """Digests that fit, as a forger would write them."""
    try:
        paper = json.loads((place / CERTIFICATE).read_text())
        named = paper["files"]
        paper["files"] = {name: sha256(place / name) for name in named if (place / name).exists()}
        paper["seal"] = digest({k: fact for k, fact in paper.items() if k != "signature"})
        (place / CERTIFICATE).write_text(json.dumps(paper))
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return False
    return True


def _act(rng: Random, place: Path) -> tuple[Any, str]:
    folder, keys = str(place), place.parent / "keys"
    keys.write_text(f"ed25519 {(_MINE if rng.random() < 0.7 else _OTHER).id}\n")
    acts: dict[str, Any] = {
        "verify": command("verify", folder),
        "verify key": command("verify", folder, "--key", str(keys)),
        "verify revoked": command("verify", folder, "--revoked", str(keys)),
        "report": command("report", folder, "-o", str(place.parent / "page.html")),
        "accuracy": command("accuracy", folder),
        "accuracy mean": command("accuracy", folder, "--mean", "age", "--max", "ward", "--json"),
        "suggest": command("schema", "suggest", folder),
        "ask": command("query", "ask", folder, "--keys", "k1,k2"),
        "load": lambda: _looked(Release.load(folder)),
        "counts": lambda: PublishedCounts.load(folder),
        "graph compare": command("graph", "compare", str(place / "data.csv"), folder),
        "inspect": command("inspect", folder, "--original", str(place / "data.csv"), "--uncounted"),
    }
    chosen = rng.choice([*acts, "verify", "verify", "report"])
    return acts[chosen], chosen


def _looked(release: Release) -> None:
    """At everything that a release shows."""
    repr(release)
    for name in ("guarantee", "table", "data", "synopsis", "certificate"):
        getattr(release, name)
