"""One-way tables made whole, and the coarse bins that are made of them."""

import numpy as np
import pytest

from sfumato.measure.tables import in_runs
from sfumato.render.bins import FineCounts, merge, whole_column
from sfumato.render.piecewise import simplex
from sfumato.schema import Schema
from sfumato.schema.domain import Domain
from sfumato.synopsis.bins import Fine

COLUMNS = {
    "wide": {"kind": "number", "low": 0, "high": 1, "missing": "allowed"},
    "many": {"kind": "category", "values": [f"v{i}" for i in range(50)]},
    "few": {"kind": "integer", "low": 0, "high": 3},
    "days": {"kind": "date", "low": "1900-01-01", "high": "2030-01-01", "missing": "allowed"},
}
AXES = Domain.of(Schema.of({"name": "t", "columns": COLUMNS})).axes
WIDE, MANY, FEW, DAYS = (Fine.of(i, axis, 512, 100) for i, axis in enumerate(AXES))


@pytest.mark.parametrize("deviation", [0.001, 5.0, 1e5])
@pytest.mark.parametrize("column", [WIDE, MANY, FEW], ids=["wide", "many", "few"])
@pytest.mark.parametrize("run", [1, 5])
def test_made_whole_a_column_has_the_public_total_and_no_negative_count(
    column, run, deviation, rng
):
    exact = rng.multinomial(2_000, rng.dirichlet(np.full(column.bins, 0.3)))
    fine = exact + rng.normal(0, deviation, column.bins)
    runs = None
    if column.runs(run):
        inside = in_runs(exact[: column.ordered], run)
        runs = inside + rng.normal(0, deviation, column.runs(run))
    found = whole_column(column, fine, runs, run, deviation, 2_000.0)
    assert found.counts.sum() == pytest.approx(2_000)
    assert (found.counts >= 0).all()
    if deviation < 0.01:
        # Inside a run, a fiftieth of an even share is given to every bin, by its width.
        even = 0.0
        if column.runs(run):
            group, width = np.arange(column.ordered) // run, (column.stop - column.start)
            wide = width[: column.ordered] / np.bincount(group, width[: column.ordered])[group]
            even = float((in_runs(exact[: column.ordered], run)[group] * wide).max())
        np.testing.assert_allclose(found.counts, exact, rtol=0.02, atol=1 + even / 50)


def test_runs_help_where_bins_are_mostly_noise(rng):
    exact = np.full(WIDE.bins, 20)
    exact[[0, WIDE.ordered - 1, WIDE.ordered]] = (
        0  # the ends hold one code each, and none is missing
    )
    errors = {1: [], 5: []}
    for _ in range(40):
        fine = exact + rng.normal(0, 30, WIDE.bins)
        runs = in_runs(exact[: WIDE.ordered], 5) + rng.normal(0, 30, WIDE.runs(5))
        for run in errors:
            given = runs if run > 1 else None
            found = whole_column(WIDE, fine, given, run, 30.0, float(exact.sum()))
            errors[run].append(np.abs(in_runs(found.counts, 20) - in_runs(exact, 20)).mean())
    assert np.mean(errors[5]) < 0.9 * np.mean(errors[1])


def contiguous(group):
    return np.isin(np.diff(group), [0, 1]).all()


@pytest.mark.parametrize("most", [2, 6, 8])
@pytest.mark.parametrize("least", [0.0, 30.0, 1e9])
def test_neighbouring_bins_are_merged_in_order_and_missing_stays_alone(most, least, rng):
    for _ in range(20):
        counts = rng.gamma(0.3, 50, WIDE.bins)
        merged = merge(FineCounts(WIDE, counts, 1.0), most, least)
        numbers, missing = merged.group[: WIDE.ordered], merged.group[WIDE.ordered :]
        assert contiguous(merged.group)
        assert merged.group[0] == 0
        assert numbers.max() < most
        assert missing.tolist() == [numbers.max() + 1]
        if least == 1e9:
            assert numbers.max() == 0  # nothing is worth a bin of its own
        if least == 30.0 and numbers.max():
            assert np.bincount(numbers, counts[: WIDE.ordered]).min() >= 30 * (1 - 1e-9)


def test_a_spike_has_a_bin_of_its_own():
    counts = np.full(WIDE.bins, 1.0)
    counts[0] = 5_000.0
    group = merge(FineCounts(WIDE, counts, 1.0), 6, 3.0).group
    assert group[0] == 0
    assert group[1] == 1


def test_rare_levels_of_a_category_are_merged_and_frequent_ones_are_not():
    counts = np.ones(50)
    counts[[7, 30, 44]] = 400.0, 300.0, 200.0
    group = merge(FineCounts(MANY, counts, 1.0), 6, 50.0).group
    assert group[[7, 30, 44]].tolist() == [0, 1, 2]
    assert set(np.delete(group, [7, 30, 44])) == {3}
    assert set(merge(FineCounts(MANY, counts, 1.0), 6, 1e9).group) == {0}


def test_few_bins_are_left_as_they_are():
    assert merge(FineCounts(FEW, np.zeros(4), 1.0), 6, 3.0).group.tolist() == [0, 1, 2, 3]


def test_merging_without_a_single_record_gives_bins_without_gaps():
    for column in (WIDE, MANY):
        merged = merge(FineCounts(column, np.zeros(column.bins), 1.0), 6, 3.0)
        assert np.array_equal(np.unique(merged.group), np.arange(merged.bins))


def test_where_noise_is_all_there_is_a_column_is_nearly_even(rng):
    """Not a few values that noise picked: for dates, which have one scale, and for categories."""
    for column, deviation in ((DAYS, 40.0), (MANY, 60.0)):
        apart = []
        for _ in range(30):
            fine = 100 / column.bins + rng.normal(0, deviation, column.bins)
            counts = whole_column(column, fine, None, 1, deviation, 100.0).counts
            apart.append(np.abs(counts - 100 / column.bins).sum() / 200)
            plain = simplex(fine, 100.0)
            assert np.abs(plain - 100 / column.bins).sum() / 200 > 0.8  # what is to be avoided
        assert np.median(apart) < 0.4


def test_where_noise_is_all_there_is_a_number_is_nearly_even_by_either_scale(rng):
    """Bins that grow say nothing of themselves whether the number or its logarithm is even."""
    apart, column = [], Fine.of(0, AXES[0], 96, 96)
    even = np.append((column.stop - column.start)[: column.ordered], 0.0)
    shares = [scale / scale.sum() for scale in (even, np.append(column.width, 0.0))]
    shares.append(sum(shares) / 2)
    for _ in range(30):
        fine = 100 * shares[0] + rng.normal(0, 40, column.bins)
        counts = whole_column(column, fine, None, 1, 40.0, 100.0).counts
        plain = simplex(fine, 100.0)
        far = [[np.abs(c - 100 * s).sum() / 200 for s in shares] for c in (counts, plain)]
        apart.append(min(far[0]))
        assert min(far[1]) > 0.8  # what is to be avoided
    assert np.median(apart) < 0.5  # what is missing is not smoothed, and is here up to all
