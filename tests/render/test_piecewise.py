"""Smoothing against every way of cutting, and projection against plain search."""

from itertools import combinations, pairwise, product

import numpy as np
import pytest

from sfumato.render.piecewise import piecewise, simplex


def by_enumeration(noisy, widths, deviation, price):
    """The mean over all segmentations by every width, each weighed as the text says."""
    bins, total, level = len(noisy), 0.0, np.zeros(len(noisy))
    for width, pieces in product(widths, range(bins)):
        for cuts in combinations(range(1, bins), pieces):
            ends, weight, found = (0, *cuts, bins), 0.0, np.empty(bins)
            for start, stop in pairwise(ends):
                part, codes = noisy[start:stop], width[start:stop]
                fitted = codes * (part @ codes) / (codes @ codes)
                misfit = ((part - fitted) ** 2).sum()
                weight -= misfit / (2 * deviation**2) + np.log(len(part)) / 2 + price / 2
                found[start:stop] = fitted
            total += np.exp(weight)
            level += np.exp(weight) * found
    return level / total


@pytest.mark.parametrize("notions", [1, 2, 3])
@pytest.mark.parametrize("bins", [2, 3, 5, 9])
@pytest.mark.parametrize(("deviation", "price"), [(1.0, 3.0), (4.0, 3.0), (2.0, 0.0), (0.5, 8.0)])
def test_levels_are_the_mean_over_all_segmentations(notions, bins, deviation, price, rng):
    noisy = rng.normal(0, 3, bins) + 10 * (np.arange(bins) > bins // 2)
    widths = list(rng.integers(1, 5, (notions, bins)).astype(float))
    found = piecewise(noisy, widths, deviation, price)
    wanted = by_enumeration(noisy, widths, deviation, price)
    np.testing.assert_allclose(found, wanted, atol=1e-9)
    # The control: noise so large that all is one piece gives another mean.
    assert np.abs(found - by_enumeration(noisy, widths, 100 * deviation, price)).max() > 1e-6


def test_of_two_widths_the_one_that_fits_is_believed(rng):
    """Wide bins hold as much per width by one notion only; by either alone the other is missed."""
    widths = [np.ones(60), 1.08 ** np.arange(60)]
    for true in widths:
        level = 6_000 * true / true.sum()
        noisy = level + rng.normal(0, 10, 60)
        away = [np.abs(piecewise(noisy, w, 10.0, 6.0) - level).mean() for w in ([true], widths)]
        assert away[1] == pytest.approx(away[0], rel=0.01)
        (other,) = (width for width in widths if width is not true)
        assert np.abs(piecewise(noisy, [other], 10.0, 6.0) - level).mean() > 2 * away[1]


def test_smoothing_comes_closer_to_slopes_and_keeps_spikes(rng):
    level = np.concatenate([np.linspace(0, 200, 50), [2_000.0], np.full(49, 40.0)])
    noisy = level + rng.normal(0, 30, 100)
    smooth = piecewise(noisy, [np.ones(100)], 30.0, 6.0)
    assert np.abs(smooth - level).mean() < 0.6 * np.abs(noisy - level).mean()
    assert abs(smooth[50] - 2_000) < 150


@pytest.mark.parametrize("noisy", [[], [3.0], [3.0, 9.0, 1.0]])
def test_without_noise_or_neighbours_nothing_is_smoothed(noisy):
    noisy = np.array(noisy)
    assert piecewise(noisy, [np.ones(len(noisy))], 0.0, 6.0).tolist() == noisy.tolist()
    if len(noisy) < 2:
        assert piecewise(noisy, [np.ones(len(noisy))], 5.0, 6.0).tolist() == noisy.tolist()


def test_levels_of_huge_counts_and_noise_stay_finite(rng):
    for size in (1e-3, 1e6, 1e15):
        found = piecewise(rng.normal(size, size, 101), [np.ones(101)], size, 6.0)
        assert np.isfinite(found).all()
        assert abs(found.mean() - size) < 3 * size


def nearest(values, total):
    """The projection by trying every set of positive entries."""
    best, least = None, np.inf
    for count in range(1, len(values) + 1):
        for kept in combinations(range(len(values)), count):
            tried = np.zeros(len(values))
            tried[list(kept)] = values[list(kept)] + (total - values[list(kept)].sum()) / count
            away = ((tried - values) ** 2).sum()
            if (tried >= -1e-12).all() and away < least:
                best, least = tried, away
    return best


@pytest.mark.parametrize("total", [0.0, 1.0, 7.5, 1e6])
@pytest.mark.parametrize("size", [1, 2, 6])
def test_the_simplex_projection_is_the_nearest_point(size, total, rng):
    for _ in range(20):
        values = rng.normal(0, 5, size)
        found = simplex(values, total)
        np.testing.assert_allclose(found, nearest(values, total), atol=1e-9 * max(total, 1))
        assert found.sum() == pytest.approx(total)
        assert (found >= 0).all()


def test_a_projection_leaves_a_point_of_the_simplex_alone_and_keeps_shapes(rng):
    values = rng.dirichlet(np.ones(6)).reshape(2, 3) * 8
    np.testing.assert_allclose(simplex(values, 8.0), values)
    assert simplex(values, -3.0).tolist() == [[0.0] * 3] * 2


def test_bins_of_one_code_among_wide_ones_hold_next_to_nothing(rng):
    """The ends of a range are bins of one code; what is smooth has no heap there."""
    width = np.array([1.0] + [100.0] * 98 + [1.0])
    level = width * 0.5
    found = np.mean(
        [piecewise(level + rng.normal(0, 20, 100), [width], 20.0, 6.0) for _ in range(20)], 0
    )
    assert found[[0, -1]].max() < 5
    heap = level.copy()
    heap[0] = 500.0
    assert piecewise(heap + rng.normal(0, 20, 100), [width], 20.0, 6.0)[0] > 400
