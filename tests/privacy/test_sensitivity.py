"""Sensitivities: formulas against brute force, published counterexamples, certified bounds."""

from fractions import Fraction
from itertools import product
from math import isclose, sqrt

import numpy as np
import pytest

from sfumato.errors import ParameterError
from sfumato.privacy.sensitivity import Sensitivity, ball, box, class_moments, moments, record, root

GRID = (0.0, 0.25, 1 / 3, 0.5, 2 / 3, 0.75, 1.0)


def entries(continuous, binary, blocks, *, repeat, labels=1, counted=False):
    """All records on a grid, as the vector of entries they add to the statistic."""
    numbers = product(GRID, repeat=continuous)
    found = []
    for x in numbers:
        for b in product((0.0, 1.0), repeat=binary):
            for picks in product(range(3), repeat=blocks):
                dummies = np.concatenate([np.eye(3)[k] for k in picks]) if blocks else []
                v = np.array([*x, *b, *dummies])
                free = free_products(continuous, binary, blocks, repeat)
                squares = np.outer(v, v)[np.triu_indices(len(v))][free]
                for label in range(labels):
                    sums = np.zeros((labels, len(v)))
                    sums[label] = v
                    count = np.eye(labels)[label] if labels > 1 else [1.0] * counted
                    found.append(np.concatenate([count, sums.ravel(), squares]))
    return np.array(found)


def free_products(continuous, binary, blocks, repeat):
    width = continuous + binary + 3 * blocks
    i, j = np.triu_indices(width)
    if repeat:
        return np.ones(len(i), bool)
    block = np.array([-1] * (continuous + binary) + [k for k in range(blocks) for _ in range(3)])
    fixed = ((i == j) & (i >= continuous)) | ((block[i] == block[j]) & (block[i] >= 0))
    return ~fixed


def farthest(F):
    l1 = max(np.abs(F - f).sum(axis=1).max() for f in F)
    l2 = max(((F - f) ** 2).sum(axis=1).max() for f in F)
    return l1, l2


SHAPES = [(1, 0, 0), (2, 0, 0), (3, 0, 0), (0, 2, 0), (0, 0, 2), (1, 1, 1), (1, 0, 2), (2, 1, 1)]
SHAPES += [(1, 2, 1), (2, 0, 2), (0, 2, 2), (1, 1, 2), (0, 3, 1)]


@pytest.mark.parametrize("repeat", [False, True])
@pytest.mark.parametrize("shape", SHAPES)
def test_brute_force_attains_moments_and_never_exceeds_them(shape, repeat):
    claimed = moments(*shape, repeat=repeat)
    l1, l2 = farthest(entries(*shape, repeat=repeat))
    # The grid holds every optimal t of these shapes, so the maximum is met, not only approached.
    assert isclose(l1, claimed.l1)
    assert isclose(l2, claimed.l2_squared)


@pytest.mark.parametrize("repeat", [False, True])
@pytest.mark.parametrize("labels", [2, 3])
@pytest.mark.parametrize(
    "shape",
    [(1, 0, 0), (2, 0, 0), (0, 1, 0), (0, 2, 0), (1, 1, 0), (1, 0, 1), (0, 1, 1), (1, 1, 1)],
)
def test_brute_force_attains_class_moments_and_never_exceeds_them(shape, labels, repeat):
    claimed = class_moments(*shape, repeat=repeat)
    l1, l2 = farthest(entries(*shape, repeat=repeat, labels=labels))
    assert isclose(l1, claimed.l1)
    assert isclose(l2, claimed.l2_squared)


@pytest.mark.parametrize("shape", SHAPES)
def test_adding_a_record_moves_as_many_entries_as_it_fills(shape):
    claimed = moments(*shape, neighbours="add-remove")
    F = entries(*shape, repeat=False, counted=True)
    assert isclose(F.sum(axis=1).max(), claimed.l1)
    assert isclose((F**2).sum(axis=1).max(), claimed.l2_squared)


def test_the_interior_counterexample_to_the_published_sensitivity_is_covered():
    # One number, two categories: the published 14 is passed at x = 1 against x' = 1/2.
    assert moments(1, 0, 2, repeat=True).l1 == Fraction(57, 4) > 14


@pytest.mark.parametrize(
    ("shape", "value"), [((1, 3), 24), ((3, 3), 37.5), ((4, 4), 61.6), ((2, 4), 44)]
)
def test_published_shapes_have_their_corrected_values(shape, value):
    assert float(moments(shape[0], 0, shape[1], repeat=True).l1) == pytest.approx(value)


def test_one_number_with_a_label_is_four_and_a_quarter():
    assert class_moments(1).l1 == Fraction(17, 4)
    assert class_moments(1, counts=1).l1 == Fraction(13, 4)


def test_leaving_out_what_structure_fixes_saves_two_per_block():
    assert moments(1, 0, 2, repeat=True).l1 - moments(1, 0, 2).l1 == 4


@pytest.mark.parametrize("d", [2, 3, 5, 9])
def test_random_search_never_passes_the_ball_and_comes_near_it(d, rng):
    x, y = (rng.normal(size=(20_000, d)) for _ in range(2))
    x, y = (v / np.linalg.norm(v, axis=1, keepdims=True) for v in (x, y))
    D = np.einsum("ni,nj->nij", x, x) - np.einsum("ni,nj->nij", y, y)
    i, j = np.triu_indices(d)
    moved = np.abs(D[:, i, j])
    claimed = ball(d)
    assert moved.sum(axis=1).max() <= claimed.l1
    assert (moved**2).sum(axis=1).max() <= claimed.l2_squared + 1e-9
    assert float(claimed.l1) >= 0.5 * sqrt((d + 2) ** 2 + 4 * (d // 2) * (d - d // 2))


@pytest.mark.parametrize("d", [1, 2, 4])
def test_the_flat_record_attains_the_ball_under_add_remove(d):
    x = np.full(d, 1 / sqrt(d))
    entries = np.outer(x, x)[np.triu_indices(d)]
    assert entries.sum() == pytest.approx(float(ball(d, "add-remove").l1))
    assert (np.outer(np.eye(d)[0], np.eye(d)[0]) ** 2).sum() == ball(d, "add-remove").l2_squared


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("m", [1, 2, 3, 4])
def test_brute_force_attains_the_box_and_never_exceeds_it(m, full):
    V = np.array(list(product((-1, -0.5, 0, 0.5, 1) if m < 4 else (-1, 0, 1), repeat=m)))
    F = np.einsum("ni,nj->nij", V, V)
    F = F.reshape(len(V), -1) if full else F[:, *np.triu_indices(m)]
    l1, l2 = farthest(F)
    claimed = box(m, full=full)
    assert l1 == claimed.l1
    assert l2 <= claimed.l2_squared
    assert m % 2 or l2 == claimed.l2_squared  # attained for even m


def test_a_replaced_record_moves_one_per_number_and_two_per_block():
    assert record(2, 1, 3) == Sensitivity(Fraction(9), Fraction(9))


@pytest.mark.parametrize(("n", "d"), [(1, 1), (2, 1), (1, 2), (7, 3), (10**12 + 39, 7), (9, 4)])
def test_roots_are_never_below_the_true_root_and_hardly_above(n, d):
    value = Fraction(n, d)
    up = root(value)
    assert up**2 >= value > (up - Fraction(1, 10**9)) ** 2


def test_a_sensitivity_of_zero_is_refused():
    with pytest.raises(ParameterError, match="sensitivity"):
        moments()
