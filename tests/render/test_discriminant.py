"""Discriminant components against the definition, by brute force over directions."""

import numpy as np
import pytest

from sfumato.render.discriminant import discriminant


def made_up(seed, classes, width):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(width, width))
    return rng.normal(size=(classes, width)), rng.dirichlet(np.ones(classes)), A @ A.T


def ratio(u, means, shares, within):
    apart = means - shares @ means
    ridge = 1e-2 * np.trace(within) / len(within)
    return (shares @ (apart @ u) ** 2) / (u @ within @ u + ridge * u @ u)


@pytest.mark.parametrize("seed", range(5))
def test_no_direction_tells_classes_apart_better_than_the_first(seed):
    means, shares, within = made_up(seed, 3, 4)
    _, U = discriminant(means, shares, within)
    best = ratio(U[0], means, shares, within)
    others = np.random.default_rng(0).normal(size=(20_000, 4))
    found = max(ratio(u, means, shares, within) for u in others)
    assert best / 2 < found <= best * (1 + 1e-12)


@pytest.mark.parametrize(("classes", "width"), [(2, 5), (3, 2), (9, 4), (2, 2)])
def test_a_whole_orthonormal_basis_whose_variances_add_up(classes, width):
    means, shares, within = made_up(1, classes, width)
    values, U = discriminant(means, shares, within)
    assert np.allclose(U @ U.T, np.eye(width))
    apart = means - shares @ means
    assert values.sum() == pytest.approx(np.trace(within + (apart.T * shares) @ apart))


def test_all_of_the_difference_lies_in_as_many_directions_as_classes_less_one():
    means, shares, _ = made_up(2, 3, 6)
    _, U = discriminant(means, shares, 1e6 * np.eye(6))
    apart = means - shares @ means
    assert np.allclose(apart @ U[:2].T @ U[:2], apart)


def test_classes_that_do_not_differ_leave_principal_components():
    within = np.diag([1.0, 9.0, 4.0])
    values, U = discriminant(np.zeros((2, 3)), np.array([0.5, 0.5]), within)
    assert np.isfinite(U).all()
    assert np.allclose(U @ U.T, np.eye(3))
    assert values.sum() == pytest.approx(14)
