"""Variances and covariances from noisy second moments: true at once, or said to be unknown."""

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import binomtest

import sfumato as sf
from sfumato.accuracy.covariance_statement import about_covariance, variances
from sfumato.accuracy.published import published
from sfumato.errors import ParameterError, ReleaseError
from sfumato.example import CLINIC, clinic

FALSE_ALARM = 1e-6  # chance that a right interval fails one statistical test
PATIENTS = clinic(2_000)
AGE, PRESSURE = (np.array(PATIENTS[name].to_pylist(), float) for name in ("age", "pressure"))
NUMBERS = {
    "name": "t",
    "columns": {
        "a": {"kind": "integer", "low": 0, "high": 20},
        "b": {"kind": "number", "low": -1, "high": 1, "step": "0.01"},
    },
}


def release(method, neighbours="replace-one", **options):
    schema = sf.Schema.parse(CLINIC.replace("replace-one", neighbours))
    return sf.publish(PATIENTS, schema=schema, method=method, seed=5, **options)


@pytest.mark.parametrize("neighbours", ["replace-one", "add-remove"])
@pytest.mark.parametrize("method", ["modips", "dp-lda", "lap-pca", "analyze-gauss"])
def test_without_noise_they_are_the_true_ones(method, neighbours):
    budget = {"rho": 10**10} if method == "analyze-gauss" else {"epsilon": 10**8}
    found = published(release(method, neighbours, **budget))
    both = np.cov(AGE, PRESSURE, bias=True)
    for first, second, true in (("age", "pressure", both[0, 1]), ("age", "age", both[0, 0])):
        told = found.covariance(first, second, 0.95)
        assert told.value == pytest.approx(true, rel=1e-3)
        assert told.between[0] - 1e-6 <= true <= told.between[1] + 1e-6
        assert told.between[1] - told.between[0] < 2


@pytest.mark.parametrize("neighbours", ["replace-one", "add-remove"])
@pytest.mark.parametrize("method", ["modips", "lap-pca"])
def test_intervals_cover_over_repeated_releases_and_narrow_ones_are_caught(method, neighbours):
    runs, rng = 60, np.random.default_rng(1)
    a = rng.integers(0, 21, 300)
    b = np.clip(np.rint(100 * (a / 20 - 0.5 + rng.normal(0, 0.2, 300))) / 100, -1, 1)
    true, missed, narrow = float(np.cov(a, b, bias=True)[0, 1]), 0, 0
    table = pa.table({"a": a, "b": b})
    for seed in range(runs):
        made = sf.publish(
            table, schema={**NUMBERS, "neighbours": neighbours}, method=method, epsilon=3, seed=seed
        )
        value, (low, high) = published(made).covariance("a", "b", 0.5)[3:]
        missed += not low <= true <= high
        narrow += not value - (value - low) / 20 <= true <= value + (high - value) / 20
    assert binomtest(missed, runs, 0.5, alternative="greater").pvalue > FALSE_ALARM
    assert binomtest(narrow, runs, 0.5, alternative="greater").pvalue < FALSE_ALARM


def test_a_variance_is_told_with_its_deviation():
    told = about_covariance(published(release("analyze-gauss", rho=1)), "age", "age", 0.95)
    assert told.figures["low"] <= AGE.var() <= told.figures["high"]
    ends = told.figures["standard deviation"]
    assert ends["low"] <= AGE.std() <= ends["high"]
    assert "at once" in told.sentences[-1]
    assert [answer.question for answer in variances(published(release("lap-pca", epsilon=9)), 0.9)
            ] == ["variance of age", "variance of pressure"]  # fmt: skip


def test_without_sums_the_mean_product_is_told_and_the_variance_is_not():
    found = published(release("lap-pca", epsilon=100, means="0"))
    told = about_covariance(found, "age", "age", 0.95)
    about, second = 58.0, told.figures["second moment"]
    assert second["about"] == [about, about]
    assert second["low"] <= np.mean((AGE - about) ** 2) <= second["high"]
    assert "value" not in told.figures
    assert "no sums were published" in told.sentences[0]


def test_what_cannot_be_told_is_refused_with_the_reason():
    found = published(release("modips", epsilon=1))
    for column in ("weight", "sex", "admitted", "nobody"):  # may be missing, no number, unknown
        with pytest.raises(ParameterError, match="may not be missing: age, pressure"):
            found.covariance("age", column, 0.95)
    with pytest.raises(ParameterError, match="diffgen publishes no second moments; ") as refused:
        published(release("diffgen", epsilon=1)).covariance("age", "age", 0.95)
    remedy = str(refused.value).partition("; ")[2].removesuffix(" do").replace(" and ", ", ")
    for method in remedy.split(", "):
        budget = {"rho": 1} if method == "analyze-gauss" else {"epsilon": 1}
        assert published(release(method, **budget)).second is not None
    assert {"dca", "lip"} <= set(remedy.split(", "))
    with pytest.raises(ReleaseError, match="drew its records into a ball"):
        published(release("lap-pca", epsilon=1, radius="1"))


def test_one_number_beside_a_label_has_a_variance():
    schema = {
        "name": "t",
        "columns": {
            "x": {"kind": "integer", "low": 0, "high": 20},
            "k": {"kind": "boolean", "role": "label"},
        },
    }
    rng = np.random.default_rng(0)
    table = pa.table({"x": rng.integers(0, 21, 500), "k": rng.integers(0, 2, 500) == 1})
    made = sf.publish(table, schema=schema, method="lap-pca", epsilon=10**8, seed=1)
    told = about_covariance(published(made), "x", "x", "0.95").figures
    assert told["value"] == pytest.approx(np.var(table["x"].to_numpy()), rel=1e-3)
