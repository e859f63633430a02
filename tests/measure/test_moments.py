"""Moments: exact integers whatever the order, blocks or format; noise of the stated law."""

import json
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare, kstest

import sfumato as sf
from neighbours import records, schema, typed_rows
from sfumato.example import CLINIC, clinic
from sfumato.measure import moments as module
from sfumato.measure.moments import Moments, gram, sums_and_gram
from sfumato.privacy.budget import budget
from sfumato.privacy.mechanism import Purse
from sfumato.privacy.randomness import SeededBits
from sfumato.schema import Schema
from sfumato.schema.domain import Domain
from sfumato.synopsis.features import Features
from sfumato.synopsis.moments import MomentLayout
from sfumato.table import source as source_module
from sfumato.table.records import Records
from sfumato.table.source import open_source

FALSE_ALARM = 1e-6


def moments(known, *, label=False, **figures):
    domain = Domain.of(known)
    axis = domain.label if label else None
    features = Features.of(domain, without=() if axis is None else (axis,))
    classes = 1 if axis is None else domain.axes[axis].codes
    layout = MomentLayout(features, known.neighbours, classes)
    return Moments(layout, budget(**(figures or {"epsilon": 1})), axis)


def by_hand(domain, codes, label=None):
    """Moments with Python integers, record by record."""
    features = Features.of(domain, without=() if label is None else (label,))
    X = features.design(codes).astype(int).tolist()
    width = len(features)
    classes = 1 if label is None else domain.axes[label].codes
    counts, sums = [0] * classes, [[0] * width for _ in range(classes)]
    second = [[0] * width for _ in range(width)]
    for row, code in zip(X, codes, strict=True):
        k = 0 if label is None else int(code[label])
        counts[k] += 1
        for i in range(width):
            sums[k][i] += row[i]
            for j in range(width):
                second[i][j] += row[i] * row[j]
    return np.array(counts), np.array(sums), np.array(second)


@pytest.mark.parametrize("label", [False, True])
@pytest.mark.parametrize("neighbours", ["replace-one", "add-remove"])
@settings(max_examples=25)
@given(rows=st.lists(typed_rows(), max_size=6))
def test_the_query_is_what_python_integers_give(neighbours, label, rows):
    known = schema(neighbours=neighbours)
    measurement = moments(known, label=label)
    codes = next(iter(records(rows, known).parts()), np.empty((0, 9), np.int32))
    expected = measurement.layout.pack(*by_hand(Domain.of(known), codes, measurement.label))
    assert measurement.query(records(rows, known)).tolist() == expected.tolist()


@settings(max_examples=20)
@given(rows=st.lists(typed_rows(), min_size=2, max_size=8), seed=st.integers(0, 9))
def test_the_query_does_not_depend_on_the_order_of_records(rows, seed):
    shuffled = [rows[i] for i in np.random.default_rng(seed).permutation(len(rows))]
    measurement = moments(schema(), label=True)
    assert (measurement.query(records(rows)) == measurement.query(records(shuffled))).all()


@pytest.mark.slow
def test_the_synopsis_is_the_same_bits_for_every_format_batch_and_thread_count(
    tmp_path, monkeypatch
):
    original = clinic(1_500)
    pacsv.write_csv(original, tmp_path / "c.csv")
    pq.write_table(original, tmp_path / "c.parquet", row_group_size=700)
    shuffled = original.take(pa.array(np.random.default_rng(3).permutation(1_500)))

    def entries(data):
        return sf.publish(data, schema=Schema.parse(CLINIC), epsilon=1, seed=5).synopsis

    expected = entries(original)
    sources = [tmp_path / "c.csv", tmp_path / "c.parquet", shuffled, original.to_pandas()]
    assert all(entries(data) == expected for data in sources)
    monkeypatch.setattr(source_module, "BATCH_ROWS", 97)
    assert all(entries(data) == expected for data in [original, tmp_path / "c.parquet"])
    script = (
        "import sfumato as sf, json;"
        "from sfumato.example import CLINIC; from sfumato.schema import Schema;"
        f"print(json.dumps(sf.publish({str(tmp_path / 'c.parquet')!r}, "
        "schema=Schema.parse(CLINIC), epsilon=1, seed=5).synopsis))"
    )
    for threads in ("1", "2"):
        run = subprocess.run(
            [sys.executable, "-c", script],
            env={"OMP_NUM_THREADS": threads, "OPENBLAS_NUM_THREADS": threads},
            capture_output=True,
            text=True,
            check=True,
        )
        assert json.loads(run.stdout) == expected


def test_blocks_that_would_pass_two_to_the_53_are_cut():
    largest = 2**20
    rows = 2**13 + 5  # 2^13 full rows of 2^40 reach exactly 2^53
    X = np.full((rows, 2), float(largest))
    X[::3, 1] -= 1
    whole = X.astype(np.int64)
    assert np.array_equal(gram(X, largest), whole.T @ whole)


