"""Filters for additive noise: what correlation gives away, pure noise, the rules themselves."""

import numpy as np
import pytest
from attacked import CONFIDENT, matrix

from sfumato.errors import DataError, ParameterError
from sfumato.inspection.attack import bayes_attack, pca_attack, spectral_attack

ALL = pytest.mark.parametrize("attack", [spectral_attack, pca_attack, bayes_attack])


def correlated(rng, n=1_000, m=20, rank=2):
    return rng.normal(size=(n, rank)) @ rng.normal(size=(rank, m))


@ALL
def test_noise_on_correlated_columns_is_filtered_out(attack, rng):
    A = correlated(rng)
    noisy = A + rng.normal(0, 1, A.shape)
    found = attack(noisy, A, deviation=1, confidence=CONFIDENT)
    assert found.verdict == "succeeds"
    j = found.details["column"]
    taken_as_it_is = np.sqrt(np.mean((noisy - A)[:, j] ** 2)) / A[:, j].std()
    assert found.success.value < 0.7 * taken_as_it_is


@ALL
def test_without_noise_every_value_is_given_away(attack):
    A = matrix("wine")
    found = attack(A, A, deviation=0, confidence=CONFIDENT)
    assert found.success.value < 1e-9
    assert found.details["columns given away"] == 14
    assert found.details["components"] == 14


@ALL
@pytest.mark.parametrize("name", ["wine", "cancer"])
def test_unit_noise_lays_bare_the_columns_of_large_deviation(attack, name, rng):
    A = matrix(name)
    noisy = A + rng.normal(size=A.shape)
    found = attack(noisy, A, deviation=1, confidence=CONFIDENT)
    assert found.verdict == "succeeds"
    assert found.success.value < 0.05
    assert 3 <= found.details["columns given away"] < A.shape[1]


@ALL
def test_heavy_noise_stops_the_filter(attack, rng):
    A = correlated(rng)
    scale = 50 * A.std()
    noisy = A + rng.laplace(0, scale, A.shape)
    found = attack(noisy, A, deviation=scale * np.sqrt(2), confidence=CONFIDENT)
    assert found.power
    assert found.verdict == "fails"
    assert found.over_baseline.low <= 0


@ALL
def test_a_release_of_other_peoples_records_gives_nothing_away(attack, rng):
    A = correlated(rng)
    found = attack(rng.permutation(A), A, deviation=0, confidence=CONFIDENT)
    assert found.verdict == "fails"


def test_the_bayes_estimate_errs_less_than_keeping_or_dropping_components(rng):
    A = rng.normal(size=(2_000, 4))
    noisy = A + rng.normal(0, 1, A.shape)
    spectral, pca, bayes = (
        attack(noisy, A, deviation=1).success.value
        for attack in (spectral_attack, pca_attack, bayes_attack)
    )
    assert bayes < 0.8 * min(spectral, pca)


def test_pure_noise_has_no_component_above_the_edge_of_marchenko_and_pastur(rng):
    """The edge is that of the largest eigenvalue; a tenth below it something is kept."""
    A, E = rng.normal(size=(400, 40)) * 1e-3, rng.normal(size=(400, 40))
    assert spectral_attack(A + E, A, deviation=1.02).details["components"] == 0
    assert spectral_attack(A + E, A, deviation=0.9).details["components"] > 0


def test_a_component_is_worth_keeping_above_twice_the_noise(rng):
    A = rng.normal(size=(20_000, 3)) * [2.0, 1.2, 0.8]
    noisy = A + rng.normal(size=A.shape)
    assert pca_attack(noisy, A, deviation=1).details["components"] == 2


def test_the_bayes_estimate_is_the_wiener_filter(rng):
    """Independent columns: variance λ under noise 1 is known up to a share 1 / (1 + λ)."""
    A = rng.normal(size=(20_000, 2)) * [3.0, 1.0]
    found = bayes_attack(A + rng.normal(size=A.shape), A, deviation=1)
    assert found.subject == "column 0"
    assert found.success.value == pytest.approx(np.sqrt(1 / (1 + 9)), rel=0.02)


@ALL
def test_cases_without_power_say_so(attack, rng):
    A = rng.normal(size=(100, 1))
    assert "one column has no spectrum" in attack(A, A, deviation=1).weakness
    A = rng.normal(size=(40, 40))
    assert "no more records than columns" in attack(A, A, deviation=1).weakness
    A = rng.normal(size=(29, 3))
    assert "too few to tell" in attack(A, A, deviation=1).weakness


@ALL
def test_what_cannot_be_is_refused(attack, rng):
    A = rng.normal(size=(50, 3))
    for deviation in (-1, np.nan, np.inf, None):
        with pytest.raises(ParameterError, match="deviation must be a finite number"):
            attack(A, A, deviation=deviation)
    with pytest.raises(DataError, match="same columns"):
        attack(A[:, :2], A, deviation=1)
    with pytest.raises(DataError, match="constant"):
        attack(A, A * [1, 1, 0], deviation=1)
    with pytest.raises(ParameterError, match="confidence"):
        attack(A, A, deviation=1, confidence=2)
