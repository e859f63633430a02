"""The greedy sampler: keeps class means and covariances, no worse than the paper's plain words."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from sfumato.example import CLINIC, clinic
from sfumato.publishing.table import publish
from sfumato.render.greedy import V, _best, _gain, greedy
from sfumato.render.labelled import interleaved
from sfumato.schema import Schema
from sfumato.schema.domain import Domain
from sfumato.synopsis.features import Features
from sfumato.table.records import Records
from sfumato.table.source import open_source

DOMAIN = Domain.of(Schema.parse(CLINIC))
FEATURES = Features.of(DOMAIN, without=(DOMAIN.label,))


def moments(rows):
    codes = np.vstack(list(Records(open_source(clinic(rows)), DOMAIN).parts()))
    X = FEATURES.design(codes) / FEATURES.units
    labels = codes[:, DOMAIN.label]
    means = np.array([X[labels == k].mean(axis=0) for k in (0, 1)])
    return means, X.T @ X / len(X), labels.astype(np.int64)


def about(means, second, labels):
    """The covariance about class means that belongs to a second moment about zero."""
    shares = np.bincount(labels, minlength=len(means)) / len(labels)
    return second - (means.T * shares) @ means


def test_running_sums_follow_the_moments():
    means, second, labels = moments(3_000)
    Z = greedy(FEATURES, means, about(means, second, labels), labels)
    for k in (0, 1):
        assert np.abs(Z[labels == k].mean(axis=0) - means[k]).max() < 0.002
    assert np.abs(Z.T @ Z / len(Z) - second).max() < 0.005
    assert ((Z >= 0) & (Z <= 1)).all()
    ward = [j for j, item in enumerate(FEATURES.items) if item.block is not None]
    assert (Z[:, ward].sum(axis=1) == 1).all()


# Three classes whose mean heights are 160, 170 and 180; weight follows height, pressure age.
RANGES = {"height": (140, 200), "weight": (20, 140), "age": (0, 100), "pressure": (80, 180)}
COLUMNS = {n: {"kind": "number", "low": low, "high": high} for n, (low, high) in RANGES.items()}
LEVELS = {"sex": {"kind": "boolean"}, "ward": {"kind": "category", "values": ["a", "b", "c"]}}
GROUP = {"group": {"kind": "category", "values": ["x", "y", "z"], "role": "label"}}


def features_of(columns):
    return Features.of(Domain.of(Schema.of({"name": "t", "columns": columns})))


def people(rows=3_000):
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, rows)
    height = 160 + 10 * labels + rng.normal(0, 5, rows)
    weight = 0.9 * (height - 100) + rng.normal(0, 6, rows)
    age = rng.normal(45, 12, rows)
    pressure = 100 + 0.4 * age + 0.2 * weight + rng.normal(0, 6, rows)
    return np.stack([height, weight, age, pressure], axis=1), labels


def scaled(values):
    low, high = np.array(list(RANGES.values())).T
    return np.clip((values - low) / (high - low), 0, 1)


def distance(Z, labels, X, truth):
    """What the sampler is to make small: the paper's target, over the whole matrix."""
    sums = sum(
        np.abs(Z[labels == k].sum(axis=0) - X[truth == k].sum(axis=0)).sum() for k in range(3)
    )
    return sums + np.abs(Z.T @ Z - X.T @ X).sum()


def in_plain_words(means, second, labels):
    """The paper's sampler for numbers, word for word: z² gives way to z times its mean."""
    sums, products, so_far = np.zeros_like(means), np.zeros_like(second), np.zeros(len(means))
    rows = []
    for n, k in enumerate(labels, 1):
        so_far[k] += 1
        y = means[k].copy()  # an open feature stands at its mean
        for i in range(len(y)):
            a = np.append(y, 1)  # y[i] is the mean of the feature itself
            b = np.append(n * second[i] - products[i], so_far[k] * means[k, i] - sums[k, i])
            zeros = np.clip(np.append(b[a > 0] / a[a > 0], [0, 1]), 0, 1)
            y[i] = zeros[np.argmin(np.abs(np.outer(zeros, a) - b).sum(axis=1))]
        sums[k] += y
        products += np.outer(y, y)
        rows.append(y)
    return np.array(rows)


