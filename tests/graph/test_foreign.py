"""Matrices and graphs of other libraries: in, out again, and refused."""

import networkx as nx
import numpy as np
import pytest
from scipy import sparse

from sfumato.errors import DataError, ParameterError
from sfumato.graph.foreign import kind_of
from sfumato.graph.reading import network_of, returned

SECRET = 98765.4321
FORMATS = ("csr", "csc", "coo", "lil", "dok", "bsr", "dia")
WEIGHTS = np.array([[0, 2, 0, 0], [2, 0, 5, 0], [0, 5, 0, 0], [0, 0, 0, 0]], float)


def edges_of(network):
    topology = network.topology
    return {
        (topology.nodes[i], topology.nodes[j]): weight
        for i, j, weight in zip(topology.source, topology.target, network.weight, strict=True)
    }


def round_trip(data, factor=3.0, **names):
    read = network_of(data, **names)
    changed = read.network.with_weights(factor * read.network.weight)
    return read, returned(read.kind, changed, data, read.columns)


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("build", [sparse.csr_array, sparse.csr_matrix])
def test_a_symmetric_matrix_is_an_undirected_network_of_any_format(form, build):
    matrix = build(WEIGHTS).asformat(form)
    read, back = round_trip(matrix, directed=False)
    assert read.network.topology.nodes == ("0", "1", "2", "3")  # the last one has no edges
    assert edges_of(read.network) == {("0", "1"): 2, ("1", "2"): 5}
    assert type(back) is type(matrix)
    np.testing.assert_array_equal(back.toarray(), 3 * WEIGHTS)


def test_rows_of_a_directed_matrix_are_sources():
    matrix = sparse.csr_array(np.triu(WEIGHTS).astype(np.int32))
    read, back = round_trip(matrix, directed=True)
    assert edges_of(read.network) == {("0", "1"): 2, ("1", "2"): 5}
    np.testing.assert_array_equal(back.toarray(), 3 * np.triu(WEIGHTS))
    assert network_of(sparse.csr_array(WEIGHTS), directed=True).network.topology.edges == 4


def test_entries_that_contradict_each_other_are_no_weight_and_rounding_is_none():
    torn = WEIGHTS.copy()
    torn[1, 0], torn[2, 1] = SECRET, 5 * (1 + 1e-15)
    weight = network_of(sparse.csr_array(torn), directed=False).network.weight
    assert np.isnan(weight[0])
    assert weight[1] == 5
    endless = sparse.csr_array(np.where(WEIGHTS == 2, np.inf, WEIGHTS))
    assert np.isnan(network_of(endless, directed=False).network.weight[0])


def test_matrices_that_are_no_networks_are_refused():
    def refused(matrix, reason, directed=False):
        with pytest.raises(DataError, match=reason) as refusal:
            network_of(matrix, directed=directed)
        assert str(SECRET) not in str(refusal.value)

    refused(sparse.csr_array((2, 3)), "2 × 3 is not a network")
    refused(sparse.coo_array(np.ones(3)), "a matrix of 3 is not a network")
    refused(sparse.csr_array(WEIGHTS.astype(complex)), "the matrix holds complex128")
    refused(sparse.csr_array((3, 3)), "no edges")
    refused(sparse.csr_array(np.eye(3)), "edge 1 goes from node 0 to itself")
    one_sided = np.triu(WEIGHTS) * SECRET
    refused(
        sparse.csr_array(one_sided), "not symmetric: 2 of 2 entries .* the first in row 0, column 1"
    )
    twice = sparse.coo_array((np.full(2, SECRET), ([0, 0], [1, 1])), shape=(3, 3))
    refused(twice, "edges 1 and 2 both join 0 and 1", directed=True)
    with pytest.raises(ParameterError, match="directed must be given: a matrix"):
        network_of(sparse.csr_array(WEIGHTS))


@pytest.mark.parametrize("build", [nx.Graph, nx.DiGraph])
def test_a_networkx_graph_comes_back_as_its_own_class_with_its_own_nodes(build):
    graph = build(name="private")
    graph.add_node("alone", phone="private")
    graph.add_edge(3, (1, 2), cost=2.0, note="private")
    graph.add_edge((1, 2), "x", cost=4.0)
    read, back = round_trip(graph, weight="cost")
    assert read.network.topology.nodes == ("alone", "3", "(1, 2)", "x")
    assert read.network.topology.directed is graph.is_directed()
    assert edges_of(read.network) == {("3", "(1, 2)"): 2.0, ("(1, 2)", "x"): 4.0}
    assert type(back) is build
    assert list(back) == ["alone", 3, (1, 2), "x"]
    assert dict(back.edges) == {(3, (1, 2)): {"cost": 6.0}, ((1, 2), "x"): {"cost": 12.0}}
    assert not back.graph
    assert not any(back.nodes.values())  # nothing but what was declared public
    assert graph.edges[3, (1, 2)] == {"cost": 2.0, "note": "private"}


