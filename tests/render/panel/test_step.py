"""Tilts of steps, against slow sums."""

import numpy as np
import pytest

from sfumato.render.panel.step import Tilt, tilt_of
from sfumato.schema.column import Integer
from sfumato.schema.domain import Grid
from sfumato.synopsis.bins import Fine
from sfumato.synopsis.panel import step_edges

AXIS = Grid("a", Integer(kind="integer", low=0, high=20), 20, 20)
EDGES = step_edges(AXIS)


def test_the_mean_tilt_of_two_bins_is_that_of_all_their_codes():
    rng = np.random.default_rng(0)
    tilt = Tilt(EDGES, 20, rng.random(len(EDGES) - 1))
    start, stop = np.array([0, 1, 4, 9]), np.array([1, 4, 9, 21])

    def of(step):
        return tilt.tilt[np.searchsorted(EDGES, step, side="right") - 1]

    slow = [
        [np.mean([of(y - x) for x in range(a, b) for y in range(c, d)]) for c, d in bins]
        for bins in [list(zip(start, stop, strict=True))]
        for a, b in bins
    ]
    np.testing.assert_allclose(tilt.within(start, stop), slow, atol=1e-12)
    assert tilt.before(np.array([3])) - tilt.before(np.array([2])) == pytest.approx(of(2))


@pytest.mark.parametrize("fewest", [None, 0, 1])
def test_steps_that_never_occur_have_no_tilt_and_those_that_do_are_found(fewest):
    column = Fine.of(0, AXIS)
    share = np.full(21, 1 / 21)
    noisy = np.zeros(len(EDGES) - 1)
    one_up = np.searchsorted(EDGES, 1, side="right") - 1
    noisy[one_up] = 1_000.0
    tilt = tilt_of(noisy, 5.0, AXIS, column, share, fewest)
    below = EDGES[:-1] < (-(10**9) if fewest is None else fewest)
    assert (tilt.tilt[below] == 0).all()
    assert tilt.tilt.argmax() == one_up
    assert (tilt.tilt[~below] > 0).all()  # nothing is ruled out by noise


def test_noise_alone_tilts_nothing():
    """Ten deviations of noise around what chance gives: no step is much likelier than another."""
    column, share = Fine.of(0, AXIS), np.full(21, 1 / 21)
    only = [Tilt(EDGES, 20, np.eye(len(EDGES) - 1)[k]) for k in range(len(EDGES) - 1)]
    chance = np.array([share @ t.within(column.start, column.stop) @ share for t in only])
    found = tilt_of(10_000 * chance, 1.0, AXIS, column, share, None)
    assert found.tilt.max() / found.tilt.min() < 1.2
