"""Networks: names and edges are public, weights are not."""

from pathlib import Path
from random import Random

from fuzz.changes import bytes_changed, cell, words_changed
from fuzz.judge import Trial, command
from fuzz.tables import FIGURE, SECRETS, WORD
from sfumato.publishing.network import publish_network

__all__ = ["make"]

_EDGES = [("a", "b"), ("b", "c"), ("c", "d"), ("d", "a"), ("a", "c"), ("d", "e"), ("e", "f")]
_PAIRS = "source,target\na,c\nb,f\n"
_PROVED = ({"method": "edge-laplace", "epsilon": 1, "high": 10},)
_UNPROVED = ("edge-gaussian", "edge-greedy", "edge-anonymous", "edge-potential")


def _list(rng: Random, odd: bool) -> str:
    weights = [f"{rng.uniform(0.1, 9):.3f}" for _ in _EDGES]
    for place in range(len(_EDGES)) if odd else ():
        weights[place] = cell(rng).replace('"', '""') if rng.random() < 0.4 else weights[place]
    if odd:
        weights[rng.randrange(len(_EDGES))] = rng.choice((WORD, FIGURE))
    lines = [f'{a},{b},"{weight}"' for (a, b), weight in zip(_EDGES, weights, strict=True)]
    return "\n".join(["source,target,weight", *lines]) + "\n"


def make(rng: Random, folder: Path) -> Trial:
    """An edge list that is published, with pairs to keep or without."""
    level = rng.choice(("cells", "bytes", "words", "pairs"))
    content = _list(rng, odd=level == "cells").encode()
    pairs = _PAIRS.encode()
    if level == "bytes":
        content = bytes_changed(rng, _list(rng, odd=True).encode())
    elif level == "words":
        content = words_changed(rng, _list(rng, odd=True), 5).encode("utf-8", "replace")
    elif level == "pairs":
        pairs = rng.choice((bytes_changed(rng, pairs), words_changed(rng, _PAIRS, 5).encode()))
    file, wanted = folder / "roads.csv", folder / "pairs.csv"
    file.write_bytes(content)
    wanted.write_bytes(pairs)
    proved = level != "pairs" and rng.random() < 0.6
    directed = rng.random() < 0.5
    # A change of bytes may put a weight where a name belongs, and names are public.
    secrets = SECRETS if level in ("cells", "pairs") else ()
    said = f"{level}, directed {directed}: {content!r} {pairs!r}"
    if proved:
        if rng.random() < 0.3:
            words = ("--epsilon", "1", "--option", "high=10", "-o", str(folder / "out"))
            way = "--directed" if directed else "--undirected"
            return Trial(
                command("graph", "publish", str(file), way, *words),
                f"command graph publish, {said}",
                secrets,
                level == "cells",
            )
        asked = rng.choice(_PROVED)
        return Trial(
            lambda: publish_network(file, directed=directed, folder=folder / "out", **asked).data,
            f"publish_network {asked}, {said}",
            secrets,
            level == "cells",
        )
    method = rng.choice(_UNPROVED)
    preserve = rng.choice((wanted, "0.5", 0.3))
    return Trial(
        lambda: publish_network(
            file,
            directed=directed,
            method=method,
            preserve=None if method == "edge-gaussian" else preserve,
            accept_no_guarantee=True,
            folder=folder / "out",
        ),
        f"publish_network {method} {preserve}, {said}",
        secrets,
    )
