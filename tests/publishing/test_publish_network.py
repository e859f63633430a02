"""Every network method keeps the promises that all releases keep."""

import json
import math
import pickle

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

import sfumato as sf
from all_paths import random_network, shortest_paths
from sfumato.errors import BudgetError, DataError, ParameterError, ReleaseError
from sfumato.graph.methods import METHODS, edge_method
from sfumato.graph.reading import edge_list
from sfumato.inspection.overview import inspect
from sfumato.privacy.guarantee import Heuristic, PureDP
from sfumato.release.digest import digest
from sfumato.release.folder import CERTIFICATE, SYNOPSIS
from slowness import slow_but

NETWORK = random_network(np.random.default_rng(5), directed=True, size=6)
EDGES = edge_list(NETWORK)
PAIRS = [("n0", "n1"), ("n2", "n5")]
COMPILED = {"edge-greedy", "edge-anonymous"}
SAID = {name: case for name, method in METHODS.items() for case in method.contract[:1]}
ASKED = {
    name: case.budget | case.options | ({"preserve": PAIRS} if METHODS[name].preserves else {})
    for name, case in SAID.items()
}
PROVED = [name for name, case in SAID.items() if case.promised]


def publish(method, edges=EDGES, **asked):
    accepted = {} if method in PROVED else {"accept_no_guarantee": True}
    return sf.publish_network(
        edges, **({"directed": True, "method": method} | ASKED[method] | accepted | asked)
    )


def test_every_registered_method_is_tested_here():
    assert list(METHODS) == list(ASKED)
    assert [name for name, method in METHODS.items() if method.budgeted] == PROVED


# What compiles for a quarter of a minute is run by the tests of the methods themselves.
@pytest.mark.parametrize("method", slow_but(set(METHODS) - COMPILED, METHODS))
class TestEveryMethod:
    def test_publishes_other_positive_weights_on_the_same_edges(self, method):
        table = publish(method).table
        assert table.column("source").equals(EDGES.column("source"))
        assert table.column("target").equals(EDGES.column("target"))
        weight = np.asarray(table.column("weight"))
        assert np.all(np.isfinite(weight) & (weight > 0))
        assert not np.array_equal(weight, NETWORK.weight)

    def test_writes_a_folder_that_verifies(self, method, tmp_path):
        publish(method, folder=tmp_path / "out")
        assert all(check.passed for check in sf.verify(tmp_path / "out"))

    def test_claims_a_promise_only_if_it_has_a_proof(self, method):
        guarantee = publish(method).guarantee
        assert isinstance(guarantee, PureDP if method in PROVED else Heuristic)

    def test_is_repeated_by_its_seed_and_says_that_it_is_a_test(self, method):
        first, second = publish(method, seed=3), publish(method, seed=3)
        assert first.table.equals(second.table)
        if method in PROVED:
            assert "a seeded test run" in first.certificate.statement

    def test_has_a_proof_page_with_its_name(self, method, request):
        page = request.config.rootpath / "docs" / edge_method(method).proof
        assert method in page.read_text("utf-8")

    def test_refuses_an_option_it_has_not(self, method):
        with pytest.raises(ParameterError, match="no option wrong"):
            publish(method, wrong=1)


@pytest.mark.parametrize("method", [name for name in METHODS if name not in PROVED])
class TestWithoutProof:
    def test_needs_to_be_accepted(self, method):
        with pytest.raises(ParameterError, match="accept-no-guarantee"):
            publish(method, accept_no_guarantee=False)

    def test_takes_no_budget(self, method):
        with pytest.raises(ParameterError, match="no budget has a meaning"):
            publish(method, epsilon=1)

    @pytest.mark.parametrize("bad", [0.0, -1.0, math.nan, math.inf])
    def test_refuses_weights_that_are_no_lengths_and_writes_nothing(self, method, bad, tmp_path):
        weight = NETWORK.weight.copy()
        weight[2] = bad
        with pytest.raises(DataError, match=r"1 of .* weights .* edge 3"):
            publish(method, edge_list(NETWORK.with_weights(weight)), folder=tmp_path / "out")
        assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "method", slow_but(["edge-potential"], [*sorted(COMPILED), "edge-potential"])
)
def test_the_paths_of_chosen_pairs_survive(method):
    before = shortest_paths(NETWORK)
    after = shortest_paths(publish(method, NETWORK).network)
    for source, target in PAIRS:
        pair = (int(source[1:]), int(target[1:]))
        assert after[pair][1] <= before[pair][1]
        assert method == "edge-potential" or len(after[pair][1]) == 1


@pytest.mark.parametrize("bad", [0.0, -1.0, math.nan, math.inf, 1e300])
def test_a_promised_release_never_refuses_by_a_weight(bad):
    weight = NETWORK.weight.copy()
    weight[2] = bad
    released = np.asarray(publish("edge-laplace", NETWORK.with_weights(weight)).table["weight"])
    assert np.all((released > 0) & (released <= 10))


def test_methods_that_keep_paths_ask_for_pairs():
    for method in ("edge-greedy", "edge-anonymous"):
        with pytest.raises(ParameterError, match="preserve"):
            publish(method, preserve=None)


