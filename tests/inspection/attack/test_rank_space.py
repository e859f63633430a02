"""The noise and the rank read off a perturbed matrix: norms, the rule, its edges."""

from math import sqrt

import numpy as np
import pytest
from attacked import matrix, rotation

from sfumato.errors import DataError, ParameterError
from sfumato.inspection.attack import conditions
from sfumato.inspection.attack.rank_space import directions


@pytest.mark.parametrize(("n", "m"), [(345, 7), (178, 14), (120, 60)])
@pytest.mark.parametrize("beta", [1, 10])
def test_the_norm_of_the_noise_is_the_bound_of_davidson_and_szarek(n, m, beta, rng):
    """Its mean is below the bound by little, and above √(n + m) in every case tried."""
    norms = [np.linalg.norm(rng.normal(0, beta, (n, m)), 2) for _ in range(20)]
    bound = conditions(np.ones((n, m)) + np.eye(n, m), beta=beta).norm
    assert bound == pytest.approx(beta * (sqrt(n) + sqrt(m)))
    assert 0.93 * bound < np.mean(norms) < bound
    assert np.mean(norms) > sqrt(n + m)


@pytest.mark.parametrize("beta", [0.1, 1, 30])
def test_the_noise_is_estimated_from_the_smallest_singular_value(beta, rng):
    """Up to the 1 % by which it varies; without √m it would be a tenth too small."""
    A = 100 * beta * np.outer(rng.normal(size=2_000), rng.normal(size=20))
    found = [conditions(A + rng.normal(0, beta, A.shape)).beta for _ in range(5)]
    assert np.mean(found) == pytest.approx(beta, rel=0.05)


def test_what_the_records_add_only_makes_the_estimate_larger(rng):
    noise = rng.normal(size=(400, 6))
    assert conditions(noise + 0.5 * rng.normal(size=(400, 6))).beta > conditions(noise).beta


def test_the_rank_is_the_largest_that_fits_not_the_smallest(rng):
    """Two gaps pass the condition; the smallest rule would stop at the first."""
    U = np.linalg.qr(rng.normal(size=(400, 5)))[0]
    A = U * [4_000, 2_000, 1_000, 1, 1] @ rotation(5, rng)
    found = conditions(A + rng.normal(size=A.shape))
    assert found.rank == 3
    assert np.diff(found.singular_values)[0] < -found.norm


def test_on_the_wine_table_with_unit_noise_the_rank_is_three(rng):
    A = matrix("wine")
    found = {conditions(A + rng.normal(size=A.shape), beta=1).rank for _ in range(20)}
    assert found == {3}


def test_the_rank_does_not_depend_on_a_rotation(rng):
    A = matrix("wine")
    plain, turned = conditions(A, beta=1), conditions(A @ rotation(14, rng), beta=1)
    assert plain.rank == turned.rank
    np.testing.assert_allclose(plain.singular_values, turned.singular_values, atol=1e-9)


def test_without_noise_every_component_fits():
    assert conditions(matrix("wine"), beta=0).rank == 14


def test_nothing_stands_out_of_pure_noise(rng):
    assert conditions(rng.normal(size=(500, 8)), beta=1).rank is None


def test_too_few_rows_to_estimate_the_noise_are_refused(rng):
    with pytest.raises(ParameterError, match="beta must be given for 39 rows of 10 columns"):
        conditions(rng.normal(size=(39, 10)))
    assert conditions(rng.normal(size=(39, 10)), beta=1).norm > 0


@pytest.mark.parametrize("beta", [-1, np.nan, np.inf, "1"])
def test_impossible_noise_is_refused(beta):
    with pytest.raises(ParameterError, match="beta must be a finite number of at least 0"):
        conditions(np.eye(3), beta=beta)


@pytest.mark.parametrize(
    ("values", "rule"),
    [
        ([[1.0, np.nan]], "must be finite"),
        ([1.0, 2.0], "rows and columns"),
        (np.empty((0, 3)), "rows and columns"),
        ([["a"]], "numbers only"),
        ([[1.0], [1.0, 2.0]], "numbers only"),
    ],
)
def test_what_is_no_matrix_of_numbers_is_refused(values, rule):
    with pytest.raises(DataError, match=rule):
        conditions(values)


def test_a_record_of_zeros_has_no_direction(rng):
    A = rng.normal(size=(20, 3))
    A[4] = 0
    found = directions(A, 3, None)
    assert np.isnan(found[4]).all()
    np.testing.assert_allclose(np.linalg.norm(np.delete(found, 4, axis=0), axis=1), 1)
