"""What noisy two-way tables say beyond the model, and what they show to be empty; frozen seeds."""

import numpy as np
import pytest

from mosaic_world import CLASSED, PARTITION, exact_tables
from sfumato.render.denoised import Denoised, by_resolution, never_together
from sfumato.render.estimate import NoisyTables, one_ways

SHAPE = (2, 12, 12)
ORDERED = (False, True, True)


def test_noise_alone_is_dropped():
    """Each of three parts is kept where its square is two deviations above that of noise."""
    rng, kept = np.random.default_rng(0), []
    for _ in range(200):
        noise = rng.normal(0, 5, SHAPE)
        kept.append((by_resolution(noise, 25.0, ORDERED) ** 2).sum() / (noise**2).sum())
    # About one table in ten keeps some, and never much of it.
    assert np.mean(np.array(kept) > 0) < 0.2
    assert np.mean(kept) < 0.01
    # The control: as little noise as half of it is more than nothing.
    assert (by_resolution(noise, 25.0 / 2, ORDERED) ** 2).sum() > 0.1 * (noise**2).sum()


@pytest.mark.parametrize("ordered", [ORDERED, (False, False, False)])
def test_a_slope_is_kept_and_more_of_it_where_neighbours_are_alike(ordered):
    rng = np.random.default_rng(0)
    slope = np.broadcast_to(np.outer(np.linspace(-6, 6, 12), np.linspace(-1, 1, 12)), SHAPE)
    away = []
    for _ in range(20):
        rest = slope + rng.normal(0, 3, SHAPE)
        found = by_resolution(rest, 9.0, ordered)
        away.append(((found - slope) ** 2).mean())
    nothing, noise = (slope**2).mean(), 9.0
    assert np.mean(away) < (0.33 if any(ordered) else 0.75) * min(nothing, noise)


def test_a_faint_slope_is_kept_as_one_figure_where_single_cells_are_all_noise():
    """Five deviations in all: the square of 144 cells together hardly shows them."""
    rng = np.random.default_rng(0)
    plane = np.outer(np.arange(12) - 5.5, np.arange(12) - 5.5)
    plane *= 15 / np.sqrt((plane**2).sum())
    away = {True: [], False: []}
    for _ in range(50):
        rest = (plane + rng.normal(0, 3, (12, 12)))[None]
        for ordered, found in away.items():
            kept = by_resolution(rest, 9.0, (False, ordered, ordered))
            found.append(((kept - plane) ** 2).sum() / (plane**2).sum())
    assert np.mean(away[True]) < 0.35
    assert np.mean(away[False]) > 0.7  # the control: without an order there is no slope


def test_a_spike_is_kept_where_it_is():
    rng, rest = np.random.default_rng(0), np.zeros(SHAPE)
    rest[1, 5, 7] = 300.0
    found = by_resolution(rest + rng.normal(0, 5, SHAPE), 25.0, ORDERED)
    assert found[1, 5, 7] > 0.9 * 300
    assert np.abs(np.delete(found.ravel(), np.ravel_multi_index((1, 5, 7), SHAPE))).max() < 30


def test_without_noise_everything_is_kept():
    rest = np.random.default_rng(0).normal(0, 5, SHAPE)
    np.testing.assert_allclose(by_resolution(rest, 1e-12, ORDERED), rest, atol=1e-6)


@pytest.mark.parametrize("partition", [PARTITION, CLASSED])
def test_tables_that_were_measured_are_corrected_and_others_are_the_models(partition, rng):
    _, pairs = exact_tables(rng, partition)
    even = np.full((partition.classes, 9, 9), 100.0 / partition.classes)
    tables = NoisyTables(partition, {}, None, 1.0, {(0, 1): pairs[0, 1]}, 1e-9)
    found = Denoised.of(even, tables).tables
    assert Denoised.of(even, tables).told == 1.0
    assert Denoised.of(found, tables).told == 0.0  # there is nothing left to tell
    assert (even == 100 / partition.classes).all()
    one, two, three = (partition.block(column) for column in range(3))
    np.testing.assert_allclose(found[:, one, two], pairs[0, 1], atol=1e-3)
    np.testing.assert_allclose(found[:, two, one], pairs[0, 1].transpose(0, 2, 1), atol=1e-3)
    np.testing.assert_allclose(found[:, one, three], 100 / partition.classes)
    assert np.abs(pairs[0, 1] - 100 / partition.classes).max() > 20  # the control


def tables_of(codes, kind, partition, rng, deviation=5.0):
    one, pairs = np.zeros((partition.classes, 9)), {}
    np.add.at(one, (kind[:, None], codes + 3 * np.arange(3)), 1)
    for i, j in ((0, 1), (0, 2), (1, 2)):
        pairs[i, j] = rng.normal(0, deviation, (partition.classes, 3, 3))
        np.add.at(pairs[i, j], (kind, codes[:, i], codes[:, j]), 1)
    return NoisyTables(partition, {}, one, 1.0, pairs, deviation**2, rows=len(codes))


@pytest.mark.parametrize("partition", [PARTITION, CLASSED])
def test_a_planted_implication_is_found_and_nothing_else(partition):
    """Whoever has u = 1 has v = 2; in 50 tables, of independent columns otherwise."""
    one, two, hits = partition.block(0), partition.block(1), 0
    for seed in range(50):
        rng = np.random.default_rng(seed)
        codes, kind = rng.integers(0, 3, (3_000, 3)), rng.integers(0, partition.classes, 3_000)
        independent = tables_of(codes, kind, partition, rng)
        assert not never_together(independent, one_ways(independent)).any()
        codes[codes[:, 0] == 1, 1] = 2
        planted = tables_of(codes, kind, partition, rng)
        found = never_together(planted, one_ways(planted))
        assert np.array_equal(found, found.T)
        assert found.sum() in (0, 4)  # two deviations: noise hides one in fifty
        if found.any():
            assert found[one, two][1].tolist() == [True, True, False]
            hits += 1
    assert hits >= 45


def test_where_few_records_would_be_expected_nothing_is_called_empty():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 3, (60, 3))
    codes[codes[:, 0] == 1, 1] = 2
    few = tables_of(codes, np.zeros(60, int), PARTITION, rng)
    assert not never_together(few, one_ways(few)).any()
