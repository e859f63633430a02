"""Directions as published: the noise each formula asks for, and exactness without noise."""

from math import log, sqrt

import numpy as np
import pytest

from papers.xu2019.directions import (
    AG,
    CERTIFIED,
    EXACT,
    LIP,
    PPM,
    RANDOM,
    published,
)

N, D, K = 50, 4, 2


class Recorder(np.random.Generator):
    """Draws no noise and notes how much of it was asked for."""

    def __init__(self):
        super().__init__(np.random.PCG64(1))
        self.asked = []

    def laplace(self, loc, scale, size):
        self.asked.append(("laplace", scale, size))
        return np.zeros(size)

    def normal(self, loc, scale, size):
        self.asked.append(("normal", scale, size))
        return np.zeros(size)


def second_moments(rng):
    X = rng.uniform(-1, 1, (N, D)) * [0.5, 0.3, 0.1, 0.05]
    return X.T @ X / N


@pytest.mark.parametrize(
    ("who", "law", "scale", "draws"),
    [
        (LIP, "laplace", 2 * D / (N * 2.0), 1),
        (CERTIFIED, "laplace", sqrt(D * (D + 3) / 2) / (N * 2.0), 1),
        (AG, "normal", sqrt(2 * log(1.25e6)) / (N * 2.0), 1),
        (PPM, "normal", sqrt(4 * 3 * log(1e6)) / (N * 2.0), 3),
    ],
)
def test_the_noise_is_what_the_formula_asks_for(who, law, scale, draws, rng):
    recorder = Recorder()
    published(who, second_moments(rng), N, K, 2.0, recorder)
    size = (D, K) if who == PPM else (D, D)
    assert [(name, shape) for name, _, shape in recorder.asked] == [(law, size)] * draws
    assert [asked for _, asked, _ in recorder.asked] == pytest.approx([scale] * draws, rel=1e-8)


@pytest.mark.parametrize("who", [EXACT, LIP, CERTIFIED, AG, PPM])
def test_without_noise_all_find_the_exact_span(who, rng):
    A = second_moments(rng)
    V = published(who, A, N, K, 1e9, rng)
    best = np.linalg.eigh(A)[1][:, -K:]
    # Three products bring the power method near, not there.
    tolerance = 0.02 if who == PPM else 1e-6
    np.testing.assert_allclose(V @ V.T, best @ best.T, atol=tolerance)


@pytest.mark.parametrize("who", [EXACT, LIP, CERTIFIED, AG, PPM, RANDOM])
def test_directions_are_orthonormal_columns(who, rng):
    V = published(who, second_moments(rng), N, K, 0.1, rng)
    assert V.shape == (D, K)
    np.testing.assert_allclose(V.T @ V, np.eye(K), atol=1e-12)


def test_random_directions_see_no_data():
    one, other = (
        published(RANDOM, A, N, K, 1.0, np.random.default_rng(3))
        for A in (np.eye(D), np.diag([9.0, 1.0, 1.0, 1.0]))
    )
    np.testing.assert_array_equal(one, other)


def test_the_noise_is_symmetric(rng):
    # Were the two triangles drawn apart, eigh would use one of them: a swap of the data shows.
    A = np.diag([1.0, 1.0])
    V = published(LIP, A, 10, 2, 1.0, np.random.default_rng(5))
    E = np.triu(np.random.default_rng(5).laplace(0, 2 * 2 / 10, (2, 2)))
    exact = np.linalg.eigh(A + E + np.triu(E, 1).T)[1][:, ::-1]
    np.testing.assert_allclose(np.abs(V.T @ exact), np.eye(2), atol=1e-9)
