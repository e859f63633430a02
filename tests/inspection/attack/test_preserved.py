"""Angles that survive: rotations keep all, noise loses them, shuffled rows tell what it means."""

from math import pi

import numpy as np
import pytest
from attacked import matrix, rotation

from sfumato.errors import DataError, ParameterError
from sfumato.inspection.attack import angles_preserved


def brute_force(P, A, epsilon):
    def angles(X):
        X = X / np.linalg.norm(X, axis=1, keepdims=True)
        return np.arccos(np.clip(X @ X.T, -1, 1))

    upper = np.triu_indices(len(A), 1)
    return np.mean(np.abs(angles(P) - angles(A))[upper] <= epsilon)


def test_a_rotation_keeps_every_angle(rng):
    A = rng.normal(size=(300, 5))
    found = angles_preserved(A @ rotation(5, rng), A, beta=0)
    assert set(found.shares.values()) == {1.0}
    assert max(found.shuffled.values()) < 0.05


def test_at_full_rank_the_share_is_that_of_all_pairs_one_by_one(rng):
    A = rng.normal(size=(300, 4)) + 1
    P = A + rng.normal(0, 0.05, A.shape)
    found = angles_preserved(P, A, rank=4, epsilons=[0.02, 0.1])
    for epsilon, share in found.shares.items():
        assert share == pytest.approx(brute_force(P, A, epsilon))
    assert 0.1 < found.shares[0.02] < found.shares[0.1] < 1


def test_the_leading_space_is_that_of_the_truncated_matrices(rng):
    A = rng.normal(size=(80, 5)) * [50, 30, 1, 1, 1]
    P = A + rng.normal(0, 0.5, A.shape)

    def truncated(X, k=2):
        U, s, Vt = np.linalg.svd(X, full_matrices=False)
        return U[:, :k] * s[:k] @ Vt[:k]

    whole = angles_preserved(P, A, rank=2, epsilons=[0.01])
    assert whole.shares[0.01] == pytest.approx(brute_force(truncated(P), truncated(A), 0.01))
    part = angles_preserved(P, A, rank=2, columns=[1, 0], epsilons=[0.01])
    expected = brute_force(truncated(P)[:, :2], truncated(A)[:, :2], 0.01)
    assert part.shares[0.01] == pytest.approx(expected)


def test_unit_noise_on_the_wine_table_keeps_almost_every_angle_of_three_components(rng):
    A = matrix("wine")
    found = angles_preserved(A + rng.normal(size=A.shape), A, beta=1)
    assert found.rank == 3
    assert found.shares[pi / 360] > 0.99
    # Even shuffled rows keep two in five to 2 degrees: all these angles are small.
    assert 0.3 < found.shuffled[pi / 90] < 0.5


def test_heavy_noise_keeps_no_more_angles_than_shuffled_rows(rng):
    A = rng.normal(size=(500, 6))
    found = angles_preserved(A + rng.laplace(0, 100, A.shape), A, rank=6)
    for epsilon, share in found.shares.items():
        assert share == pytest.approx(found.shuffled[epsilon], abs=0.01)


@pytest.mark.slow
def test_of_many_records_some_are_drawn_and_the_answer_is_the_same_again(rng):
    A = rng.normal(size=(2_100, 2))
    noisy = A + rng.normal(0, 0.1, A.shape)
    first, again = (angles_preserved(noisy, A, rank=2, epsilons=[0.1]) for _ in range(2))
    assert first == again
    assert first.shares[0.1] == pytest.approx(brute_force(noisy, A, 0.1), abs=0.02)


def test_what_cannot_be_is_refused(rng):
    A = rng.normal(size=(30, 3))
    with pytest.raises(ParameterError, match="epsilon must be"):
        angles_preserved(A, A, epsilons=[0.1, -1])
    with pytest.raises(ParameterError, match="columns must name"):
        angles_preserved(A, A, columns=[5])
    with pytest.raises(DataError, match="one row per record"):
        angles_preserved(A, A[1:])
