"""Moments in reduced coordinates: in the unit ball, exact, moved no further than certified."""

from itertools import product
from math import sqrt

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neighbours import records as mixed_records
from neighbours import schema as mixed
from neighbours import text_rows, typed_rows
from sfumato.measure.projected_moments import Budgets, Outcome, ProjectedMoments
from sfumato.privacy.guarantee import PureDP
from sfumato.privacy.mechanism import Purse
from sfumato.privacy.randomness import SeededBits
from sfumato.schema import Schema
from sfumato.schema.domain import Domain
from sfumato.synopsis.centred import UNIT, Centred
from sfumato.synopsis.directions import Directions
from sfumato.table.records import Records
from sfumato.table.source import open_source

RELATIONS = ["replace-one", "add-remove"]
CLASSES = ["a", "b", "c"]


def plane(neighbours="replace-one", classes=3):
    """Two numbers, a label, and a number to be predicted."""
    number = {"kind": "number", "low": -1, "high": 1}
    label = {"kind": "category", "values": CLASSES[:classes], "role": "label"}
    columns = {"u": number, "v": number, "c": label, "y": number | {"role": "target"}}
    return Domain.of(Schema.of({"name": "p", "neighbours": neighbours, "columns": columns}))


def moments(domain, U, *, without, labels=None, epsilon=1):
    """What `perturb` adds noise to, along the rows of U."""
    relation, price = domain.schema.neighbours, PureDP(epsilon)
    outcome = Outcome(relation, without[0], labels)
    directions = Directions.of(Centred.of(domain, None, without=without), np.array(U, float))
    return ProjectedMoments(
        directions, outcome, Budgets(price if outcome.counts else None, price, price)
    )


def in_plane(domain, U, labelled, **figures):
    """Moments of (u, v) by class, or with the target."""
    classes = domain.axes[2].codes if labelled else None
    without = (2, 3) if labelled else (3, 2)
    return moments(domain, U, without=without, labels=classes, **figures)


def rows_of(domain, rows):
    columns = list(zip(*rows, strict=True)) or [()] * 4
    kinds = (pa.float64(), pa.float64(), pa.string(), pa.float64())
    arrays = [pa.array(column, kind) for column, kind in zip(columns, kinds, strict=True)]
    return Records(open_source(pa.table(arrays, names=["u", "v", "c", "y"])), domain)


def exact(found, domain, rows):
    """The exact statistics in real units."""
    parts = found.query(rows_of(domain, rows))
    return [
        part / unit for part, unit in zip(parts, (1, UNIT, UNIT**2)[-len(parts) :], strict=True)
    ]


TURNED = np.array([[1, 1], [1, -1]]) / sqrt(2)


@pytest.mark.parametrize("U", [TURNED, [[1, 1], [1, 1]], [[1.001, 1.001]], [[0.3, -0.2]]])
@settings(max_examples=30)
@given(rows=st.lists(st.one_of(typed_rows(), text_rows()), min_size=1, max_size=5))
def test_whole_numbers_stay_in_the_unit_ball_whatever_the_directions(U, rows):
    domain = Domain.of(mixed())
    width = len(Centred.of(domain, None, without=(0,)))
    found = moments(domain, np.tile(U, width)[:, :width], without=(0,))
    codes = next(iter(mixed_records(rows).parts()))
    whole = found.statistic.vectors(codes)
    assert (whole == np.rint(whole)).all()
    assert ((whole[:, :-1] ** 2).sum(axis=1) <= UNIT**2).all()
    assert (np.abs(whole[:, -1]) <= UNIT).all()


def test_a_corner_of_the_box_lies_on_the_sphere_and_the_ends_of_the_target_at_one():
    domain = plane()
    found = in_plane(domain, TURNED, False)
    codes = next(iter(rows_of(domain, [(1, 1, "a", 1), (-1, 1, "b", -1)]).parts()))
    assert found.statistic.vectors(codes).tolist() == [[UNIT, 0, UNIT], [0, -UNIT, -UNIT]]


