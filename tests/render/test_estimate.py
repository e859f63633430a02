"""One-way tables: consistent whatever the noise, exact without it, better with every table."""

import numpy as np
import pytest

from mosaic_world import CLASSED, FINE, PARTITION, exact_tables
from sfumato.render.bins import FineCounts
from sfumato.render.estimate import NoisyTables, _by_class, one_ways


def noisy(rng, partition, deviation, rows=900, **changes):
    one, pairs = exact_tables(rng, partition)
    pairs = {key: table + rng.normal(0, deviation, table.shape) for key, table in pairs.items()}
    given = {
        "fine": {},
        "one": one + rng.normal(0, deviation, one.shape),
        "one_variance": deviation**2,
        "pairs": pairs,
        "pair_variance": deviation**2,
        "rows": rows,
    }
    return one, NoisyTables(partition, **(given | changes))


@pytest.mark.parametrize("partition", [PARTITION, CLASSED], ids=["whole", "classes"])
@pytest.mark.parametrize("deviation", [0.01, 5.0, 1e4])
@pytest.mark.parametrize("rows", [900, None])
def test_counts_are_possible_and_add_up_whatever_the_noise(partition, deviation, rows, rng):
    _, tables = noisy(rng, partition, deviation, rows)
    ones = one_ways(tables)
    assert (ones.counts >= 0).all()
    assert (ones.classes > 0).all()
    if rows is not None:
        assert ones.total == pytest.approx(rows)
    assert ones.total >= 1
    for column in range(3):
        inside = ones.counts[:, partition.block(column)].sum(axis=1)
        np.testing.assert_allclose(inside, ones.classes)


@pytest.mark.parametrize("partition", [PARTITION, CLASSED], ids=["whole", "classes"])
def test_without_noise_they_are_the_exact_ones(partition, rng):
    exact, tables = noisy(rng, partition, 1e-4)
    np.testing.assert_allclose(one_ways(tables).counts, exact, atol=0.01)


@pytest.mark.parametrize("known", ["pairs", "fine"])
def test_tables_that_say_the_same_count_make_it_more_exact(known, rng):
    alone, together = [], []
    for _ in range(60):
        exact, tables = noisy(rng, PARTITION, 20.0)
        fine = {
            k: FineCounts(FINE[k], exact[0, PARTITION.block(k)] + rng.normal(0, 5, 3), 5.0)
            for k in range(3)
        }
        more = {"pairs": tables.pairs} if known == "pairs" else {"pairs": {}, "fine": fine}
        for found, given in ((alone, {"pairs": {}}), (together, more)):
            some = NoisyTables(
                PARTITION,
                given.get("fine", {}),
                tables.one,
                400.0,
                given["pairs"],
                400.0,
                900,
            )
            found.append(((one_ways(some).counts - exact) ** 2).mean())
    assert np.mean(together) < 0.85 * np.mean(alone)


def test_where_nothing_but_a_number_is_known_columns_are_even():
    ones = one_ways(NoisyTables(PARTITION, {}, None, 1.0, rows=90))
    np.testing.assert_allclose(ones.counts, np.full((1, 9), 30.0))


def test_a_class_that_noise_makes_negative_is_kept_at_a_small_size():
    one = np.array([[300.0] * 9, [-40.0] * 9])
    ones = one_ways(NoisyTables(CLASSED, {}, one, 100.0, rows=900))
    assert 0 < ones.classes[1] < 3
    assert np.isfinite(ones.counts).all()


def by_class(difference, rng, tries=40):
    """The mean square away from the truth, of noisy and of shrunken tables of two classes."""
    even, lean = np.full(6, 300.0), difference * np.array([-1, -1, -1, 1, 1, 1])
    exact, classes = np.stack([2 * even + lean, even - lean]), np.array([3_600.0, 1_800.0])
    away = []
    for _ in range(tries):
        noisy = exact + rng.normal(0, 20, exact.shape)
        found = _by_class(noisy, 400.0, classes)
        np.testing.assert_allclose(found.sum(axis=0), noisy.sum(axis=0))  # what all have together
        away.append([((table - exact) ** 2).mean() for table in (noisy, found)])
    return np.mean(away, axis=0)


def test_classes_that_differ_by_noise_alone_are_made_alike(rng):
    noisy, shrunken = by_class(0.0, rng)
    assert shrunken < 0.7 * noisy  # a class has two thirds of the sum, and of its noise


def test_classes_that_differ_strongly_are_left_so(rng):
    noisy, shrunken = by_class(250.0, rng)
    assert shrunken < 1.05 * noisy
    assert 50 * noisy < 250.0**2  # the control: made alike, they would be so far away


def test_one_class_is_what_it_is(rng):
    counts = rng.normal(100, 20, (1, 6))
    np.testing.assert_allclose(_by_class(counts, 400.0, counts.sum(axis=1)), counts)
