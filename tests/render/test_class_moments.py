"""Clean-up of noisy class moments: consistent, nearer to the truth, and shrunk with reason."""

import numpy as np
import pytest

from sfumato.example import CLINIC, clinic
from sfumato.measure.moments import Moments
from sfumato.privacy.budget import budget
from sfumato.privacy.mechanism import Purse
from sfumato.privacy.randomness import SeededBits
from sfumato.render.consistent import ClassMoments, consistent
from sfumato.render.sequential import Sequential
from sfumato.render.shrink import columns, shrunken
from sfumato.schema import Schema
from sfumato.schema.domain import Domain
from sfumato.synopsis.features import Features
from sfumato.synopsis.moments import MomentLayout
from sfumato.table.records import Records
from sfumato.table.source import open_source

SCHEMA = Schema.parse(CLINIC)
DOMAIN = Domain.of(SCHEMA)
FEATURES = Features.of(DOMAIN, without=(DOMAIN.label,))
WARD = [j for j, item in enumerate(FEATURES.items) if item.block is not None]


def synopsis(epsilon, rows=4_000, neighbours="replace-one", seed=0):
    layout = MomentLayout(FEATURES, neighbours, 2)
    moments = Moments(layout, budget(epsilon=epsilon), DOMAIN.label)
    records = Records(open_source(clinic(rows)), DOMAIN)
    return moments.perturb(records, Purse(moments.budget, SeededBits(seed)))


def raw(found):
    return ClassMoments(found.counts, found.sums, found.second)


TRUTH = raw(synopsis(10**12))


@pytest.mark.parametrize("neighbours", ["replace-one", "add-remove"])
def test_the_truth_is_left_as_it_is(neighbours):
    found = consistent(synopsis(10**12, neighbours=neighbours))
    np.testing.assert_allclose(found.counts, TRUTH.counts, atol=1e-3)
    np.testing.assert_allclose(found.sums, TRUTH.sums, atol=1e-3)
    np.testing.assert_allclose(found.second, TRUTH.second, atol=1e-3)


@pytest.mark.parametrize("seed", range(5))
def test_noisy_moments_become_consistent_and_nearer_to_the_truth(seed):
    noisy = synopsis("0.5", seed=seed)
    found = consistent(noisy)
    np.testing.assert_allclose(found.sums[:, WARD].sum(axis=1), found.counts, rtol=0.02)
    others = [j for j in range(len(FEATURES)) if j not in WARD]
    totals = found.sums.sum(axis=0)
    np.testing.assert_allclose(
        found.second[np.ix_(WARD, others)].sum(axis=0), totals[others], rtol=0.05, atol=40
    )
    assert (found.second >= 0).all()
    before, after = (np.abs(m.second - TRUTH.second).mean() for m in (raw(noisy), found))
    assert after < before


def test_pure_noise_is_shrunk_to_independence_and_the_truth_is_not():
    noisy = consistent(synopsis("0.001"))
    _, drowned = shrunken(noisy, FEATURES, 20_000.0)
    between = [np.ix_(a, b) for a in columns(FEATURES) for b in columns(FEATURES) if a[0] != b[0]]
    scale = np.sqrt(np.outer(np.diag(drowned), np.diag(drowned)))
    assert max(np.abs((drowned / scale)[here]).max() for here in between) < 0.3
    _, kept = shrunken(TRUTH, FEATURES, 1e-6)
    np.testing.assert_allclose(kept, TRUTH.within, atol=1e-6)


def test_sequential_draws_keep_means_and_covariances(rng):
    means, S = shrunken(TRUTH, FEATURES, 1e-6)
    Z = Sequential.of(FEATURES, means, S)(np.ones(60_000, np.int64), rng)
    assert np.abs(Z.mean(axis=0) - means[1]).max() < 0.012
    # Within a column of categories all follows from the class mean: columns are compared.
    axis = np.array([item.axis for item in FEATURES.items])
    apart = axis[:, None] != axis
    assert np.abs(np.cov(Z.T) - S)[apart].max() < 0.01
    assert ((Z >= 0) & (Z <= 1)).all()
    assert (Z[:, WARD].sum(axis=1) == 1).all()
    shuffled = rng.permuted(Z, axis=0)  # control: without dependence the test must fail
    assert np.abs(np.cov(shuffled.T) - S)[apart].max() > 0.01
