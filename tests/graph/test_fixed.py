"""Weights as whole numbers of a binary step."""

import numpy as np
import pytest

from sfumato.errors import DataError
from sfumato.graph.fixed import LONGEST, FixedPoint
from sfumato.graph.network import Topology


def line(size):
    names = tuple(map(str, range(size)))
    ends = np.arange(size - 1)
    return Topology(names, ends, ends + 1, directed=False)


@pytest.mark.parametrize("size", [2, 50, 20_000])
@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
def test_every_path_is_added_up_without_rounding(size, scale):
    weight = np.random.default_rng(size).uniform(scale, 90 * scale, size - 1)
    grid = FixedPoint.of(line(size), weight, growth=2)
    units = grid.units(weight)
    assert 2 * int(units.sum()) < LONGEST
    assert float(grid.weights(units).sum()) == grid.step * int(units.sum())
    assert np.allclose(grid.weights(units), weight, rtol=1e-5)


def test_the_step_is_as_fine_as_it_can_be():
    weight = np.full(9, 3.0)
    grid = FixedPoint.of(line(10), weight)
    assert 2 * grid.units(weight).sum() * 2 >= LONGEST


@pytest.mark.parametrize("decimals", range(7))
def test_sums_that_are_equal_in_decimals_stay_equal(decimals):
    rng = np.random.default_rng(decimals)
    counts = rng.integers(1, 10**6, 300)
    weight = np.concatenate([counts, counts[::2] + counts[1::2]]) / 10**decimals
    grid = FixedPoint.of(line(len(weight) + 1), weight)
    units = grid.units(weight)
    assert np.array_equal(units[:300:2] + units[1:300:2], units[300:])
    assert np.allclose(grid.weights(units), weight, rtol=1e-3)


def test_binary_steps_alone_would_tell_them_apart():
    counts = np.random.default_rng(1).integers(1, 10**6, 300)
    weight = np.concatenate([counts, counts[::2] + counts[1::2]]) / 10**2
    exponent = FixedPoint.of(line(len(weight) + 1), weight).exponent
    units = FixedPoint(exponent).units(weight)
    assert not np.array_equal(units[:300:2] + units[1:300:2], units[300:])


def test_weights_that_are_not_decimal_are_rounded_to_the_step():
    weight = np.array([np.pi, np.e, np.sqrt(2)])
    grid = FixedPoint.of(line(4), weight)
    assert grid.decimals is None
    assert np.all(np.abs(grid.weights(grid.units(weight)) - weight) <= grid.step / 2)


@pytest.mark.parametrize("weight", [[1e-300, 1.0], [1e308, 1e308, 1e308], [1e305, 1e305]])
def test_weights_beyond_exact_lengths_are_refused(weight):
    with pytest.raises(DataError, match="weights"):
        FixedPoint.of(line(len(weight) + 1), np.array(weight))
