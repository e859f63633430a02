"""The greedy sampler: matches its moments, minimises its target, compiled or not the same."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from sfumato.example import CLINIC, clinic
from sfumato.render.greedy import V, _median, greedy
from sfumato.schema import Schema
from sfumato.schema.domain import Domain
from sfumato.synopsis.features import Features
from sfumato.table.records import Records
from sfumato.table.source import open_source

DOMAIN = Domain.of(Schema.parse(CLINIC))
FEATURES = Features.of(DOMAIN, without=(DOMAIN.label,))


def moments(rows):
    codes = np.vstack(list(Records(open_source(clinic(rows)), DOMAIN).map(np.copy)))
    X = FEATURES.design(codes) / FEATURES.units
    labels = codes[:, DOMAIN.label]
    means = np.array([X[labels == k].mean(axis=0) for k in (0, 1)])
    return means, X.T @ X / len(X), labels.astype(np.int64)


def test_running_sums_follow_the_moments():
    means, second, labels = moments(3_000)
    Z = greedy(FEATURES, means, second, labels)
    for k in (0, 1):
        assert np.abs(Z[labels == k].mean(axis=0) - means[k]).max() < 0.02
    # The sampler replaces z² by z times its mean, so variances of numbers are not its aim.
    products = np.abs(Z.T @ Z / len(Z) - second)[~np.eye(len(second), dtype=bool)]
    assert products.max() < 0.02
    assert ((Z >= 0) & (Z <= 1)).all()
    ward = [j for j, item in enumerate(FEATURES.items) if item.block is not None]
    assert (Z[:, ward].sum(axis=1) == 1).all()


@pytest.mark.parametrize("seed", range(20))
def test_a_number_is_set_to_the_minimum_of_its_target(seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, V + 1, 6)
    row = rng.integers(-V * V, V * V, 6)
    open_sum, i = int(rng.integers(-V, 2 * V)), int(rng.integers(6))

    def target(z):
        pairs = 2 * np.abs(y * z - row)
        pairs[i] = abs(y[i] * z - row[i])
        return V * abs(z - open_sum) + pairs.sum()

    chosen = _median(i, y, open_sum, row)
    best = min(target(z) for z in range(V + 1))
    # The zero of the best item is rounded to the grid, which costs at most half a step.
    assert target(chosen) <= best + (V + 2 * y.sum()) / 2 + 1


SCRIPT = """
import json, sys
import numpy as np
sys.path.insert(0, {tests!r})
from test_greedy import FEATURES, greedy, moments
means, second, labels = moments(150)
print(json.dumps(greedy(FEATURES, means, second, labels).tolist()))
"""


@pytest.mark.slow
def test_compiled_and_plain_give_the_same_records():
    def run(**environment):
        script = SCRIPT.format(tests=str(Path(__file__).parent))
        done = subprocess.run(
            [sys.executable, "-c", script],
            capture_output=True,
            text=True,
            check=True,
            env=environment,
        )
        return json.loads(done.stdout)

    assert run() == run(NUMBA_DISABLE_JIT="1")
