"""θ, η, SG and SIR: closed forms, realised draws around them, both sets of sensitivities."""

from math import isnan, sqrt

import numpy as np
import pyarrow as pa
import pytest

from sfumato.errors import ParameterError
from sfumato.inspection import error_ratio, noise_ratio, sensitivity_gain, sir

NUMBER = {"kind": "number", "low": 0, "high": 1}
SCHEMA = {"name": "t", "columns": dict.fromkeys("ab", NUMBER)}
# About the middle: a is ±1/2, b is ±1/4; second moments 1/4 and 1/16.
POINTS = pa.table({"a": [0.0, 0.0, 1.0, 1.0] * 25, "b": [0.25, 0.75, 0.25, 0.75] * 25})


def test_the_noise_ratio_of_the_paper_is_its_closed_form():
    assert noise_ratio(1567, 590, 12, sensitivities="paper") == pytest.approx(
        590 / sqrt(1567**3 * 12)
    )


def test_the_certified_noise_ratio_has_the_certified_scales():
    n, d, k = 1000, 10, 4
    second, records = sqrt(d * (d + 3) / 2) / n, 2 * sqrt(k)
    expected = sqrt(d**2 * second**2 / (n * k * records**2))
    assert noise_ratio(n, d, k) == pytest.approx(expected, rel=1e-8)
    assert noise_ratio(n, d, k, radius=3) == pytest.approx(3 * expected, rel=1e-8)


def test_the_noise_ratio_falls_with_records_and_rank():
    thetas = [noise_ratio(n, 20, k, sensitivities="paper") for n, k in ((50, 2), (50, 9), (99, 9))]
    assert sorted(thetas, reverse=True) == thetas


@pytest.mark.parametrize("sensitivities", ["paper", "certified"])
def test_a_realised_noise_ratio_lies_about_the_expected_one(sensitivities, rng):
    expected = noise_ratio(5000, 60, 5, sensitivities=sensitivities)
    drawn = [noise_ratio(5000, 60, 5, sensitivities=sensitivities, rng=rng) for _ in range(8)]
    # Relative spread of one draw: about 2.5 % from 3,600 entries; eight make 1 %: 6 sigma.
    assert np.mean(drawn) == pytest.approx(expected, rel=0.06)
    assert len(set(drawn)) == 8
    assert np.mean(drawn) != pytest.approx(1.2 * expected, rel=0.06)  # would notice a fifth


def test_the_error_ratio_is_its_closed_form():
    left = 100 / 16  # b is left out by both
    certified = sqrt(left / (left + 2 * 100 * 2 / 0.5**2))  # ‖x − x'‖² ≤ 2 in the box
    paper = sqrt(left / (left + 2 * 100 * (4 * sqrt(0.5) / 0.5) ** 2))
    for name, expected in (("certified", certified), ("paper", paper)):
        eta = error_ratio([[1, 0]], POINTS, SCHEMA, epsilon="0.5", sensitivities=name)
        assert eta == pytest.approx(expected, rel=1e-9)


def test_the_error_ratio_with_drawn_noise_is_that_of_the_matrices_themselves():
    X = np.column_stack([POINTS.column(name).to_numpy() for name in "ab"]) - 0.5
    U, V = np.array([[0.6, 0.8]]), np.array([[1.0, 0.0]])
    E = np.random.default_rng(3).laplace(0, sqrt(2) / 0.8, (100, 1))
    expected = np.linalg.norm(X @ U.T @ U - X) / np.linalg.norm((X @ V.T + E) @ V - X)
    rng = np.random.default_rng(3)
    assert error_ratio(U, POINTS, SCHEMA, epsilon=0.8, rng=rng) == pytest.approx(expected)


def test_worse_directions_and_more_budget_raise_the_error_ratio():
    good, bad = ([[1, 0]], [[0, 1]])
    small, large = (error_ratio(U, POINTS, SCHEMA, epsilon=1) for U in (good, bad))
    assert small < large
    assert small < error_ratio(good, POINTS, SCHEMA, epsilon=10) < 1
    assert error_ratio(bad, POINTS, SCHEMA, epsilon=10**6) == pytest.approx(2, rel=1e-6)


