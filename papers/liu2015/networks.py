"""The networks of chapters 4 and 5: who knows whom in the EIES study, and made-up ones.

EIES, the Electronic Information Exchange System, was an early kind of electronic mail.  Those
who were to use it said how well they know each other, from 1 to 4 (Freeman and Freeman 1979);
chapters 4 and 5 take the second of two times.  The thesis counts 48 people and 820
edges.  In the data as it is handed down 34 of the 48 have any acquaintance, with 830 edges.
"""

from pathlib import Path
from typing import Any

import numpy as np

from papers.place import located
from sfumato.graph.chosen_pairs import chosen
from sfumato.graph.network import Network, Topology
from sfumato.graph.pairs import Pairs
from sfumato.graph.reading import network_of
from sfumato.graph.recipe import EdgeMethod
from sfumato.privacy.mechanism import Purse
from sfumato.privacy.randomness import SeededBits

__all__ = ["HEAVIEST", "LIGHTEST", "eies", "every_pair", "made_up", "released", "some"]

LIGHTEST, HEAVIEST = 10.0, 100.0  # weights of made-up networks
_FILE = Path("eies") / "eies.csv.gz"
_REMEDY = (
    "get the acquaintances at time 2 of Freeman and Freeman's EIES study (in the R package tnet: "
    "Freemans.EIES.net.2.n48), write them as a gzipped CSV with the columns source, target and "
    f"weight to {_FILE} and point at the folder above: SFUMATO_DATA=/that/folder"
)


def eies(data: str | Path | None = None) -> Network:
    """34 people, 830 directed edges, weights from 1 to 4.

    >>> eies("nowhere")  # doctest: +IGNORE_EXCEPTION_DETAIL
    Traceback (most recent call last):
    sfumato.errors.DataError: nowhere/eies/eies.csv.gz does not exist…
    """
    path = located(_FILE, data, name="EIES", remedy=_REMEDY)
    return network_of(path, directed=True).network


def made_up(nodes: int, density: float, seed: int, *, directed: bool) -> Network:
    """A random network with this share of all edges, weights evenly from 10 to 100.

    >>> made_up(100, 0.7, seed=1, directed=True)
    <Network: 100 nodes, 6,930 directed edges>
    """
    rng = np.random.default_rng(seed)
    there = ~np.eye(nodes, dtype=bool) if directed else np.triu(np.ones((nodes, nodes), bool), 1)
    source, target = np.nonzero(there)
    edges = np.sort(rng.choice(len(source), round(density * len(source)), replace=False))
    names = tuple(map(str, range(1, nodes + 1)))
    topology = Topology(names, source[edges], target[edges], directed)
    return Network(topology, rng.uniform(LIGHTEST, HEAVIEST, len(edges)))


def every_pair(topology: Topology) -> Pairs:
    """All pairs of nodes with a path, an undirected one once.

    >>> len(every_pair(made_up(5, 1.0, seed=1, directed=False).topology))
    10
    """
    pairs = chosen(1.0, topology, np.random.default_rng(0))
    assert pairs is not None  # noqa: S101  a share was asked for
    return pairs


def some(pairs: Pairs, share: float, seed: int) -> Pairs:
    """H: a share of these pairs, drawn by a seed; one of them at least.

    >>> len(some(every_pair(made_up(5, 1.0, seed=1, directed=False).topology), 0.3, seed=1))
    3
    """
    rng, count = np.random.default_rng(seed), max(1, round(share * len(pairs)))
    drawn = np.sort(rng.choice(len(pairs), count, replace=False))
    return Pairs(pairs.source[drawn], pairs.target[drawn])


def released(
    method: EdgeMethod, network: Network, pairs: Pairs | None, seed: int, **options: Any
) -> Network:
    """What the method publishes of the network, by a seed: the data here is public.

    >>> from sfumato.graph.edge_gaussian import METHOD
    >>> network = made_up(5, 1.0, seed=1, directed=False)
    >>> change = released(METHOD, network, None, seed=1, sigma=0.1).weight / network.weight
    >>> bool(0.5 < change.min() < 1 < change.max() < 1.5)
    True
    """
    plan = method.price(network.topology, None, options)
    nobody = Pairs(np.empty(0, np.int64), np.empty(0, np.int64))
    purse = Purse(plan.guarantee, SeededBits(seed))
    changed = plan.change(network.weight, nobody if pairs is None else pairs, purse, _quiet)
    return network.with_weights(changed.weight)


def _quiet(what: str) -> None:
    """No progress is shown."""
