"""Networks in, from edge lists and from other libraries, and out again as the same kind.

Who is joined with whom is public: names that are missing, loops and edges listed twice are
refused by their number.  Weights are private: of them only the declared type is judged, and
one that cannot be read becomes not-a-number, so that no refusal here depends on a weight.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

import narwhals as nw
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sfumato.errors import DataError, ParameterError
from sfumato.graph.foreign import FOREIGN, Foreign, kind_of
from sfumato.graph.network import Indices, Network, Topology, Weights
from sfumato.plan.options import truth
from sfumato.table.read_numbers import numbers
from sfumato.table.source import Kind as TableKind
from sfumato.table.source import Source, columns_of, open_source

__all__ = [
    "COLUMNS",
    "Columns",
    "Kind",
    "Read",
    "coded",
    "edge_list",
    "network_of",
    "returned",
]

Kind = TableKind | Foreign | Literal["network"]
Columns = tuple[str, str, str]
Merged = Literal["mean", "sum"]
COLUMNS: Columns = ("source", "target", "weight")


@dataclass(frozen=True, eq=False)
class Read:
    """A network, what it was given as, and what its columns or attributes are called there."""

    network: Network
    kind: Kind
    columns: Columns = COLUMNS
    merged: Merged | None = None  # what became of edges that were listed in both directions


def network_of(
    data: Any,
    *,
    directed: bool | str | None = None,
    source: str = "source",
    target: str = "target",
    weight: str = "weight",
    merge_directions: str = "error",
) -> Read:
    """NOT PRIVATE: the network in a file, a frame, a sparse matrix or a graph.

    An edge list has a row for each edge.  Its columns are found by their names; where a
    table has just three columns, those that are called otherwise are taken in the order
    source, target, weight.  Names of nodes are trimmed texts, whole numbers included.
    Tables and matrices do not say whether they are directed, so `directed` must.  Where an
    undirected edge list has an edge in both directions, `merge_directions` takes the mean or
    the sum of both weights; which edges these are is public, as all of the topology.

    >>> table = pa.table({"from": ["a", "b"], "to": ["b", "c"], "cost": [1.5, 2.0]})
    >>> read = network_of(table, directed=False)
    >>> read.network, read.columns
    (<Network: 3 nodes, 2 undirected edges>, ('from', 'to', 'cost'))
    """
    stated = None if directed is None else truth("directed", directed)
    merged = _merging(merge_directions, stated, edge_list=kind_of(data) is None)
    if isinstance(data, Network):
        _agreed(stated, data.topology.directed)
        return Read(data, "network")
    columns = (source, target, weight)
    if (kind := kind_of(data)) is None:
        return _edges(open_source(data, columns), _said(stated, "an edge list"), columns, merged)
    is_directed = FOREIGN[kind].directed(data)
    if is_directed is None:
        is_directed = _said(stated, "a matrix")
    _agreed(stated, is_directed)
    return Read(FOREIGN[kind].read(data, is_directed, weight), kind, columns)


def _said(stated: bool | None, what: str) -> bool:
    if stated is None:
        raise ParameterError(
            f"directed must be given: {what} does not say whether edges have a direction"
        )
    return stated


def _merging(asked: str, directed: bool | None, *, edge_list: bool) -> Merged | None:
    if asked == "error":
        return None
    if asked not in get_args(Merged):
        raise ParameterError(f"merge_directions must be mean, sum or error, got {asked!r}")
    if directed or not edge_list:
        raise ParameterError("merge_directions is for undirected edge lists: leave it out")
    return "mean" if asked == "mean" else "sum"


def _agreed(stated: bool | None, is_directed: bool) -> None:
    if stated is not None and stated != is_directed:
        is_so, said = ("directed", "undirected") if is_directed else ("undirected", "directed")
        raise ParameterError(
            f"directed says {said}, but the graph is {is_so}: leave it out, or convert the graph"
        )


def _edges(source: Source, directed: bool, names: Columns, merged: Merged | None) -> Read:
    columns = _roles(source, names)
    table = columns_of(source, columns)
    if not table.num_rows:
        raise DataError("the network has no edges: there is nothing to publish")
    ends = [coded(table.column(name), name) for name in columns[:2]]
    _check_named(source, columns, [codes < 0 for codes, _ in ends])
    nodes, (tail, head) = _numbered(ends)
    chunks = table.column(columns[2]).chunks
    weight: Weights = np.concatenate([numbers(chunk) for chunk in chunks])
    if merged is not None:
        Topology(nodes, tail, head, directed=True)  # refuses what is listed twice in one direction
        tail, head, weight = _in_one_direction(tail, head, weight, merged)
    network = Network(Topology(nodes, tail, head, directed), weight)
    return Read(network, source.kind, columns, merged)


def _in_one_direction(
    tail: Indices, head: Indices, weight: Weights, merged: Merged
) -> tuple[Indices, Indices, Weights]:
    """Each edge once, where and as it was listed first; of two weights their mean or sum."""
    low, high = np.minimum(tail, head), np.maximum(tail, head)
    _, edge, count = np.unique(
        np.column_stack([low, high]), axis=0, return_inverse=True, return_counts=True
    )
    first, total = np.full(len(count), len(edge)), np.zeros(len(count))
    np.minimum.at(first, edge, np.arange(len(edge)))
    with np.errstate(invalid="ignore", over="ignore"):  # infinities are weights, too
        np.add.at(total, edge, weight)
    order = np.argsort(first)
    kept = first[order]
    return tail[kept], head[kept], (total / count if merged == "mean" else total)[order]


def _check_named(source: Source, columns: Columns, missing: list[NDArray[np.bool_]]) -> None:
    for gaps, name in zip(missing, columns, strict=False):
        if gaps.any():
            edge = int(gaps.argmax())
            torn = source.kind == "csv" and all(gaps[edge] for gaps in missing)
            why = " (nor does a line with too many or too few fields)" if torn else ""
            raise DataError(
                f"edge {edge + 1}: column {name} holds no name{why}: every edge needs both its "
                "nodes; complete or remove it"
            )


def _roles(source: Source, wanted: Columns) -> Columns:
    """Which column is which: by name, or by place in a table that has no other columns."""
    if len(set(wanted)) < len(wanted):
        raise ParameterError("source, target and weight must be three different columns")
    present = list(source.names)
    absent = [name for name in wanted if name not in present]
    renamed = [name for name in absent if name not in COLUMNS]  # asked for, so it must be there
    if absent and (renamed or len(present) != len(wanted)):
        raise DataError(
            f"column {(renamed or absent)[0]}: not in the edge list; say what its columns are "
            "called (source=…, target=…, weight=…) or rename them"
        )
    rest = iter(name for name in present if name not in wanted)
    source_, target, weight = (name if name in present else next(rest) for name in wanted)
    if source.kind in ("csv", "excel") and weight not in wanted and _is_number(weight):
        # Not quoted: it would be the weight of the first edge.
        raise DataError(
            "the first line seems to be an edge: it must name the columns; put the line "
            "source,target,weight above it"
        )
    kind = source.types.get(weight)
    if kind is not None and not _may_be_number(kind):
        raise DataError(f"column {weight} is stored as {kind}: weights must be numbers; convert it")
    return source_, target, weight


def _is_number(text: str) -> bool:
    return bool(np.isfinite(numbers(pa.array([text], pa.string()))[0]))


def _may_be_number(kind: pa.DataType) -> bool:
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    tests = ("integer", "floating", "decimal", "boolean", "null")
    texts = ("string", "large_string", "string_view")
    return any(getattr(pa.types, f"is_{test}")(kind) for test in (*tests, *texts))


def coded(column: pa.ChunkedArray, name: str) -> tuple[Indices, pa.Array]:
    """For each row the place of its name among the distinct names; -1 where there is none.

    >>> coded(pa.chunked_array([[" b", "a", "", "b"]]), "source")[0].tolist()
    [0, 1, -1, 0]
    """
    try:
        if pa.types.is_dictionary(column.type):
            column = column.cast(column.type.value_type)  # categories that no row has are none
        encoded = column.dictionary_encode().unify_dictionaries().combine_chunks()
        texts = _names(encoded.dictionary)
    except pa.ArrowException:
        texts = None
    if texts is None:
        raise DataError(f"column {name}: names of nodes must be texts or whole numbers; convert it")
    distinct = texts.dictionary_encode()
    places = np.append(np.asarray(pc.fill_null(distinct.indices, -1)), -1)
    codes: Indices = places[np.asarray(pc.fill_null(encoded.indices, -1))].astype(np.int64)
    return codes, distinct.dictionary


def _names(values: pa.Array) -> pa.Array | None:
    """Each value as trimmed text, missing where nothing is left; None if these are no names."""
    if pa.types.is_floating(values.type):
        values = pc.if_else(pc.is_nan(values), None, values)
        if pc.any(pc.not_equal(values, pc.trunc(values))).as_py():
            return None
        values = values.cast(pa.int64())  # whole numbers beside a gap, or out of a matrix
    texts = pc.utf8_trim_whitespace(values.cast(pa.string()))
    return pc.if_else(pc.equal(texts, ""), None, texts)


def _numbered(ends: list[tuple[Indices, pa.Array]]) -> tuple[tuple[str, ...], list[Indices]]:
    """Names and numbers of the nodes, in the order in which the edges first mention them."""
    shared = pa.concat_arrays([names for _, names in ends]).dictionary_encode()
    places = np.asarray(shared.indices).astype(np.int64)
    tail, head = places[ends[0][0]], places[len(ends[0][1]) + ends[1][0]]
    mentioned = np.column_stack([tail, head]).ravel()
    first = np.empty(len(shared.dictionary), np.int64)
    first[mentioned[::-1]] = np.arange(len(mentioned))[::-1]  # of equal places the last one stays
    order = np.argsort(first)
    number = np.empty_like(order)
    number[order] = np.arange(len(order))
    return tuple(shared.dictionary.take(pa.array(order)).to_pylist()), [number[tail], number[head]]


def edge_list(network: Network, columns: Columns = COLUMNS) -> pa.Table:
    """The network as a table, an edge in each row, in the order of the edges.

    >>> network = network_of(pa.table([["a"], ["b"], [2]], ["s", "t", "w"]), directed=True).network
    >>> edge_list(network).to_pylist()
    [{'source': 'a', 'target': 'b', 'weight': 2.0}]
    """
    topology = network.topology
    nodes = pa.array(topology.nodes, pa.string())
    values = [nodes.take(pa.array(ends)) for ends in (topology.source, topology.target)]
    values.append(pa.array(network.weight, pa.float64()))
    fields = [
        pa.field(name, value.type, nullable=False)
        for name, value in zip(columns, values, strict=True)
    ]
    return pa.table(values, schema=pa.schema(fields))


def returned(kind: Kind, network: Network, original: Any, columns: Columns = COLUMNS) -> Any:
    """The network as the kind of thing the original is; files, dicts and lists as Arrow tables.

    Only nodes, edges and weights are handed on: whatever else an edge or a node of the
    original carries was not declared public.

    >>> import networkx as nx
    >>> roads = nx.Graph()
    >>> roads.add_edge("a", "b", cost=3.0, owner="x")
    >>> read = network_of(roads, weight="cost")
    >>> doubled = read.network.with_weights(2 * read.network.weight)
    >>> returned(read.kind, doubled, roads, read.columns).edges(data=True)
    EdgeDataView([('a', 'b', {'cost': 6.0})])
    """
    if kind == "network":
        return network
    if kind in ("scipy", "networkx", "igraph"):
        return FOREIGN[kind].write(network, original, columns[2])
    table = edge_list(network, columns)
    if isinstance(original, str | Path | Mapping | Sequence):
        return table
    table = _as_stored(table, original)
    if kind == "polars":
        import polars

        return polars.from_arrow(table)
    return table.to_pandas() if kind == "pandas" else table


def _as_stored(table: pa.Table, original: Any) -> pa.Table:
    """Names that were whole numbers as whole numbers again, so that both tables can be joined."""
    stored = {str(name): kind for name, kind in nw.from_native(original).collect_schema().items()}
    for place, name in enumerate(table.column_names[:2]):
        if (kind := stored[name]).is_integer():
            whole = pa.uint64() if kind.is_unsigned_integer() else pa.int64()
            field = pa.field(name, whole, nullable=False)
            table = table.set_column(place, field, table.column(name).cast(whole))
    return table