def test_a_radius_bounds_the_noise_of_the_error_ratio():
    free = error_ratio([[1, 0]], POINTS, SCHEMA, epsilon=1)
    bound = error_ratio([[1, 0]], POINTS, SCHEMA, epsilon=1, radius="0.7")  # diameter 1.4 < √2
    assert bound > free


def test_all_components_have_no_error_against_some():
    assert error_ratio(np.eye(2), POINTS, SCHEMA, epsilon=1) == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize(
    ("statistic", "paper", "certified"),
    [
        ("eigenvalues", 100 / 10, 1),
        ("augmented", (100**2 + 401) / (100 + 41), None),
        ("classes", 100**2 / 10**2, 101 / 11),
    ],
)
def test_the_sensitivity_gain_is_that_of_each_algorithm(statistic, paper, certified):
    gain = sensitivity_gain(10, 100, statistic=statistic, sensitivities="paper")
    assert gain == pytest.approx(paper)
    if certified is None:
        certified = (sqrt(100 * 103 / 2) + 2 * 10 + 1) / (sqrt(65) + 2 * sqrt(10) + 1)
    assert sensitivity_gain(10, 100, statistic=statistic) == pytest.approx(certified, rel=1e-8)


@pytest.mark.parametrize("statistic", ["eigenvalues", "augmented", "classes"])
@pytest.mark.parametrize("sensitivities", ["paper", "certified"])
def test_with_all_components_there_is_neither_gain_nor_loss(statistic, sensitivities):
    found = sir(POINTS, SCHEMA, statistic=statistic, sensitivities=sensitivities)
    assert found[-1] == pytest.approx(1)
    assert len(found) == 2


def test_the_ratio_of_gain_to_loss_is_the_hand_computed_one():
    kept = (1 / 4) / (1 / 4 + 1 / 16)
    assert sir(POINTS, SCHEMA, sensitivities="paper")[0] == pytest.approx(2 * kept)
    assert sir(POINTS, SCHEMA, statistic="classes")[0] == pytest.approx(3 / 2 * kept)


def test_the_ratio_is_below_one_where_the_loss_outweighs_the_gain():
    third = {"name": "t", "columns": dict.fromkeys("abc", NUMBER)}
    corners = np.array([[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)], float)
    even = pa.table(dict(zip("abc", corners.T, strict=True)))
    # Two of three equal variances for no gain at all: eigenvalues move by 2 from P = 2 on.
    assert sir(even, third)[1] == pytest.approx(2 / 3)


def test_records_without_variance_have_no_ratio():
    same = pa.table({"a": [0.5] * 3, "b": [0.5] * 3})
    assert all(isnan(ratio) for ratio in sir(same, SCHEMA))


@pytest.mark.parametrize("rank", [0, 11, -1, 2.0, True])
def test_an_impossible_rank_is_refused_by_name(rank):
    with pytest.raises(ParameterError, match=r"rank must be .* from 1 to 10 \(features\)"):
        sensitivity_gain(rank, 10)
    with pytest.raises(ParameterError, match="rank"):
        noise_ratio(50, 10, rank)


def test_other_impossible_parameters_are_refused_by_name():
    with pytest.raises(ParameterError, match="features must be a whole number, at least 1"):
        noise_ratio(50, 0, 1)
    with pytest.raises(ParameterError, match="rows must be a whole number of at least 1"):
        noise_ratio(0, 10, 1)
    with pytest.raises(ParameterError, match="radius must be a number above 0"):
        noise_ratio(50, 10, 1, radius=-1)
    with pytest.raises(ParameterError, match="epsilon must be a number above 0"):
        error_ratio([[1, 0]], POINTS, SCHEMA, epsilon=0)
    with pytest.raises(ParameterError, match="statistic must be one of eigenvalues, augmented"):
        sensitivity_gain(1, 10, statistic="mean")


@pytest.mark.parametrize(
    "measure",
    [
        lambda s: noise_ratio(50, 10, 1, sensitivities=s),
        lambda s: error_ratio([[1, 0]], POINTS, SCHEMA, epsilon=1, sensitivities=s),
        lambda s: sensitivity_gain(1, 10, sensitivities=s),
        lambda s: sir(POINTS, SCHEMA, sensitivities=s),
    ],
)
def test_unknown_sensitivities_are_refused_with_the_known_ones(measure):
    with pytest.raises(ParameterError, match="sensitivities must be one of paper, certified"):
        measure("guessed")
