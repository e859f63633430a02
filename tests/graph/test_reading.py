"""Edge lists in and out: every kind of table, every refusal, and no weight in any message."""

import gzip

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest

from sfumato.errors import DataError, ParameterError
from sfumato.graph.network import Network
from sfumato.graph.reading import coded, edge_list, network_of, returned

SECRET = 98765.4321  # a weight that no message may show
EDGES = [("b", "a", 2.0), ("a", "c", SECRET), ("c", "b", 0.5), ("c", "d", 7.0)]
PLAIN = pa.table(
    [list(column) for column in zip(*EDGES, strict=True)], ["source", "target", "weight"]
)


def csv_of(folder, text, name="e.csv"):
    path = folder / name
    path.write_text(text)
    return path


def forms(folder):
    pacsv.write_csv(PLAIN, folder / "e.csv")
    pq.write_table(PLAIN, folder / "e.parquet")
    (folder / "e.csv.gz").write_bytes(gzip.compress((folder / "e.csv").read_bytes()))
    yield "csv", folder / "e.csv"
    yield "csv", str(folder / "e.csv.gz")
    yield "parquet", folder / "e.parquet"
    yield "arrow", PLAIN
    yield "arrow", PLAIN.set_column(0, "source", PLAIN["source"].dictionary_encode())
    yield "arrow", PLAIN.cast(PLAIN.schema.set(1, pa.field("target", pa.large_string())))
    yield "arrow", pa.concat_tables([PLAIN.slice(0, 1), PLAIN.slice(1)])
    yield "pandas", PLAIN.to_pandas()
    yield "pandas", PLAIN.to_pandas().astype(object)
    yield "pandas", PLAIN.to_pandas().astype({"source": "category", "target": "category"})
    yield "polars", pl.from_arrow(PLAIN)


@pytest.mark.parametrize("directed", [True, False])
def test_every_kind_of_table_gives_the_same_network_in_its_own_order(tmp_path, directed):
    seen = 0
    for kind, data in forms(tmp_path):
        read = network_of(data, directed=directed)
        topology = read.network.topology
        assert read.kind == kind
        assert topology.directed is directed
        assert topology.nodes == ("b", "a", "c", "d")  # as the edges first mention them
        assert topology.source.tolist() == [0, 1, 2, 2]
        assert topology.target.tolist() == [1, 2, 0, 3]
        assert read.network.weight.tolist() == [weight for *_, weight in EDGES]
        seen += 1
    assert seen == 11


def test_every_kind_of_table_comes_back_as_what_it_was(tmp_path):
    back = {"csv": pa.Table, "parquet": pa.Table, "arrow": pa.Table}
    back |= {"pandas": pd.DataFrame, "polars": pl.DataFrame}
    for kind, data in forms(tmp_path):
        read = network_of(data, directed=True)
        released = returned(kind, read.network.with_weights(np.arange(4.0)), data, read.columns)
        assert type(released) is back[kind]
        again = network_of(released, directed=True).network
        assert again.topology.nodes == read.network.topology.nodes
        assert again.weight.tolist() == [0.0, 1.0, 2.0, 3.0]


def test_a_network_is_taken_and_given_back_as_it_is():
    network = network_of(PLAIN, directed=True).network
    read = network_of(network)
    assert read.kind == "network"
    assert read.network is network
    assert returned("network", network, network) is network


def test_columns_that_are_called_otherwise_keep_the_owners_names():
    table = PLAIN.rename_columns(["from", "to", "cost"])
    by_place = network_of(table, directed=True)
    assert by_place.columns == ("from", "to", "cost")
    by_name = network_of(
        table.append_column("day", pa.array([1, 2, 3, 4])).select(["day", "cost", "to", "from"]),
        directed=True,
        source="from",
        target="to",
        weight="cost",
    )
    for read in (by_place, by_name):
        assert read.network.topology.nodes == ("b", "a", "c", "d")
        assert read.network.weight[1] == SECRET
    released = returned("arrow", by_place.network, table, by_place.columns)
    assert released.column_names == ["from", "to", "cost"]


