"""Publish a weighted network: the topology is public, the weights are not.

What can be refused is refused from the topology, the method and the options, before the
ledger is charged; the rest is `sfumato.publishing.transaction`.  Only a method that promises
nothing looks at the weights first and refuses those that are no lengths.
"""

import hashlib
import hmac
from pathlib import Path
from typing import Any

import numpy as np

from sfumato.errors import ParameterError
from sfumato.graph.chosen_pairs import chosen
from sfumato.graph.methods import edge_method
from sfumato.graph.network import Network, Topology
from sfumato.graph.network_terms import COLUMNS, network_terms
from sfumato.graph.pairs import Pairs
from sfumato.graph.reading import Read, edge_list, network_of, returned
from sfumato.graph.recipe import EdgePlan, Say
from sfumato.ledger import Ledger
from sfumato.plan.terms import ReleaseTerms
from sfumato.privacy.guarantee import Heuristic, Number
from sfumato.privacy.mechanism import Purse
from sfumato.progress import Wish, working
from sfumato.publishing.transaction import (
    Produced,
    ReleaseTransaction,
    check_promise,
    dataset_name,
    priced_for,
)
from sfumato.release.file import Format
from sfumato.release.given_frame import Frame
from sfumato.release.release import Release
from sfumato.signature import signing_key

__all__ = ["NetworkRelease", "publish_network"]

DEFAULT_METHOD = "edge-laplace"
_FEWEST = 20  # edges, which are public: the weights of fewer are alike by accident
_BATCH_ROWS = 65_536


def publish_network(
    data: Any,
    *,
    directed: bool | None = None,
    method: str = DEFAULT_METHOD,
    preserve: Any = None,
    merge_directions: str = "error",
    name: str | None = None,
    epsilon: Number | None = None,
    delta: Number | None = None,
    rho: Number | None = None,
    ledger: Ledger | str | Path | None = None,
    folder: str | Path | None = None,
    format: Format | None = None,
    release: str | None = None,
    sign: str | Path | None = None,
    seed: int | None = None,
    accept_no_guarantee: bool = False,
    progress: Wish = None,
    **options: Any,
) -> "NetworkRelease":
    """Release a network with other weights on the same edges.

    `data` is an edge list (pandas or polars frame, Arrow table, path of a CSV or Parquet file)
    with the columns source, target and weight, a scipy sparse matrix, a networkx or igraph
    graph, or a `Network`; `NetworkRelease.data` is the same kind.  `preserve` names the pairs
    whose shortest paths must survive: a file or frame of two columns, a list, or a share of
    all pairs.  Where an undirected edge list has an edge in both directions, `merge_directions`
    says to take the mean or the sum of its weights.  `name` is what the ledger counts under, by
    default the name of the file.  `sign` is the file of a private key, which signs the certificate.

    >>> import pyarrow as pa
    >>> edges = pa.table({"source": ["a", "b", "a"], "target": ["b", "c", "c"],
    ...                   "weight": [1.0, 2.0, 4.0]})
    >>> release = publish_network(edges, directed=False, epsilon=1, high=10)
    >>> release
    <NetworkRelease of network by edge-laplace: 1-differential privacy>
    >>> release.data.column_names, release.data.num_rows
    (['source', 'target', 'weight'], 3)
    """
    chosen_method = edge_method(method)
    budget = priced_for(method, chosen_method.budgeted, epsilon=epsilon, delta=delta, rho=rho)
    read = network_of(data, directed=directed, merge_directions=merge_directions)
    topology = read.network.topology
    plan = chosen_method.price(topology, budget, options)
    pairs = _pairs(preserve, topology, seed, chosen_method.name)
    if pairs is None and chosen_method.needs_pairs:
        raise ParameterError(
            f"{method} keeps the shortest paths of chosen pairs: say which with preserve "
            "(--preserve), a file of pairs or a share such as 0.1"
        )
    counted = dataset_name(name, data, default="network", charged=ledger is not None)
    wanted = None if pairs is None else len(pairs)
    terms = network_terms(counted, topology, wanted, plan, read.merged)
    check_promise(terms, accept_no_guarantee)
    signer = signing_key(sign)
    if isinstance(plan.unproved, Heuristic):
        read.network.check_weights()
    ledger = Ledger(ledger) if isinstance(ledger, str | Path) else ledger
    key = None if ledger is None else ledger.fingerprint_key
    written: Format = format or ("parquet" if read.kind == "parquet" else "csv")
    frame: Frame = read.kind if read.kind in ("pandas", "polars") else "arrow"
    with working(progress) as say:
        publishable = _Network(terms, plan, read.network, pairs, key, say)
        transaction = ReleaseTransaction(publishable, ledger, release, seed, signer=signer)
        made = transaction.to(folder, written, frame)
    return NetworkRelease(made, read, data)


class NetworkRelease(Release):
    """A network that may be published, and what it promises."""

    def __init__(self, release: Release, given: Read, original: Any) -> None:
        vars(self).update(vars(release))
        self._given, self._original = given, original

    @property
    def network(self) -> Network:
        """The released network."""
        weight = np.asarray(self.table.column("weight"), np.float64)
        return self._given.network.with_weights(weight)

    @property
    def data(self) -> Any:
        """The released network as the kind of thing that was given."""
        given = self._given
        return returned(given.kind, self.network, self._original, given.columns)

    def __reduce__(self) -> tuple[Any, ...]:
        """A plain release: what was given has the true weights, and does not travel with it."""
        given = ("_given", "_original")
        kept = {name: value for name, value in vars(self).items() if name not in given}
        return Release, (self.certificate,), kept

    def __repr__(self) -> str:
        return "<Network" + super().__repr__()[1:]


class _Network:
    """A network to be published."""

    def __init__(
        self,
        terms: ReleaseTerms,
        plan: EdgePlan,
        network: Network,
        pairs: Pairs | None,
        key: bytes | None,
        say: Say,
    ) -> None:
        self.terms, self.tables = terms, {"data": COLUMNS}
        self._plan, self._network, self._pairs = plan, network, pairs
        self._key, self._say = key, say

    def fingerprint(self) -> bytes | None:
        """A keyed digest of names and weights, whatever the order of the edges."""
        topology = self._network.topology
        if self._key is None or topology.edges < _FEWEST:
            return None
        names = np.array(topology.nodes)
        order = np.lexsort((names[topology.target], names[topology.source]))
        digest = hmac.new(self._key, b"sfumato network", hashlib.blake2b)
        for part in (names[topology.source][order], names[topology.target][order]):
            digest.update("\0".join(part.tolist()).encode())
        digest.update(np.ascontiguousarray(self._network.weight[order]).tobytes())
        return digest.digest()[:32]

    def produce(self, purse: Purse, _release: str) -> Produced:
        nobody = np.empty(0, np.int64)
        pairs = self._pairs or Pairs(nobody, nobody)
        changed = self._plan.change(self._network.weight, pairs, purse, self._say)
        self._say("writing the release")
        table = edge_list(self._network.with_weights(changed.weight))
        batches = iter(table.to_batches(max_chunksize=_BATCH_ROWS))
        return Produced(changed.synopsis, batches)


def _pairs(preserve: Any, topology: Topology, seed: int | None, method: str) -> Pairs | None:
    if preserve is None:
        return None
    if not edge_method(method).preserves:
        raise ParameterError(
            f"{method} keeps no shortest paths: leave out preserve, or choose edge-greedy, "
            "edge-anonymous or edge-potential"
        )
    return chosen(preserve, topology, np.random.default_rng(seed))