@pytest.mark.parametrize("rows", [0, 1, 44, 45, 500])
def test_sums_and_products_are_the_same_in_blocks_of_any_size(rows, rng, monkeypatch):
    codes = rng.integers(-(2**15), 2**15, (rows, 3)).astype(np.int32)
    whole = codes.astype(np.int64)
    sizes = []

    def design(part):
        sizes.append(len(part))
        return part.astype(np.float64)

    monkeypatch.setattr(module, "_CELLS", 3 * 45)
    sums, second = sums_and_gram(design, codes, 2**15)
    np.testing.assert_array_equal(sums, whole.sum(axis=0))
    np.testing.assert_array_equal(second, whole.T @ whole)
    assert sum(sizes) == rows
    assert max(sizes) <= 45


def test_uncut_blocks_would_be_wrong():
    """Positive control: one product over all rows loses the odd units."""
    X = np.full((2**14 + 1, 1), float(2**20 - 1))
    exact = (2**14 + 1) * (2**20 - 1) ** 2
    assert int((X.T @ X)[0, 0]) != exact
    assert gram(X, 2**20)[0, 0] == exact


def test_value_and_noise_add_modulo_2_to_the_64():
    """So a sum or a noise beyond 64 bits is post-processing of the true one, whatever n is."""
    top = np.array([2**63 - 1])
    assert (top + np.array([1])).tolist() == [-(2**63)]
    known = Schema.of({"name": "t", "columns": {"x": {"kind": "number", "low": 0, "high": 1}}})
    measurement = moments(known)
    data = Records(open_source(pa.table({"x": [1.0] * 5})), measurement.layout.features.domain)
    entries = measurement.query(data)
    assert entries.dtype == np.int64
    assert entries.tolist() == [5 * 2**15, 5 * 2**30]


ONES = Schema.of(
    {"name": "t", "columns": {f"x{k}": {"kind": "number", "low": 0, "high": 1} for k in range(140)}}
)


def noise_of(measurement, seed=0):
    values = pa.table({name: [0.25, 1.0] for name in ONES.columns})
    data = Records(open_source(values), measurement.layout.features.domain)
    noisy = measurement.perturb(data, Purse(measurement.budget, SeededBits(seed))).entries
    return (noisy - measurement.query(data)) / measurement.layout.units


@pytest.mark.parametrize(("error", "passes"), [(1, True), (0.95, False), (1.05, False)])
def test_laplace_noise_has_the_stated_scale_and_no_other(error, passes):
    measurement = moments(ONES, epsilon="0.5")  # 10 010 noisy entries on fine grids
    scale = float(measurement.layout.sensitivity.l1 / Fraction(1, 2))
    noise = np.concatenate([noise_of(measurement, seed) for seed in range(12)])
    assert (kstest(noise / (scale * error), "laplace").pvalue > FALSE_ALARM) == passes


@pytest.mark.parametrize(("error", "passes"), [(1, True), (0.95, False), (1.05, False)])
def test_gaussian_noise_has_the_stated_variance_and_no_other(error, passes):
    measurement = moments(ONES, rho="0.5")
    sigma = float(measurement.layout.sensitivity.l2_squared) ** 0.5
    noise = np.concatenate([noise_of(measurement, seed) for seed in range(12)])
    assert (kstest(noise / (sigma * error), "norm").pvalue > FALSE_ALARM) == passes


def test_every_entry_is_a_whole_number_of_its_grid():
    synopsis = sf.publish(
        clinic(50), schema=Schema.parse(CLINIC), method="modips", epsilon=1
    ).synopsis
    assert all(type(entry) is int for entry in synopsis["entries"])


def test_entries_do_not_share_noise():
    noise = noise_of(moments(ONES, epsilon=1))
    signs = noise > 0
    table_of_pairs = np.histogram2d(signs[:-1:2], signs[1::2], bins=2)[0]
    assert chisquare(table_of_pairs.ravel()).pvalue > FALSE_ALARM
    assert len(np.unique(noise)) > 0.99 * len(noise)


def test_a_budget_beyond_all_noise_gives_the_exact_answer():
    measurement = moments(schema(), epsilon=10**18)
    rows = [
        dict(
            zip(
                schema().columns,
                ("1", "1", "3", "f", "a", "x", "true", "2020-01-03", "home"),
                strict=True,
            )
        )
    ] * 3
    noisy = measurement.perturb(records(rows), Purse(measurement.budget, SeededBits(0))).entries
    assert (noisy == measurement.query(records(rows))).all()


def test_the_number_of_records_is_public_only_under_replace_one():
    rows = [dict.fromkeys(schema().columns)] * 3
    for neighbours, public in (("replace-one", 3), ("add-remove", None)):
        measurement = moments(schema(neighbours=neighbours))
        purse = Purse(measurement.budget, SeededBits(0))
        synopsis = measurement.perturb(records(rows, schema(neighbours=neighbours)), purse)
        assert synopsis.rows == public
