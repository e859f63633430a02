"""Forests: what they imply is what they draw, and shrinking takes noise off."""

import numpy as np
import pytest

from mosaic_world import CLASSED, PARTITION, chain, exact_tables
from sfumato.render.estimate import NoisyTables, one_ways
from sfumato.render.forest import forest, shrunken
from sfumato.render.systematic import draw


def tables_of(one, pairs, partition=PARTITION, deviation=0.01):
    rows = round(one[:, :3].sum())
    return NoisyTables(partition, {}, one, deviation**2, pairs, deviation**2, rows)


@pytest.mark.parametrize("partition", [PARTITION, CLASSED], ids=["whole", "classes"])
def test_a_chain_is_found_and_the_pair_it_leaves_out_is_implied(partition, rng):
    one, pairs = chain(rng, partition)
    tables = tables_of(one, pairs, partition)
    trees = forest(tables, one_ways(tables), chosen=False)
    assert set(trees.pairs) == {(0, 1), (1, 2)}
    implied = trees.expected()
    for (i, j), table in pairs.items():
        found = implied[:, partition.block(i), partition.block(j)]
        assert np.abs(found - table).sum() / 2 < 0.03 * table.sum(), (i, j)
    # The control: independent columns are far from the joined pair.
    alone = forest(
        NoisyTables(partition, {}, one, 1.0, {}, 1.0, 3_000), one_ways(tables), chosen=True
    )
    far = alone.expected()[:, partition.block(0), partition.block(1)]
    assert np.abs(far - pairs[0, 1]).sum() / 2 > 0.2 * pairs[0, 1].sum()


@pytest.mark.parametrize("partition", [PARTITION, CLASSED], ids=["whole", "classes"])
def test_what_is_drawn_is_what_is_implied(partition, rng):
    one, pairs = chain(rng, partition)
    tables = tables_of(one, pairs, partition)
    trees = forest(tables, one_ways(tables), chosen=False)
    rows = 30_000
    kind = draw(trees.ones.classes, rows, rng)
    drawn = trees.draw(kind, rng)
    implied = trees.expected()
    implied /= implied[:, :3, 3:6].sum()
    for i, j in ((0, 1), (1, 2), (0, 2)):
        found = np.zeros((partition.classes, 3, 3))
        np.add.at(found, (kind, drawn[:, i], drawn[:, j]), 1 / rows)
        wanted = implied[:, partition.block(i), partition.block(j)]
        assert np.abs(found - wanted).sum() / 2 < 0.02


def test_the_tables_of_a_forest_agree_with_the_one_way_tables(rng):
    one, pairs = chain(rng)
    tables = tables_of(
        one, {k: t + rng.normal(0, 40, t.shape) for k, t in pairs.items()}, deviation=40
    )
    ones = one_ways(tables)
    for i, j in pairs:
        table = shrunken(tables, ones, (i, j))
        assert (table > 0).all()
        np.testing.assert_allclose(table.sum(axis=1), ones.counts[:, PARTITION.block(j)], rtol=2e-3)
        np.testing.assert_allclose(table.sum(axis=2), ones.counts[:, PARTITION.block(i)], rtol=2e-3)


def test_shrinking_comes_closer_where_there_is_nothing_but_noise_and_keeps_what_there_is(rng):
    plain, kept = [], []
    for _ in range(40):
        one, pairs = exact_tables(rng, PARTITION)
        exact, other = pairs[0, 2], pairs[0, 1]  # independent, and not
        for table, found in ((exact, plain), (other, kept)):
            noise = table + rng.normal(0, 25, table.shape)
            tables = NoisyTables(PARTITION, {}, one, 1e-6, {(0, 1): noise}, 625.0, 900)
            ones = one_ways(NoisyTables(PARTITION, {}, one, 1e-6, rows=900))
            swapped = (
                ones
                if table is other
                else one_ways(
                    NoisyTables(PARTITION, {}, one[:, [0, 1, 2, 6, 7, 8, 3, 4, 5]], 1e-6, rows=900)
                )
            )
            near = np.abs(shrunken(tables, swapped, (0, 1)) - table).sum()
            found.append(near / np.abs(noise - table).sum())
    assert np.mean(plain) < 0.6
    assert np.mean(kept) < 1


def test_columns_that_nothing_joins_are_drawn_by_themselves(rng):
    one, _ = exact_tables(rng, PARTITION)
    tables = NoisyTables(PARTITION, {}, one, 1.0, rows=900)
    trees = forest(tables, one_ways(tables), chosen=True)
    assert trees.steps() == [(0, None), (1, None), (2, None)]
    drawn = trees.draw(np.zeros(900, np.int64), rng)
    for column in range(3):
        counts = np.bincount(drawn[:, column], minlength=3)
        assert np.abs(counts - one[0, PARTITION.block(column)]).max() <= 2