def test_methods_that_keep_no_paths_take_no_pairs():
    with pytest.raises(ParameterError, match="keeps no shortest paths"):
        publish("edge-laplace", preserve=PAIRS)


def test_an_unknown_method_is_refused_with_the_known_ones():
    with pytest.raises(ParameterError, match="edge-laplace"):
        sf.publish_network(EDGES, directed=True, method="edge-magic")


def test_what_was_given_comes_back_as_the_same_kind():
    frame = pl.from_arrow(EDGES)
    assert isinstance(publish("edge-gaussian", frame).data, pl.DataFrame)
    assert isinstance(publish("edge-gaussian", NETWORK).data, sf.Network)
    assert isinstance(publish("edge-gaussian").data, pa.Table)


class TestLedger:
    @pytest.fixture
    def ledger(self, tmp_path):
        ledger = sf.Ledger.create(tmp_path / "budget.db")
        ledger.grant("roads", PureDP(1), reason="approved")
        return ledger

    def test_is_charged_once_and_an_exhausted_budget_is_refused(self, ledger, tmp_path):
        publish("edge-laplace", ledger=ledger, name="roads", folder=tmp_path / "one")
        checks = sf.verify(tmp_path / "one", ledger=ledger)
        assert [check.name for check in checks if not check.passed] == []
        with pytest.raises(BudgetError):
            publish("edge-laplace", ledger=ledger, name="roads", folder=tmp_path / "two")
        assert not (tmp_path / "two").exists()

    def test_the_same_folder_again_is_not_charged_again(self, ledger, tmp_path):
        first = publish("edge-laplace", ledger=ledger, name="roads", folder=tmp_path / "one")
        again = publish("edge-laplace", ledger=ledger, name="roads", folder=tmp_path / "one")
        assert first.table.equals(again.table)

    def test_needs_a_name_to_count_under(self, ledger):
        with pytest.raises(ParameterError, match="name"):
            publish("edge-laplace", ledger=ledger)

    def test_knows_the_same_network_under_another_name_and_order(self, ledger, tmp_path):
        big = random_network(np.random.default_rng(1), directed=True, size=8)
        assert big.topology.edges >= 20
        ledger.grant("streets", PureDP(1), reason="approved")
        half = {"ledger": ledger, "epsilon": "0.5"}
        publish("edge-laplace", edge_list(big), name="roads", **half)
        turned = edge_list(big).take(list(reversed(range(big.topology.edges))))
        with pytest.raises(Exception, match="roads"):
            publish("edge-laplace", turned, name="streets", **half)


class TestVerification:
    @pytest.fixture
    def folder(self, tmp_path):
        publish("edge-laplace", folder=tmp_path / "out")
        return tmp_path / "out"

    def forge(self, folder, **facts):
        """A certificate that was changed and sealed again."""
        paper = json.loads((folder / CERTIFICATE).read_text())
        paper |= facts
        paper["seal"] = digest(paper)
        (folder / CERTIFICATE).write_text(json.dumps(paper))
        return {check.name: check.passed for check in sf.verify(folder)}

    def test_finds_another_scale_of_noise(self, folder):
        events = json.loads((folder / CERTIFICATE).read_text())["events"]
        events[0]["noise"] = {"scale": "1/1000", "approximately": 0.001}
        assert not self.forge(folder, events=events)["plan"]

    def test_finds_another_number_of_edges_or_nodes(self, folder):
        network = json.loads((folder / CERTIFICATE).read_text())["network"]
        assert not self.forge(folder, network=network | {"edges": network["edges"] + 1})["plan"]
        assert not self.forge(folder, network=network | {"nodes": 2})["plan"]

    def test_finds_a_changed_weight(self, folder):
        data = folder / "data.csv"
        data.write_text(data.read_text().replace("n0", "n1", 1))
        assert not all(check.passed for check in sf.verify(folder))

    def test_finds_pairs_that_the_method_cannot_have_kept(self, folder):
        network = json.loads((folder / CERTIFICATE).read_text())["network"]
        assert not self.forge(folder, network=network | {"wanted pairs": 3})["plan"]

    def test_finds_a_removed_account(self, tmp_path):
        publish("edge-greedy", folder=tmp_path / "kept")
        (tmp_path / "kept" / SYNOPSIS).unlink()
        assert not all(check.passed for check in sf.verify(tmp_path / "kept"))


def test_a_folder_in_the_way_is_not_overwritten(tmp_path):
    publish("edge-gaussian", folder=tmp_path / "out")
    with pytest.raises(ReleaseError, match="exists"):
        publish("edge-gaussian", folder=tmp_path / "out")


def test_the_true_weights_do_not_travel_with_a_pickled_release():
    secret = 4.123456789012345
    network = NETWORK.with_weights(np.full(NETWORK.topology.edges, secret))
    release = publish("edge-laplace", network)
    assert np.float64(secret).tobytes() in pickle.dumps(network)  # it would be seen
    again = pickle.loads(pickle.dumps(release))
    assert np.float64(secret).tobytes() not in pickle.dumps(release)
    assert again.table.equals(release.table)
    assert again.guarantee == release.guarantee


def test_inspecting_a_network_points_to_compare():
    with pytest.raises(ReleaseError, match="graph compare"):
        inspect(publish("edge-laplace"), EDGES)
