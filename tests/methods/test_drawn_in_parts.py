"""Methods that draw records: part k is a function of the release, the seed and k."""

import pickle

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import norm

import sfumato as sf
from sfumato.example import CLINIC, clinic
from sfumato.methods.pca_gauss_mixture import _Mixture
from sfumato.privacy.mechanism import Purse
from sfumato.privacy.randomness import SeededBits
from sfumato.render import drawing
from sfumato.render.drawing import Drawing
from sfumato.render.gaussian import Gaussian
from sfumato.schema import Schema
from sfumato.table.records import Records
from sfumato.table.source import open_source

FALSE_ALARM = 1e-6  # chance that a correct sampler fails one statistical test
WITH_DELTA = {"epsilon": 1, "delta": "1e-6"}
ASKED = {
    "mosaic": {"epsilon": 1},
    "forest": {"epsilon": 1, "model": "forest"},
    "diffgen": {"method": "diffgen", "epsilon": 1},
    "generalised": {"method": "diffgen", "epsilon": 1, "values": "generalised"},
    "dp-lda": {"method": "dp-lda", "epsilon": 1},
    "greedy": {"method": "dp-lda", "epsilon": 1, "sampler": "greedy"},
    "modips": {"method": "modips", "epsilon": 1},
    "jl-gauss": {"method": "jl-gauss", **WITH_DELTA},
    "pca-gauss": {"method": "pca-gauss", "epsilon": 1},
    "regression": {"method": "pca-gauss-regression", "epsilon": 1, "target": "age"},
    "mixture": {"method": "pca-gauss-mixture", "epsilon": 1},
    "components": {"method": "pca-gauss-mixture", "epsilon": 1, "space": "components"},
}


def drawn(asked, rows, seed):
    plan = sf.price(Schema.parse(CLINIC), **asked)
    purse = Purse(plan.guarantee, SeededBits(1))
    synopsis = plan.measure(Records(open_source(clinic(300)), plan.domain), purse)
    return plan.render(synopsis, rows, np.random.default_rng(seed)), plan


@pytest.mark.parametrize("name", ASKED)
def test_parts_are_the_same_elsewhere_and_in_any_order(name, monkeypatch):
    monkeypatch.setattr(drawing, "BATCH_ROWS", 40)
    made, plan = drawn(ASKED[name], 100, seed=3)
    assert isinstance(made, Drawing)
    there = pickle.loads(pickle.dumps(made))
    backwards = [there(k) for k in (2, 1, 0)][::-1]
    table = plan.table_of(made)
    assert table.num_rows == 100
    assert plan.table_of(backwards) == table
    assert plan.table_of(drawn(ASKED[name], 100, seed=3)[0]) == table


@pytest.mark.parametrize("name", [name for name in ASKED if name != "greedy"])
def test_another_seed_draws_other_rows(name):
    """But for the greedy sampler, in which nothing is random."""
    first, second = (pa.Table.from_batches(drawn(ASKED[name], 60, seed)[0]) for seed in (1, 2))
    assert first != second


def law_of(X, mean, claimed):
    """Whether mean and covariance of Gaussian draws are within their joint 1e-6 limits."""
    n, d = X.shape
    limit = norm.isf(FALSE_ALARM / 2 / (d + d * d))
    variance, apart = np.diag(claimed), X - mean
    far = np.abs(apart.mean(axis=0)) > limit * np.sqrt(variance / n)
    spread = np.sqrt((np.outer(variance, variance) + claimed**2) / n)
    return not far.any() and not (np.abs(apart.T @ apart / n - claimed) > limit * spread).any()


def test_classes_drawn_in_parts_keep_their_sizes_means_and_covariances():
    means = np.array([[0.2, -0.1], [-0.3, 0.4]])
    spreads = [np.array([[0.04, 0.02], [0.02, 0.03]]), np.array([[0.02, -0.01], [-0.01, 0.05]])]
    classes = tuple(Gaussian.of(mean, S) for mean, S in zip(means, spreads, strict=True))
    sizes = np.array([11_000, 29_000])
    mixture, starts = _Mixture(classes, sizes), range(0, 40_000, 700)
    parts = [
        mixture(start, min(700, 40_000 - start), np.random.default_rng(start)) for start in starts
    ]
    X, labels = (np.concatenate(found) for found in zip(*parts, strict=True))
    assert np.bincount(labels).tolist() == sizes.tolist()
    for k in (0, 1):
        drawn = X[labels == k]
        assert law_of(drawn, means[k], spreads[k])
        # Controls: the other class, a mean and a covariance a little off.
        assert not law_of(drawn, means[1 - k], spreads[1 - k])
        assert not law_of(drawn, means[k] + 0.015, spreads[k])
        assert not law_of(drawn, means[k], 1.15 * spreads[k])
