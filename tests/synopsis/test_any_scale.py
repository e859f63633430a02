"""Fine bins of any number that a schema may declare: how many there are, and how wide."""

import random
from itertools import pairwise

import numpy as np
import pytest

from sfumato.errors import Refused
from sfumato.render.bins import whole_column
from sfumato.schema import Schema
from sfumato.schema.domain import Domain
from sfumato.synopsis.bins import Fine
from sfumato.synopsis.scale import FEWEST, MOST, fine_edges, logarithmic_width

FAR = {"kind": "integer", "low": 8 * 10**15, "high": 8 * 10**15 + 9_999}
WORST = (  # bins that followed the scale were up to three times as many as asked for
    ({"kind": "number", "low": -1e12, "high": 3e11, "step": 0.25}, 7),
    ({"kind": "number", "low": -86, "high": 101.95}, 11),
    ({"kind": "integer", "low": -(2**53), "high": 2**53}, 1),
    ({"kind": "number", "low": -1e-9, "high": 1e15, "scale": "log"}, 32),
)


def axis_of(facts, **table):
    (axis,) = Domain.of(Schema.of({"name": "t", "columns": {"x": facts}} | table)).axes
    return axis


def number(rng):
    size = rng.choice([0, 0, 1, 10, 0.1, 1e-3, 1e-9, 1e5, 1e9, 1e12, 1e15, 1e-15, 1e100, 1e-300])
    return rng.choice([-1, 1]) * size * rng.choice([1, rng.random(), rng.randint(1, 99)])


def declared(rng):
    """A column at random, and bits of the grid; many of them are refused."""
    if rng.random() < 0.4:
        far = rng.choice([0, 1, 10**6, 10**15, 2**53])
        low = rng.randint(-far, far)
        span = rng.choice([1, 2, 99, 100, 511, 9_999, rng.randint(1, 10**6), 10**14])
        facts = {"kind": "integer", "low": low, "high": low + span}
    else:
        low, high = sorted((number(rng), number(rng)))
        facts = {"kind": "number", "low": low, "high": high}
        if rng.random() < 0.5:
            facts["step"] = rng.choice([0.01, 0.25, 1, 0.07, 3, 10.0 ** rng.randint(-12, 9)])
    if rng.random() < 0.4:
        facts["scale"] = rng.choice(["log", "linear"])
    bits = rng.choice([None, None, 2, 6, 10, 14, 16])
    return facts, ({} if bits is None else {"grid_bits": bits})


def drawn(seed, count):
    rng, found = random.Random(seed), []
    while len(found) < count:
        facts, table = declared(rng)
        try:
            found.append((axis_of(facts, **table), rng.randint(1, 600)))
        except Refused:
            continue
    return found


@pytest.mark.parametrize("seed", range(3))
def test_no_schema_has_more_bins_than_the_slack_or_a_bin_without_width(seed):
    for axis, most in drawn(seed, 150):
        edges = fine_edges(axis, most)
        assert len(edges) - 1 <= 1.3 * min(max(most, FEWEST), MOST), (axis, most)
        assert (edges[0], edges[-1]) == (0, axis.points + 1)
        assert (np.diff(edges) >= 1).all()
        width = logarithmic_width(axis, edges)
        assert np.isfinite(width).all(), axis
        assert (width > 0).all(), axis


@pytest.mark.parametrize(("facts", "most"), WORST)
def test_a_range_of_many_magnitudes_has_about_as_many_bins_as_asked_for(facts, most):
    axis = axis_of(facts, grid_bits=16) if "step" not in facts else axis_of(facts)
    edges = fine_edges(axis, most).tolist()
    assert 12 <= len(edges) - 1 <= 1.3 * 32
    widest = max(stop - start for start, stop in pairwise(edges))
    assert widest < axis.points / 2


def test_widths_far_from_zero_are_even_and_those_near_it_are_not():
    edges = np.arange(0, 9_001, 1_000)
    np.testing.assert_allclose(logarithmic_width(axis_of(FAR), edges), 1_000 / 8e15, rtol=1e-9)
    near = logarithmic_width(axis_of(FAR | {"low": 0, "high": 9_999}), edges)
    assert near[0] > 5 * near[-1]


@pytest.mark.parametrize("size", [0.0, 1.0, 1e6, 2.0**53])
@pytest.mark.parametrize("deviation", [1e-3, 1.0, 1e18])
@pytest.mark.parametrize("runs", [False, True])
def test_no_count_is_lost_whatever_the_scale_the_noise_and_the_counts(size, deviation, runs):
    rng = np.random.default_rng(1)
    axes = [axis_of(FAR), axis_of(WORST[0][0]), *(axis for axis, _ in drawn(7, 8))]
    for axis in axes:
        column = Fine.cut(0, axis, fine_edges(axis, 32))
        fine = np.rint(size * rng.random(column.bins) + deviation * rng.normal(size=column.bins))
        run = 5 if runs else 1
        together = np.add.reduceat(fine, np.arange(0, len(fine), run)) if runs else None
        total = max(float(fine.sum()), 1.0)
        found = whole_column(column, fine, together, run, deviation, total).counts
        assert (found >= 0).all()
        assert found.sum() == pytest.approx(total, rel=1e-6)