@pytest.mark.parametrize("order", [["target", "cost", "source"], ["weight", "a", "b"]])
def test_in_a_table_of_three_columns_a_known_name_counts_before_the_place(order):
    values = {
        "target": ["t"],
        "source": ["s"],
        "cost": [1.0],
        "weight": [1.0],
        "a": ["s"],
        "b": ["t"],
    }
    read = network_of(pa.table({name: values[name] for name in order}), directed=True)
    assert read.network.topology.nodes == ("s", "t")


@pytest.mark.parametrize("kind", ["arrow", "pandas", "polars"])
@pytest.mark.parametrize("type_", [pa.int64(), pa.uint64(), pa.int8()])
def test_whole_numbers_are_names_and_come_back_as_whole_numbers(kind, type_):
    table = pa.table({"source": pa.array([7, 3], type_), "target": ["x", "7"], "weight": [1, 2]})
    data = {"arrow": table, "pandas": table.to_pandas(), "polars": pl.from_arrow(table)}[kind]
    read = network_of(data, directed=True)
    assert read.network.topology.nodes == ("7", "x", "3")
    released = returned(read.kind, read.network, data, read.columns)
    columns = [pa.array(released[name]).to_pylist() for name in ("source", "target")]
    assert columns == [[7, 3], ["x", "7"]]


def test_columns_without_names_are_read_by_place():
    read = network_of(pd.DataFrame([[1, 2, 0.5], [2, 3, 0.25]]), directed=False)
    assert read.network.topology.nodes == ("1", "2", "3")
    assert returned("pandas", read.network, pd.DataFrame([[1, 2, 0.5]]), read.columns).shape == (
        2,
        3,
    )


def test_names_are_trimmed_and_floats_that_are_whole_are_whole_numbers():
    table = pa.table({"source": [" a", "b "], "target": ["b", "c"], "weight": [1.0, 2.0]})
    assert network_of(table, directed=True).network.topology.nodes == ("a", "b", "c")
    floats = pa.table({"source": [1.0, 2.0], "target": [2.0, 3.0], "weight": [1.0, 2.0]})
    assert network_of(floats, directed=True).network.topology.nodes == ("1", "2", "3")


def test_weights_that_cannot_be_read_are_not_numbers_and_no_error(tmp_path):
    text = "source,target,weight\na,b,n/a\nb,c,\nc,d,2\nd,e,1e3\ne,f,-4\nf,g,inf\n"
    weight = network_of(csv_of(tmp_path, text), directed=True).network.weight
    np.testing.assert_array_equal(weight, [np.nan, np.nan, 2, 1000, -4, np.inf])
    frame = pd.DataFrame({"source": [1, 2], "target": [2, 3], "weight": [object(), None]})
    assert np.isnan(network_of(frame, directed=True).network.weight).all()
    nothing = pa.table({"source": ["a"], "target": ["b"], "weight": pa.nulls(1)})
    assert np.isnan(network_of(nothing, directed=True).network.weight).all()


def test_categories_that_no_edge_uses_are_no_nodes():
    frame = PLAIN.to_pandas()
    frame["source"] = pd.Categorical(frame["source"], categories=["z", "b", "a", "c"])
    assert "z" not in network_of(frame, directed=True).network.topology.nodes


def test_many_batches_are_read_as_one():
    size = 70_000  # more than one batch of a source
    table = pa.table(
        {"source": np.arange(size), "target": np.arange(1, size + 1), "weight": np.ones(size)}
    )
    network = network_of(table, directed=True).network
    assert network.topology.nodes == tuple(map(str, range(size + 1)))
    assert edge_list(network)["source"].to_pylist() == list(map(str, range(size)))


def test_an_edge_list_is_a_table_without_gaps_in_the_order_of_the_edges():
    table = edge_list(network_of(PLAIN, directed=True).network)
    assert not any(item.nullable for item in table.schema)
    assert table.to_pylist() == PLAIN.to_pylist()


REFUSED = {
    "no edges": "source,target,weight\n",
    "column weight: not in the edge list": f"source,target,x,{SECRET}\na,b,1,1\n",
    "first line seems to be an edge": f"a,b,{SECRET}\nb,c,1\n",
    "edge 2: column target holds no name": f"source,target,weight\na,b,{SECRET}\nb,,{SECRET}\n",
    "edge 1: column source holds no name: ": f"source,target,weight\n  ,b,{SECRET}\n",
    "too many or too few fields": f"source,target,weight\na,b,1\nb,c,{SECRET},1\n",
    "edge 2 goes from node c to itself": f"source,target,weight\na,b,1\nc,c,{SECRET}\n",
    "edges 1 and 2 both join a and b": f"source,target,weight\na,b,1\nb,a,{SECRET}\n",
}