def test_weights_of_a_graph_that_cannot_be_read_are_no_numbers():
    graph = nx.path_graph(5)
    for (_, _, facts), weight in zip(graph.edges(data=True), ["2", None, [1], 3], strict=True):
        facts["weight"] = weight
    weights = network_of(graph).network.weight
    np.testing.assert_array_equal(weights, [2, np.nan, np.nan, 3])
    del graph.edges[0, 1]["weight"]
    assert np.isnan(network_of(graph).network.weight[:3]).all()


def test_networkx_graphs_that_do_not_fit_are_refused():
    with pytest.raises(DataError, match="multigraph"):
        network_of(nx.MultiDiGraph([(0, 1)]))
    with pytest.raises(DataError, match="no edge has the attribute weight"):
        network_of(nx.path_graph(3))
    with pytest.raises(DataError, match="no edges"):
        network_of(nx.empty_graph(3))
    for nodes, reason in (
        ((1, "1 "), "two nodes are called 1"),
        (("a", " "), "node 2 has no name"),
    ):
        graph = nx.Graph()
        graph.add_edge(*nodes, weight=SECRET)
        with pytest.raises(DataError, match=reason):
            network_of(graph)
    with pytest.raises(ParameterError, match="says directed, but the graph is undirected"):
        network_of(nx.path_graph(3), directed=True)


class Series(dict):
    """Attributes of nodes or edges, as igraph lists them."""

    def attributes(self):
        return list(self)


class Graph:
    """What of an igraph graph is used, so that it can be tried without that library."""

    def __init__(self, n, edges, directed):
        self.n, self.edges, self.directed = n, edges, directed
        self.es, self.vs = Series(), Series()

    def vcount(self):
        return self.n

    def is_directed(self):
        return self.directed

    def get_edgelist(self):
        return self.edges


def build_stand_in():
    return Graph


def build_igraph():
    return pytest.importorskip("igraph").Graph


@pytest.mark.parametrize("library", [build_stand_in, build_igraph])
@pytest.mark.parametrize("directed", [True, False])
def test_an_igraph_graph_comes_back_with_its_names_and_new_weights(library, directed):
    graph = library()(n=4, edges=[(2, 1), (1, 0)], directed=directed)
    graph.vs["name"] = ["a", "b", "c", "alone"]
    graph.es["cost"], graph.es["note"] = [2.0, None], ["private", "private"]
    read, back = round_trip(graph, weight="cost")
    assert read.kind == kind_of(graph) == "igraph"
    assert read.network.topology.nodes == ("a", "b", "c", "alone")
    assert read.network.topology.directed is directed
    assert read.network.topology.source[0] in (1, 2)  # igraph may turn undirected edges round
    assert read.network.weight[0] == 2
    assert np.isnan(read.network.weight[1])
    assert type(back) is type(graph)
    assert back.es.attributes() == ["cost"]
    assert back.es["cost"][0] == 6
    assert list(back.vs["name"]) == ["a", "b", "c", "alone"]
    assert back.get_edgelist() == graph.get_edgelist()
    assert back.is_directed() is directed


@pytest.mark.parametrize("library", [build_stand_in, build_igraph])
def test_an_igraph_graph_may_lack_names_but_not_weights(library):
    graph = library()(n=3, edges=[(0, 1), (1, 2)], directed=False)
    with pytest.raises(DataError, match="no edge has the attribute weight"):
        network_of(graph)
    graph.es["weight"] = [1.0, 2.0]
    read, back = round_trip(graph)
    assert read.network.topology.nodes == ("0", "1", "2")
    assert back.vs.attributes() == []
    graph.vs["name"] = ["a", None, "c"]
    with pytest.raises(DataError, match="node 2 has no name"):
        network_of(graph)
    with pytest.raises(ParameterError, match="says directed"):
        network_of(graph, directed=True)


def test_other_things_belong_to_no_library():
    assert [kind_of(thing) for thing in ("a.csv", 3, None, np.eye(2))] == [None] * 4


def test_a_stored_zero_is_an_edge_like_any_other_stored_weight():
    ends = ([0, 1], [1, 2])
    there = [
        network_of(sparse.csr_array((np.array([3.0, weight]), ends), shape=(3, 3)), directed=True)
        for weight in (0.0, 5.0)
    ]
    assert [read.network.topology.edges for read in there] == [2, 2]
    with pytest.raises(DataError, match="1 of 2 weights"):
        there[0].network.check_weights()


def test_whether_a_graph_has_weights_does_not_depend_on_a_weight():
    graph = nx.Graph()
    graph.add_edge("a", "b", weight=None)
    read = network_of(graph)
    assert np.isnan(read.network.weight).all()
