"""Latent classes: the gradient is one, and fitted tables come close to what was asked for."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from mosaic_world import CLASSED, PARTITION, chain
from sfumato.render.latent import Mixture, Settings, Targets, _Fit, fit

FREE = Settings(components=20, restarts=2, steps=400, pull=0.0, smooth=0.0)


def targets(one, pairs, partition, weight=1e6):
    """Shares with a weight; a pair that is not there has none."""
    total = one[:, :3].sum()
    tables = np.zeros((partition.classes, 9, 9))
    pair_weight = np.zeros((3, 3))
    for (i, j), table in pairs.items():
        tables[:, partition.block(i), partition.block(j)] = table / total
        tables[:, partition.block(j), partition.block(i)] = table.transpose(0, 2, 1) / total
        pair_weight[i, j] = pair_weight[j, i] = weight
    return Targets(
        partition,
        tables,
        pair_weight,
        one / total,
        np.full(3, weight),
        np.zeros(9),
        np.zeros(3),
        np.maximum(one.sum(axis=0) / total, 1e-4),
        one[:, :3].sum(axis=1),
    )


@pytest.mark.parametrize("partition", [PARTITION, CLASSED], ids=["whole", "classes"])
def test_fitted_two_way_tables_match(partition, rng):
    one, pairs = chain(rng, partition)
    mixture = fit(targets(one, pairs, partition), FREE, rng)
    found = mixture.tables(one[:, :3].sum())
    for (i, j), table in pairs.items():
        block = found[:, partition.block(i), partition.block(j)]
        assert np.abs(block - table).sum() / 2 < 0.02 * table.sum(), (i, j)
    # The control: one latent class can only be independent.
    single = fit(targets(one, pairs, partition), Settings(1, 1, 200, 0.0, 0.0), rng)
    block = single.tables(one[:, :3].sum())[:, partition.block(0), partition.block(1)]
    assert np.abs(block - pairs[0, 1]).sum() / 2 > 0.2 * pairs[0, 1].sum()


def test_a_mixture_is_one(rng):
    one, pairs = chain(rng, CLASSED)
    mixture = fit(targets(one, pairs, CLASSED), Settings(steps=30, restarts=3, components=7), rng)
    assert mixture.weight.shape == (21, 2)
    assert mixture.weight.sum() == pytest.approx(1)
    assert (mixture.weight >= 0).all()
    for column in range(3):
        np.testing.assert_allclose(mixture.chance[:, CLASSED.block(column)].sum(axis=1), 1)


def misfit(what, t):
    """What is minimised, written out."""
    weight, chance = what.mixtures()
    found = Mixture(weight[0], chance[0])
    by_cell = t.pair_weight[t.partition.owner][:, t.partition.owner]
    pairs = (by_cell * (found.tables() - t.pairs) ** 2).sum() / 4
    one = (t.one_weight[t.partition.owner] * (found.weight.T @ found.chance - t.one) ** 2).sum() / 2
    return pairs + one


def test_the_gradient_is_that_of_the_misfit(rng):
    one, pairs = chain(rng, CLASSED)
    t = targets(one, pairs, CLASSED, weight=1.0)
    what = _Fit(t, Settings(components=3, restarts=1, pull=0.0, smooth=0.0), rng)
    slopes = what.gradient()
    for values, slope in zip((what.log_weight, what.log_chance), slopes, strict=True):
        for place in np.ndindex(values.shape):
            before = values[place]
            values[place] = before + 1e-5
            above = misfit(what, t)
            values[place] = before - 1e-5
            below = misfit(what, t)
            values[place] = before
            assert slope[place] == pytest.approx((above - below) / 2e-5, abs=1e-8)


def test_a_strong_pull_leaves_nothing_but_the_one_way_tables(rng):
    one, pairs = chain(rng)
    pulled = fit(targets(one, pairs, PARTITION), Settings(10, 1, 400, pull=1e9), rng)
    mean = one[0] / one[0, :3].sum()
    assert np.abs(pulled.chance - mean).max() < 0.05


def test_weights_beyond_all_reason_do_not_overflow(rng):
    one, pairs = chain(rng)
    mixture = fit(targets(one, pairs, PARTITION, weight=1e24), Settings(5, 2, 50), rng)
    assert np.isfinite(mixture.weight).all()
    assert np.isfinite(mixture.chance).all()


def work(settings, shape):
    """Products of a fit."""
    each = 4.0 * shape.cells**2 * shape.classes
    return settings.restarts * settings.steps * settings.components * each


@pytest.mark.parametrize("classes", [1, 2, 16])
def test_the_work_of_a_fit_is_bounded_and_few_cells_are_fitted_as_asked(classes):
    asked, before = Settings(), None
    assert asked.within(SimpleNamespace(cells=40, classes=1)) == asked
    for cells in (10, 40, 100, 200, 400, 800, 1_600, 3_200, 6_000):
        shape = SimpleNamespace(cells=cells, classes=classes)
        found = asked.within(shape)
        assert work(found, shape) <= 1.5e11 or (found.components <= 16 and found.restarts == 1)
        assert found.restarts >= 1
        assert found.steps >= 150
        assert found.components >= 12
        same = {"restarts": asked.restarts, "steps": asked.steps, "components": asked.components}
        assert replace(found, **same) == asked  # pulls are not a matter of work
        if before is not None:
            assert found.restarts * found.steps * found.components <= before
        before = found.restarts * found.steps * found.components
    assert before < 8 * 600 * 50  # the control: so many cells are more work than is bounded


def test_less_than_the_fewest_steps_and_components_are_fitted_as_asked():
    asked = Settings(components=3, restarts=1, steps=20)
    assert asked.within(SimpleNamespace(cells=6_000, classes=16)) == asked
