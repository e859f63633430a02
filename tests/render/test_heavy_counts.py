"""Counts with heavy codes apart: they add up, say where spikes are, and follow the classes."""

import numpy as np
import pytest

from sfumato.render.bins import whole_column
from sfumato.render.heavy import by_class, with_heavy
from sfumato.schema import Schema
from sfumato.schema.domain import Domain
from sfumato.synopsis.bins import Fine, Merged
from sfumato.synopsis.heavy import HeavyCodes

COLUMN = {"kind": "integer", "low": 0, "high": 9_999, "missing": "allowed"}
(AXIS,) = Domain.of(Schema.of({"name": "t", "columns": {"x": COLUMN}})).axes
WITHIN = Fine.of(0, AXIS, 512, 100)
SPIKES = {0: 800, 7_298: 150, 7_301: 60, 9_999: 90}


def table(rng, spikes=SPIKES):
    codes = np.concatenate(
        [np.repeat(list(spikes), list(spikes.values())), rng.integers(1, 9_999, 900)]
    )
    exact = np.bincount(codes, minlength=10_000)
    return exact, np.append(np.bincount(WITHIN.place[codes], minlength=WITHIN.bins - 1), 5)


def found(exact, fine, deviation, code_deviation, rng, spikes=SPIKES, total=None):
    codes = np.array(sorted(spikes), np.int64)
    noisy = np.rint(exact[codes] + rng.normal(0, code_deviation, len(codes))).astype(np.int64)
    heavy = HeavyCodes(AXIS, WITHIN, codes, noisy[None])
    noisy_fine = fine + rng.normal(0, deviation, len(fine))
    total = float(fine.sum()) if total is None else total
    return heavy, with_heavy(heavy, code_deviation, noisy_fine, None, 1, deviation, total)


@pytest.mark.parametrize("deviation", [0.001, 5.0, 1e4])
@pytest.mark.parametrize("total", [None, 0.5])
def test_counts_have_the_public_total_and_none_is_negative(deviation, total, rng):
    exact, fine = table(rng)
    heavy, made = found(exact, fine, deviation, deviation, rng, total=total)
    assert made.column is heavy.bins
    assert made.counts.sum() == pytest.approx(total or fine.sum())
    assert (made.counts >= 0).all()


def test_heavy_codes_have_their_counts_and_their_neighbours_do_not(rng):
    exact, fine = table(rng)
    heavy, made = found(exact, fine, 2.0, 1.0, rng)
    there = made.counts[heavy.bins.place[heavy.codes]]
    np.testing.assert_allclose(there, [800, 150, 60, 90], atol=12)
    between = made.counts[heavy.bins.place[7_299]]  # two codes between two heavy ones
    assert between < 3
    evenly = whole_column(WITHIN, fine.astype(float), None, 1, 2.0, float(fine.sum()))
    assert evenly.counts[WITHIN.place[7_299]] > 200  # without them all is in one bin


def test_without_heavy_codes_counts_are_those_of_any_number(rng):
    _, fine = table(rng, {5: 1})
    heavy = HeavyCodes(AXIS, WITHIN, np.empty(0, np.int64), np.empty((1, 0), np.int64))
    noisy = fine + rng.normal(0, 2, len(fine))
    made = with_heavy(heavy, 1.0, noisy, None, 1, 2.0, float(fine.sum()))
    plain = whole_column(WITHIN, noisy, None, 1, 2.0, float(fine.sum()))
    np.testing.assert_allclose(made.counts, plain.counts, rtol=1e-9)


@pytest.mark.parametrize(("variance", "follows"), [(1.0, True), (1e8, False)])
def test_classes_have_their_own_codes_as_far_as_noise_does_not_explain_them(variance, follows):
    heavy = HeavyCodes(
        AXIS, WITHIN, np.array([7_298, 7_301]), np.array([[100, 0], [0, 100]], np.int64)
    )
    bins = heavy.bins
    first, second = bins.place[[7_298, 7_301]]
    spread = np.ones(bins.bins)
    spread[[first, second]] = 100.0
    group = np.zeros(bins.bins, np.int64)
    group[-1] = 1  # missing
    column = Merged(bins, group)
    rest = float(spread[:-1].sum()) / 2
    own = by_class(column, heavy, spread, np.array([[rest, 1.0], [rest, 0.0]]), variance, variance)
    assert own.shape == (2, bins.bins)
    assert (own >= 0).all()
    if follows:
        assert own[0, first] > 20 * own[0, second]
        assert own[1, second] > 20 * own[1, first]
        assert own[0, :-1].sum() == pytest.approx(rest)
    else:
        assert own[0, first] == pytest.approx(own[0, second])


def test_a_class_without_records_is_filled_as_all_are():
    heavy = HeavyCodes(AXIS, WITHIN, np.array([7_298]), np.array([[100], [0]], np.int64))
    spread = np.ones(heavy.bins.bins)
    group = np.zeros(heavy.bins.bins, np.int64)
    group[-1] = 1
    column = Merged(heavy.bins, group)
    own = by_class(column, heavy, spread, np.array([[400.0, 0.0], [0.0, 0.0]]), 1.0, 1.0)
    np.testing.assert_array_equal(own[1], spread)