def released(values, truth, levels):
    """The records as dp-lda draws them where there is next to no noise, and their labels."""
    rng = np.random.default_rng(1)
    heavy = values[:, 1] + rng.normal(0, 10, len(values)) > 63
    ward = np.array(list("abc"))[np.clip((values[:, 2] - 25) // 15, 0, 2).astype(int)]
    table = {**dict(zip(RANGES, values.T, strict=True)), "sex": heavy, "ward": ward}
    schema = Schema.of({"name": "people", "columns": COLUMNS | levels | GROUP})
    known = {name: table[name] for name in (*COLUMNS, *levels)}
    labels = {"group": np.array(list("xyz"))[truth]}
    options = {"method": "dp-lda", "epsilon": 2000, "sampler": "greedy", "seed": 1}
    made = publish(pa.table(known | labels), schema=schema, **options).table
    drawn = np.stack([made[name].to_numpy() for name in RANGES], axis=1)
    return drawn, np.array(["xyz".index(group) for group in made["group"].to_pylist()])


@pytest.mark.parametrize("levels", [{}, LEVELS], ids=["numbers", "and levels"])
def test_a_release_keeps_the_means_of_three_classes(levels):
    values, truth = people()
    drawn, labels = released(values, truth, levels)
    for k in range(3):
        off = np.abs(drawn[labels == k].mean(axis=0) - values[truth == k].mean(axis=0))
        assert off.max() < 1  # of ranges from 60 to 120


@pytest.mark.parametrize("levels", [{}, LEVELS], ids=["numbers", "and levels"])
def test_a_release_keeps_covariances(levels):
    values, truth = people()
    drawn, labels = released(values, truth, levels)
    X, Z = scaled(values), scaled(drawn)
    assert distance(Z, labels, X, truth) < 10
    spread = X.std(axis=0)
    # In units of the standard deviations: correlations, with the variances on the diagonal.
    assert (np.abs(np.cov(Z.T) - np.cov(X.T)) / np.outer(spread, spread)).max() < 0.05


def test_it_comes_nearer_than_the_paper_in_plain_words():
    values, truth = people(1_000)
    X = scaled(values)
    labels = interleaved(np.bincount(truth))
    means = np.array([X[truth == k].mean(axis=0) for k in range(3)])
    second = X.T @ X / len(X)
    within = about(means, second, labels)
    ours = distance(greedy(features_of(COLUMNS), means, within, labels), labels, X, truth)
    theirs = distance(in_plain_words(means, second, labels), labels, X, truth)
    assert ours < theirs / 2


def test_classes_stay_apart_where_products_outnumber_sums():
    """Thirteen columns and 178 records, as many as Wine: one sum against thirteen products."""
    rng = np.random.default_rng(1)
    truth = np.repeat([0, 1, 2], [59, 71, 48])
    centres = rng.normal(0.5, 0.15, (3, 13))
    X = np.clip(
        centres[truth] + rng.normal(0, 0.12, (178, 13)) @ rng.normal(0, 0.3, (13, 13)), 0, 1
    )
    columns = {f"x{j}": {"kind": "number", "low": 0, "high": 1} for j in range(13)}
    means = np.array([X[truth == k].mean(axis=0) for k in range(3)])
    labels = interleaved(np.bincount(truth))
    Z = greedy(features_of(columns), means, about(means, X.T @ X / len(X), labels), labels)
    drawn = np.array([Z[labels == k].mean(axis=0) for k in range(3)])
    apart, wanted = drawn - drawn.mean(axis=0), means - means.mean(axis=0)
    assert 0.97 < (apart * wanted).sum() / (wanted**2).sum() < 1.03


@pytest.mark.parametrize("seed", range(20))
def test_no_number_is_better_than_the_one_chosen(seed):
    rng = np.random.default_rng(seed)
    aside, sizes = rng.integers(-V // 2, V // 2, 6), rng.integers(V // 8, V // 2, 6)
    row = rng.integers(-V * V // 4, V * V // 4, 6)
    want, i = int(rng.integers(-V, V)), int(rng.integers(6))
    aside[i] = 0

    def target(z):
        others = ((aside * z - row) / sizes / sizes[i]) ** 2 * (aside != 0)
        own = abs(z * z - row[i]) / sizes[i] ** 2
        return ((z - want) / sizes[i]) ** 2 / 2 + own + others.sum() / 24

    found = _best(i, aside, want, sizes, row, -900, 3000)
    assert -900 <= found <= 3000
    assert target(found) <= min(target(z) for z in range(-900, 3001)) + 1e-3


def test_in_plain_words_a_column_that_follows_nothing_has_no_variance():
    """Why the printed sampler was mended."""
    rng = np.random.default_rng(0)
    X = np.clip(rng.normal(0.5, 0.08, (600, 3)), 0, 1)
    Z = in_plain_words(X.mean(axis=0)[None], X.T @ X / len(X), np.zeros(600, int))
    assert (Z.var(axis=0) < X.var(axis=0) / 100).all()


@pytest.mark.parametrize("rows", [4, 40])
def test_a_few_rows_have_the_spread_of_all(rows):
    """However few of a small class are among them: the shares of a batch are not those of all."""
    rng = np.random.default_rng(0)
    k = (np.arange(2_000) % 10 == 0).astype(int)
    x = np.clip(np.where(k == 1, 0.9, 0.2) + rng.normal(0, 0.05, 2_000), 0, 1)
    columns = {
        "x": {"kind": "number", "low": 0, "high": 1},
        "y": {"kind": "number", "low": 0, "high": 1},
    }
    schema = {"name": "t", "columns": columns | {"group": {**GROUP["group"], "values": ["x", "y"]}}}
    table = pa.table({"x": x, "y": rng.random(2_000), "group": np.array(list("xy"))[k]})
    options = {"method": "dp-lda", "epsilon": 10**6, "sampler": "greedy", "rows": rows, "seed": 1}
    made = publish(table, schema=Schema.of(schema), **options).table
    large = made["x"].to_numpy()[np.array(made["group"].to_pylist()) == "x"]
    assert np.abs(large - 0.2).max() < 0.16  # three deviations


def test_columns_that_follow_nothing_keep_their_variance():
    """Beside two categories, whose dummies are many and wide: each class by itself."""
    rng, rows = np.random.default_rng(0), 2_000
    k = rng.integers(0, 2, rows)
    drawn = {"x": (40 + 15 * k, 8), "y": (60 - 10 * k, 5), "z": (50, 3)}
    values = {c: np.rint(rng.normal(m, s, rows)).clip(0, 100) for c, (m, s) in drawn.items()}
    levels = {
        "c": rng.choice(list("pqr"), rows, p=[0.7, 0.2, 0.1]),
        "d": rng.choice(list("ab"), rows),
    }
    columns = {c: {"kind": "integer", "low": 0, "high": 100} for c in drawn}
    columns |= {"c": {"kind": "category", "values": list("pqr")}}
    columns |= {"d": {"kind": "category", "values": list("ab")}}
    table = pa.table(values | levels | {"group": np.array(list("xy"))[k]})
    schema = {"name": "t", "columns": columns | {"group": {**GROUP["group"], "values": ["x", "y"]}}}
    options = {"method": "dp-lda", "epsilon": 10**6, "sampler": "greedy", "seed": 1}
    made = publish(table, schema=Schema.of(schema), **options).table
    labels = np.array(made["group"].to_pylist())
    for c in drawn:
        for place, label in enumerate("xy"):
            found = made[c].to_numpy()[labels == label].var()
            assert found == pytest.approx(values[c][k == place].var(), rel=0.15)


@pytest.mark.parametrize("seed", range(20))
def test_a_dummy_costs_what_the_target_rises_by(seed):
    rng = np.random.default_rng(seed)
    y, row = rng.integers(0, V + 1, 6), rng.integers(-V * V, V * V, 6)
    open_sum, (first, last) = int(rng.integers(-V, 2 * V)), (1, 4)
    outside = [0, 4, 5]

    def target(z):  # of the dummy at 2; the other dummies of its block are zero with it
        return (
            V * abs(z - open_sum)
            + abs(z * z - row[2])
            + sum(abs(y[j] * z - row[j]) for j in outside)
        )

    assert _gain(2, first, last, y, open_sum, row) == target(V) - target(0)


SCRIPT = """
import json, sys
import numpy as np
sys.path.insert(0, {tests!r})
from test_greedy import FEATURES, about, greedy, moments
means, second, labels = moments(150)
print(json.dumps(greedy(FEATURES, means, about(means, second, labels), labels).tolist()))
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
