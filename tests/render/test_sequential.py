"""Records column after column: the plain formula draw for draw, and the moments of the model."""

import numpy as np
import pytest
from scipy.stats import norm

from sfumato.render.sequential import Sequential
from sfumato.render.shrink import columns
from sfumato.schema import Schema
from sfumato.schema.domain import Domain
from sfumato.synopsis.features import Features

FALSE_ALARM = 1e-6  # chance that a correct sampler fails one statistical test

FEATURES = Features.of(
    Domain.of(
        Schema.of(
            {
                "name": "t",
                "columns": {
                    "x": {"kind": "number", "low": 0, "high": 1},
                    "c": {"kind": "category", "values": ["p", "q", "r"]},
                    "y": {"kind": "number", "low": 0, "high": 1},
                    "b": {"kind": "boolean"},
                },
            }
        )
    )
)
# Two classes that differ in the numbers; categories have the variances of their shares.
MEANS = np.array([[0.4, 0.45, 0.35, 0.2, 0.5, 0.4], [0.6, 0.45, 0.35, 0.2, 0.45, 0.4]])
C, B = slice(1, 4), 5


def covariance():
    S = np.diag([0.01, 0, 0, 0, 0.02, 0.4 * 0.6])
    shares = MEANS[0, C]
    S[C, C] = np.diag(shares) - np.outer(shares, shares)
    S[B, C] = S[C, B] = [0.05, -0.03, -0.02]
    S[0, C] = S[C, 0] = [0.012, -0.004, -0.008]
    S[4, C] = S[C, 4] = [-0.01, 0.015, -0.005]
    S[0, 4] = S[4, 0] = 0.006
    S[0, B] = S[B, 0] = 0.01
    return S


S = covariance()


def plain(mean, rows, rng):
    """What is expected of each column given those before it, worked out where it is needed."""
    Z, done = np.zeros((rows, len(FEATURES))), np.array([], np.int64)
    for group in sorted(columns(FEATURES), key=lambda g: bool(FEATURES.units[g[0]] > 1)):
        slope = S[np.ix_(group, done)] @ np.linalg.pinv(S[np.ix_(done, done)], 1e-6, True)
        expected = mean[group] + (Z[:, done] - mean[done]) @ slope.T
        if FEATURES.units[group[0]] > 1:
            m = np.clip(expected[:, 0], 1e-3, 1 - 1e-3)
            weight = m * (1 - m) / (S[group[0], group[0]] - slope[0] @ S[done, group[0]]) - 1
            Z[:, group[0]] = rng.beta(m * weight, (1 - m) * weight)
        else:
            share, P = mean[group], expected
            if len(group) == 1:
                share, P = np.append(1 - share, share), np.hstack([1 - P, P])
            P = np.clip(P, 1e-6, 1)
            for _ in range(5):
                P /= P.sum(axis=1, keepdims=True)
                P *= share / P.mean(axis=0)
            P /= P.sum(axis=1, keepdims=True)
            level = (rng.random((rows, 1)) > P.cumsum(axis=1)[:, :-1]).sum(axis=1)
            if len(group) == 1:
                Z[:, group[0]] = level
            else:
                Z[np.arange(rows), group[level]] = 1
        done = np.concatenate([done, group])
    return Z


def test_it_draws_what_the_plain_formula_draws():
    labels = np.arange(3_000) % 3 // 2
    found = Sequential.of(FEATURES, MEANS, S)(labels, np.random.default_rng(3))
    rng = np.random.default_rng(3)
    for k in (0, 1):
        wanted = plain(MEANS[k], int((labels == k).sum()), rng)
        np.testing.assert_allclose(found[labels == k], wanted, atol=1e-9)


def test_what_columns_follow_is_worked_out_once_for_all_parts_and_classes(monkeypatch, rng):
    asked = []
    solve = np.linalg.pinv
    monkeypatch.setattr(np.linalg, "pinv", lambda *a, **b: asked.append(1) or solve(*a, **b))
    sampler = Sequential.of(FEATURES, MEANS, S)
    assert len(asked) == 4  # columns
    for _ in range(3):
        sampler(np.array([0, 1, 1]), rng)
    assert len(asked) == 4


def agrees(Z, mean, claimed):
    """Whether mean and covariance of the draws are within their joint 1e-6 limits."""
    n, d = Z.shape
    i, j = np.triu_indices(d)
    limit = norm.isf(FALSE_ALARM / 2 / (d + len(i)))
    apart = Z - mean
    products = apart[:, i] * apart[:, j]
    far_mean = np.abs(apart.mean(axis=0)) > limit * Z.std(axis=0) / np.sqrt(n)
    far = np.abs(products.mean(axis=0) - claimed[i, j]) > limit * products.std(axis=0) / np.sqrt(n)
    return not (far_mean.any() or far.any())


@pytest.mark.parametrize("k", [0, 1])
def test_each_class_has_the_means_and_covariances_of_the_model_and_no_others(k, rng):
    labels = (rng.random(120_000) < 0.4).astype(np.int64)
    Z = Sequential.of(FEATURES, MEANS, S)(labels, rng)[labels == k]
    assert agrees(Z, MEANS[k], S)
    # Controls, each a little off: a mean, a covariance of numbers, one with a category.
    assert not agrees(Z, MEANS[k] + 0.004 * (np.arange(6) == 4), S)
    for i, j in ((0, 4), (0, B), (4, 2), (1, B)):
        other = S.copy()
        other[i, j] = other[j, i] = 0.6 * S[i, j]
        assert not agrees(Z, MEANS[k], other)
    assert not agrees(rng.permuted(Z, axis=0), MEANS[k], S)


def test_no_records_and_one_class_alone_are_drawn(rng):
    sampler = Sequential.of(FEATURES, MEANS, S)
    assert sampler(np.array([], np.int64), rng).shape == (0, len(FEATURES))
    assert sampler(np.array([1]), rng).shape == (1, len(FEATURES))