@pytest.mark.parametrize("reason", REFUSED)
def test_edge_lists_are_refused_by_shape_and_topology_without_showing_a_weight(tmp_path, reason):
    path = csv_of(tmp_path, REFUSED[reason])
    with pytest.raises(DataError) as refusal:
        network_of(path, directed=False)
    assert reason in str(refusal.value)
    assert str(SECRET) not in str(refusal.value)


def test_a_pair_of_opposite_edges_is_accepted_where_edges_lead_one_way(tmp_path):
    path = csv_of(tmp_path, REFUSED["edges 1 and 2 both join a and b"])
    assert network_of(path, directed=True).network.topology.edges == 2


def test_weights_of_a_type_that_holds_no_numbers_are_refused_by_their_header():
    dates = PLAIN.set_column(2, "weight", pa.array([0, 1, 2, 3], pa.date32()))
    with pytest.raises(DataError, match="column weight is stored as date32"):
        network_of(dates, directed=True)


@pytest.mark.parametrize("names", [pa.array([0.5, 1, 2, 3]), pa.array([["a"]] * 4)])
def test_names_that_are_no_names_are_refused(names):
    with pytest.raises(DataError, match="column target: names of nodes must be texts or whole"):
        network_of(PLAIN.set_column(1, "target", names), directed=True)


def test_a_gap_among_whole_numbers_is_refused_as_a_gap():
    frame = pd.DataFrame({"source": [1.0, None], "target": [2, 3], "weight": [1.0, 1.0]})
    with pytest.raises(DataError, match="edge 2: column source holds no name: every edge"):
        network_of(frame, directed=True)
    assert coded(pa.chunked_array([[1.0, float("nan")]]), "x")[0].tolist() == [0, -1]


def test_a_column_that_was_asked_for_must_be_there():
    with pytest.raises(DataError, match="column cost: not in the edge list"):
        network_of(PLAIN, directed=True, weight="cost")
    with pytest.raises(ParameterError, match="three different columns"):
        network_of(PLAIN, directed=True, weight="target")


def test_a_table_must_be_told_whether_it_is_directed():
    with pytest.raises(ParameterError, match="directed must be given: an edge list"):
        network_of(PLAIN)
    with pytest.raises(ParameterError, match="directed must be true or false"):
        network_of(PLAIN, directed="perhaps")
    assert network_of(PLAIN, directed="no").network.topology.directed is False


def test_a_known_direction_is_not_contradicted():
    network = network_of(PLAIN, directed=True).network
    with pytest.raises(ParameterError, match="directed says undirected, but the graph is directed"):
        network_of(network, directed=False)
    assert isinstance(network_of(network, directed=True).network, Network)


def test_a_file_that_breaks_off_is_refused_without_quoting_it(tmp_path):
    lines = "".join(f"v{i},v{i + 1},{SECRET}{i * i}\n" for i in range(40_000))
    whole = gzip.compress(f"source,target,weight\n{lines}".encode())
    (tmp_path / "e.csv.gz").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DataError, match="could not be read to its end") as refusal:
        network_of(tmp_path / "e.csv.gz", directed=True)
    assert str(SECRET) not in str(refusal.value)
    with pytest.raises(DataError, match="does not exist"):
        network_of(tmp_path / "missing.csv", directed=True)
    with pytest.raises(DataError, match="not a table"):
        network_of([("a", "b", 1.0)], directed=True)


def test_networks_in_dicts_lists_and_queries_come_back_as_tables():
    edges = {"source": [1, 2], "target": [2, 3], "weight": [1.5, 2.0]}
    rows = [dict(zip(edges, row, strict=True)) for row in zip(*edges.values(), strict=True)]
    expected = network_of(pa.table(edges), directed=True).network.weight.tolist()
    for given in (edges, rows, pl.LazyFrame(edges)):
        read = network_of(given, directed=True)
        assert read.network.weight.tolist() == expected
        table = returned(read.kind, read.network, given, read.columns)
        assert isinstance(table, pl.DataFrame if isinstance(given, pl.LazyFrame) else pa.Table)
