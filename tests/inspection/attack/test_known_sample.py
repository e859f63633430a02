"""Known records: a linear map and a rotation undone, noise in the way, too few known."""

import numpy as np
import pytest
from attacked import CONFIDENT, matrix, rotation

from sfumato.errors import DataError, ParameterError
from sfumato.inspection.attack import least_squares_attack, procrustes_attack

BOTH = pytest.mark.parametrize("attack", [least_squares_attack, procrustes_attack])


@BOTH
@pytest.mark.parametrize("name", ["wine", "cancer"])
def test_a_secret_rotation_is_undone_by_as_many_records_as_columns(attack, name, rng):
    A = matrix(name)
    m = A.shape[1]
    known = rng.choice(len(A), m, replace=False)
    found = attack(A @ rotation(m, rng), A, known=known, confidence=CONFIDENT)
    assert found.verdict == "succeeds"
    assert found.success.value < 1e-6
    # A few columns have tails so heavy that a normal interval of their spread reaches zero.
    assert found.details["columns given away"] > 0.8 * m
    assert found.details["known"] == m


def test_least_squares_undoes_any_linear_map_and_procrustes_does_not(rng):
    A = rng.normal(size=(300, 4))
    P = A @ np.array([[5.0, 1, 0, 0], [0, 1, 0, 0], [0, 2, 0.1, 0], [0, 0, 0, 3]])
    assert least_squares_attack(P, A, confidence=CONFIDENT).success.value < 1e-6
    assert procrustes_attack(P, A, confidence=CONFIDENT).details["columns given away"] < 4


def test_least_squares_reads_a_matrix_of_more_columns(rng):
    A = rng.normal(size=(300, 3))
    found = least_squares_attack(A @ rng.normal(size=(3, 5)), A, confidence=CONFIDENT)
    assert found.success.value < 1e-6


@BOTH
def test_noise_far_above_the_records_stops_the_attack(attack, rng):
    A = matrix("wine")
    P = A @ rotation(14, rng) + rng.laplace(0, 100 * A.std(), A.shape)
    found = attack(P, A, known=range(60), confidence=CONFIDENT)
    assert found.power
    assert found.verdict == "fails"
    assert found.details["columns given away"] == 0


@BOTH
def test_rows_in_the_wrong_order_give_nothing_away(attack, rng):
    A = rng.normal(size=(500, 5))
    found = attack(rng.permutation(A) @ rotation(5, rng), A, confidence=CONFIDENT)
    assert found.verdict == "fails"


@BOTH
def test_one_column_laid_bare_is_seen_among_many_that_are_not(attack, rng):
    """Noise of 1 hides columns of deviation 0.01, not the one of deviation 100."""
    A = rng.normal(size=(300, 10)) * np.array([0.01] * 9 + [100])
    found = attack(A + rng.normal(size=A.shape), A, known=range(50), confidence=CONFIDENT)
    assert found.verdict == "succeeds"
    assert found.subject == "column 9"
    assert found.details["columns given away"] == 1


@BOTH
def test_the_confidence_holds_for_all_columns_together(attack, rng):
    A = rng.normal(size=(80, 4))
    assert attack(A, A, confidence=0.9).confidence == pytest.approx(1 - 0.1 / 4)


def test_more_known_records_make_a_smaller_error(rng):
    A = rng.normal(size=(1_000, 6))
    P = A @ rotation(6, rng) + rng.normal(0, 0.3, A.shape)
    errors = [least_squares_attack(P, A, known=range(k)).success.value for k in (8, 30, 300)]
    assert errors == sorted(errors, reverse=True)


def test_the_error_is_that_of_the_records_that_were_not_known(rng):
    A = rng.normal(size=(200, 2))
    P = A.copy()
    P[:100] = A[:100] @ rotation(2, rng)  # the known half was rotated, the rest was not
    found = procrustes_attack(P, A, known=range(100))
    R = np.linalg.lstsq(A[:100], P[:100], rcond=None)[0]
    j = found.details["column"]
    error = (P[100:] @ R.T - A[100:])[:, j] / A[:, j].std()
    assert found.success.value == pytest.approx(np.sqrt(np.mean(error**2)))


@BOTH
def test_cases_without_power_say_so(attack, rng):
    A = rng.normal(size=(60, 3))
    assert "every record was known" in attack(A, A, known=range(60)).weakness
    assert "too few to tell" in attack(A, A, known=range(40)).weakness
    A[:10, 2] = A[:10, 0]
    assert "lie in a subspace" in attack(A, A, known=range(10)).weakness


@BOTH
def test_too_few_known_records_are_refused(attack, rng):
    A = rng.normal(size=(60, 3))
    with pytest.raises(ParameterError, match="known must name at least 3 different records"):
        attack(A, A, known=[0, 1, 1, 1])
    for row in (60, -1, 1.5):
        with pytest.raises(ParameterError, match="known must name rows from 0 to 59"):
            attack(A, A, known=[0, 1, 2, row])
    with pytest.raises(ParameterError, match="at least 3"):
        attack(A[:2], A[:2])


@BOTH
def test_constant_columns_and_other_shapes_are_refused(attack, rng):
    A = rng.normal(size=(60, 3))
    with pytest.raises(DataError, match="one row per record"):
        attack(A[1:], A)
    A[:, [0, 2]] = 1
    with pytest.raises(DataError, match="column 0, 2 of the original"):
        attack(A, A)


def test_a_rotation_needs_the_same_columns_on_both_sides(rng):
    A = rng.normal(size=(60, 3))
    with pytest.raises(DataError, match="same columns, got 2 and 3"):
        procrustes_attack(A[:, :2], A)


@BOTH
def test_the_same_seed_gives_the_same_result(attack, rng):
    A = rng.normal(size=(80, 3))
    P = A + rng.normal(size=A.shape)
    assert attack(P, A, seed=5) == attack(P, A, seed=5)
    assert attack(P, A, seed=5) != attack(P, A, seed=6)
