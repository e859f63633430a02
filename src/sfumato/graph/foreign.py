"""Networks as other libraries hold them: SciPy matrices, networkx and igraph graphs.

None of these libraries is imported here, but for SciPy when a matrix is handed back: a graph
is known by the methods it has, and a new one is built by its own class.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from sfumato.errors import DataError
from sfumato.graph.network import Network, Topology, Weights

__all__ = ["FOREIGN", "Foreign", "kind_of"]

Foreign = Literal["scipy", "networkx", "igraph"]
_SAME = 1e-9  # of a weight: two entries of a matrix that differ by less differ by rounding


@dataclass(frozen=True)
class _Library:
    """What is done with the graphs of one library."""

    directed: Callable[[Any], bool | None]  # None where the graph does not say
    read: Callable[[Any, bool, str], Network]
    write: Callable[[Network, Any, str], Any]


def kind_of(data: Any) -> Foreign | None:
    """Which library the graph belongs to, judged by its methods; None for everything else.

    >>> import networkx
    >>> kind_of(networkx.path_graph(3)), kind_of("edges.csv")
    ('networkx', None)
    """

    def has(*methods: str) -> bool:
        return all(callable(getattr(data, method, None)) for method in methods)

    if has("tocoo", "asformat"):
        return "scipy"
    if has("is_multigraph", "is_directed", "add_weighted_edges_from"):
        return "networkx"
    return "igraph" if has("get_edgelist", "is_directed", "vcount") else None


def _from_matrix(matrix: Any, directed: bool, _: str) -> Network:
    """Rows are sources, columns targets; an undirected edge stands in both halves.

    What is stored is an edge, a zero too: whether one is there may not depend on its weight.
    """
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        shape = " × ".join(map(str, matrix.shape))
        raise DataError(f"a matrix of {shape} is not a network: rows and columns must be the nodes")
    if matrix.dtype.kind not in "biuf":
        raise DataError(f"the matrix holds {matrix.dtype}: weights must be numbers; convert it")
    entries = matrix.tocoo()
    source, target = (ends.astype(np.int64) for ends in (entries.row, entries.col))
    weight: Weights = entries.data.astype(np.float64)
    names = tuple(map(str, range(matrix.shape[0])))
    network = Network(Topology(names, source, target, True), weight)
    return network if directed else _halved(network)


def _halved(both: Network) -> Network:
    """Each edge once; not-a-number where the two entries contradict each other."""
    old = both.topology
    forth, back = (
        a * old.size + b for a, b in ((old.source, old.target), (old.target, old.source))
    )
    order = np.argsort(forth)
    mirror = order[np.minimum(np.searchsorted(forth[order], back), old.edges - 1)]
    lonely = forth[mirror] != back
    if lonely.any():
        row, column = (int(ends[lonely.argmax()]) for ends in (old.source, old.target))
        raise DataError(
            f"the matrix is not symmetric: {int(lonely.sum())} of {old.edges} entries stand on "
            f"one side only, the first in row {row}, column {column}; add its transpose, or say "
            "that it is directed"
        )
    kept = old.source < old.target
    weight, other = both.weight[kept], both.weight[mirror[kept]]
    with np.errstate(invalid="ignore"):  # infinities, which no rule on weights admits
        agree = np.abs(weight - other) <= _SAME * np.abs(weight)
    half = Topology(old.nodes, old.source[kept], old.target[kept], False)
    return Network(half, np.where(agree, weight, np.nan))


def _to_matrix(network: Network, original: Any, _: str) -> Any:
    from scipy import sparse

    topology, weight = network.topology, network.weight
    source, target = topology.source, topology.target
    if not topology.directed:
        source, target = np.concatenate([source, target]), np.concatenate([target, source])
        weight = np.concatenate([weight, weight])
    build = sparse.coo_array if isinstance(original, sparse.sparray) else sparse.coo_matrix
    return build((weight, (source, target)), shape=original.shape).asformat(original.format)


def _from_networkx(graph: Any, directed: bool, weight: str) -> Network:
    if graph.is_multigraph():
        raise DataError(
            "the graph is a multigraph: several edges may join the same nodes; merge them, "
            "for example with networkx.Graph(graph)"
        )
    number = {node: place for place, node in enumerate(graph)}
    facts = list(graph.edges(data=True))
    if facts and not any(weight in found for _, _, found in facts):
        raise _unweighted(weight)
    edges = [(one, other, found.get(weight)) for one, other, found in facts]
    source, target = (
        np.fromiter((number[edge[end]] for edge in edges), np.int64, len(edges)) for end in (0, 1)
    )
    return Network(
        Topology(_distinct(number), source, target, directed),
        _floats([value for _, _, value in edges]),
    )


def _to_networkx(network: Network, original: Any, weight: str) -> Any:
    topology, nodes = network.topology, list(original)
    graph = original.__class__()
    graph.add_nodes_from(nodes)
    ends = (
        [nodes[place] for place in ends.tolist()] for ends in (topology.source, topology.target)
    )
    graph.add_weighted_edges_from(zip(*ends, network.weight.tolist(), strict=True), weight=weight)
    return graph


def _from_igraph(graph: Any, directed: bool, weight: str) -> Network:
    if weight not in graph.es.attributes():
        raise _unweighted(weight)
    named = "name" in graph.vs.attributes()
    ends = np.array(graph.get_edgelist(), np.int64).reshape(-1, 2)
    names = _distinct(graph.vs["name"] if named else range(graph.vcount()))
    source, target = (np.ascontiguousarray(ends[:, end]) for end in (0, 1))
    return Network(Topology(names, source, target, directed), _floats(graph.es[weight]))


def _to_igraph(network: Network, original: Any, weight: str) -> Any:
    topology = network.topology
    edges = list(zip(topology.source.tolist(), topology.target.tolist(), strict=True))
    graph = type(original)(n=topology.size, edges=edges, directed=topology.directed)
    if "name" in original.vs.attributes():
        graph.vs["name"] = original.vs["name"]
    graph.es[weight] = network.weight.tolist()
    return graph


def _unweighted(weight: str) -> DataError:
    return DataError(
        f"no edge has the attribute {weight}: name the one that holds the weights (weight=…)"
    )


def _distinct(nodes: Iterable[Any]) -> tuple[str, ...]:
    """Names as texts, which must still tell the nodes apart."""
    names = tuple("" if node is None else str(node).strip() for node in nodes)
    if "" in names:
        raise DataError(f"node {names.index('') + 1} has no name: give every node one")
    again = [name for name, times in Counter(names).items() if times > 1]
    if again:
        raise DataError(f"two nodes are called {again[0]} when written as text: rename one of them")
    return names


def _floats(values: list[Any]) -> Weights:
    """Weights as numbers; what cannot be read as one is not-a-number."""
    try:
        return np.array(values, np.float64).reshape(len(values))
    except (TypeError, ValueError, OverflowError):
        return np.array([_float(value) for value in values], np.float64)


def _float(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return float("nan")


FOREIGN: dict[Foreign, _Library] = {
    "scipy": _Library(lambda _: None, _from_matrix, _to_matrix),
    "networkx": _Library(lambda graph: bool(graph.is_directed()), _from_networkx, _to_networkx),
    "igraph": _Library(lambda graph: bool(graph.is_directed()), _from_igraph, _to_igraph),
}
