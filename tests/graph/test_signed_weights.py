"""edge-laplace with weights of both signs: the same codes, the same bound."""

from fractions import Fraction
from itertools import product

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.graph.edge_laplace import METHOD, Grid
from sfumato.graph.network import Topology
from sfumato.privacy.guarantee import PureDP
from sfumato.publishing.verify import verify

EDGES = pa.table({"source": ["a", "b", "c"], "target": ["b", "c", "d"], "weight": [-7.0, 0.0, 3.5]})


@pytest.mark.parametrize("distance", [1, 2, 3])
def test_neighbours_on_a_signed_grid_never_move_the_codes_by_more_and_attain_it(distance):
    grid, points = Grid(Fraction(-2), Fraction(2), Fraction(1)), range(-2, 3)
    topology = Topology(("a", "b", "c"), np.array([0, 1]), np.array([1, 2]), directed=False)
    options = {"high": 2, "low": -2, "step": 1, "distance": distance}
    claimed = METHOD.price(topology, PureDP(1), options).events[0].sensitivity
    moves = [
        int(np.abs(grid.codes(np.array(one, float)) - grid.codes(np.array(other, float))).sum())
        for one, other in product(product(points, repeat=2), repeat=2)
        if sum(abs(a - b) for a, b in zip(one, other, strict=True)) <= distance
    ]
    assert max(moves) == claimed == distance


def test_a_weight_of_the_other_sign_is_not_read_as_its_size():
    grid = Grid(Fraction(-10), Fraction(10), Fraction(1, 10))
    assert grid.codes(np.array([-7.0, 7.0, -99, np.nan])).tolist() == [30, 170, 0, 0]
    assert grid.weights(np.array([100, 0])).tolist() == [0.0, -10.0]


def test_a_signed_release_verifies_and_says_what_it_is(tmp_path):
    # Noise of scale 0.02: off by more than 0.5 once in 10^10.
    release = sf.publish_network(
        EDGES, directed=True, epsilon=1000, high=10, low=-10, folder=tmp_path / "r"
    )
    assert all(check.passed for check in verify(tmp_path / "r"))
    assert any("Weights may be negative" in limit for limit in release.certificate.limits)
    assert release.data["weight"].to_pylist() == pytest.approx([-7, 0, 3.5], abs=0.5)
    lengths = sf.publish_network(EDGES, directed=True, epsilon=1, high=10).certificate
    assert not any("negative" in limit for limit in lengths.limits)