def by_hand(found, codes, classes, label):
    """Sums and triangles with Python integers, record by record."""
    vectors = found.statistic.vectors(codes).astype(int).tolist()
    width = len(vectors[0])
    sums = [[0] * width for _ in range(classes)]
    second = [[0] * (width * (width + 1) // 2) for _ in range(classes)]
    for x, code in zip(vectors, codes, strict=True):
        k = 0 if label is None else int(code[label])
        pairs = [x[i] * x[j] for i in range(width) for j in range(i, width)]
        sums[k] = [a + b for a, b in zip(sums[k], x, strict=True)]
        second[k] = [a + b for a, b in zip(second[k], pairs, strict=True)]
    return sums, second


@pytest.mark.parametrize("labelled", [False, True])
def test_the_query_is_what_python_integers_give(labelled, rng):
    domain = plane("add-remove")
    rows = [
        (*rng.uniform(-1, 1, 2), CLASSES[k], y)
        for k, y in zip(rng.integers(0, 3, 40), rng.uniform(-1, 1, 40), strict=True)
    ]
    found = in_plane(domain, TURNED, labelled)
    codes = next(iter(rows_of(domain, rows).parts()))
    counts, sums, second = found.query(rows_of(domain, rows))
    expected = by_hand(found, codes, len(counts), 2 if labelled else None)
    assert (sums.tolist(), second.tolist()) == expected
    assert counts.sum() == 40
    assert len(counts) == (3 if labelled else 1)


GRID = list(product((-1, 0, 1), (-1, 0, 1), CLASSES[:2], (-1, 0, 1)))


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("labelled", [False, True])
@pytest.mark.parametrize("U", [TURNED[:1], TURNED])
def test_no_pair_of_records_moves_a_statistic_beyond_its_sensitivity(relation, labelled, U):
    """All statistics are sums over records, so single records show how far neighbours lie."""
    domain = plane(relation, classes=2)
    found = in_plane(domain, U, labelled)
    alone = {row: exact(found, domain, [row]) for row in GRID}
    nothing = [0 * part for part in alone[GRID[0]]]
    far = [0.0] * len(found.noises)
    for first, second in product(GRID, GRID):
        other = alone[second] if relation == "replace-one" else nothing
        for k, (a, b, noise) in enumerate(zip(alone[first], other, found.noises, strict=True)):
            moved = np.abs(a - b)
            assert moved.sum() <= noise.sensitivity.l1
            assert (moved**2).sum() <= noise.sensitivity.l2_squared
            far[k] = max(far[k], moved.sum() / float(noise.sensitivity.l1))
    assert min(far) > 0.6  # the figures are near: little more than half of any would be caught


def test_a_label_that_changes_moves_two_classes():
    domain = plane()
    found = in_plane(domain, TURNED[:1], True)
    before, after = (exact(found, domain, [(1, 1, label, 0)]) for label in "ab")
    for a, b, noise in zip(before, after, found.noises, strict=True):
        moved = np.abs(a - b)
        assert (moved.reshape(3, -1).sum(axis=1) > 0).tolist() == [True, True, False]
        assert moved.sum() == noise.sensitivity.l1 == 2


@pytest.mark.parametrize(
    ("relation", "labels", "counts"),
    [
        ("replace-one", None, 0),
        ("replace-one", 2, 1),
        ("replace-one", 3, 3),
        ("add-remove", None, 1),
        ("add-remove", 2, 2),
    ],
)
def test_counts_that_public_facts_fix_are_not_bought(relation, labels, counts):
    assert Outcome(relation, 0, labels).counts == counts


def test_the_second_of_two_class_sizes_follows_from_the_number_of_records():
    domain = plane(classes=2)
    rows = [(0, 0, "a", 0)] * 3 + [(0, 0, "b", 0)] * 5
    found = in_plane(domain, TURNED, True, epsilon=10**6)
    synopsis = found.perturb(rows_of(domain, rows), Purse(PureDP(3 * 10**6), SeededBits(0)))
    assert synopsis.counts.tolist() == [3]
    assert synopsis.sizes.tolist() == [3, 5]
    assert synopsis.size == 8


def test_a_large_budget_gives_the_means_and_mean_products():
    domain = plane("add-remove")
    rows = [(1, 1, "a", 1), (0, 0, "c", 0), (1, -1, "a", -1), (-1, -1, "c", 0)]
    found = in_plane(domain, TURNED, False, epsilon=10**9)
    synopsis = found.perturb(rows_of(domain, rows), Purse(PureDP(3 * 10**9), SeededBits(0)))
    mean, second = synopsis.moments(0)
    X = np.array([[1, 0, 1], [0, 0, 0], [0, 1, -1], [-1, 0, 0]])
    np.testing.assert_allclose(mean, X.mean(axis=0), atol=1e-4)
    np.testing.assert_allclose(second, X.T @ X / 4, atol=1e-4)


def test_sums_of_two_to_the_31_records_fit_into_64_bits():
    assert UNIT**2 * 2**31 < 2**63


def test_without_a_draw_towards_the_centre_rounding_would_leave_the_ball():
    """Positive control of the ball: rounded coordinates alone are often too long."""
    domain, left = plane(), 0
    codes = next(iter(rows_of(domain, [(1, 1, "a", 0)]).parts()))
    for angle in np.linspace(0, 1, 20):
        turned = [[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]]
        found = in_plane(domain, turned, True)
        exact_corner = np.array(turned) @ [1, 1] / sqrt(2)
        left += (np.rint(exact_corner * UNIT) ** 2).sum() > UNIT**2
        assert (found.statistic.vectors(codes) ** 2).sum() <= UNIT**2
    assert left > 3
