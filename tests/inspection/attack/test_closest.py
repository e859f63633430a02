"""The nearest points by products of matrices are those that a tree finds."""

import numpy as np
import pytest
from scipy.spatial import cKDTree

from sfumato.inspection.attack import closest as module
from sfumato.inspection.attack.closest import closest


@pytest.mark.parametrize("count", [1, 2, 5])
@pytest.mark.parametrize("at_once", [1, 2**22])
def test_many_dimensions_give_what_a_tree_gives(count, at_once, rng, monkeypatch):
    monkeypatch.setattr(module, "_AT_ONCE", at_once)
    X = rng.integers(0, 3, (300, 20)) / 2 + rng.random((300, 20)) * 1e-3
    Y = np.vstack([X[:40], rng.random((30, 20))])
    distances, rows = closest(X, Y, count)
    expected, places = cKDTree(X).query(Y, k=np.arange(1, count + 1))
    np.testing.assert_allclose(distances, expected, atol=1e-9)
    assert (rows == places).all()
    assert (distances[:40, 0] == 0).all()


def test_few_points_and_few_dimensions_are_left_to_the_tree(rng):
    for shape in ((6, 20), (300, 2)):
        X = rng.random(shape)
        distances, rows = closest(X, X, 2)
        assert distances.shape == rows.shape == (len(X), 2)
        assert (rows[:, 0] == np.arange(len(X))).all()
