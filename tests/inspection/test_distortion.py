"""VD, RP, RK, CP and CK: by hand, their laws, ties, and tables of all kinds of columns."""

import numpy as np
import pyarrow.csv as pacsv
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import sfumato as sf
from sfumato.errors import DataError, ParameterError, SchemaError
from sfumato.example import CLINIC, clinic
from sfumato.inspection.attack import procrustes_attack
from sfumato.inspection.distortion import Distortion, distortion, matrix_distortion

CLINICAL = sf.Schema.parse(CLINIC)
A = np.array([[1.0, 10.0, 3.0], [2.0, 30.0, 5.0], [3.0, 20.0, 4.0], [4.0, 40.0, 6.0]])

small = st.integers(-5, 5).map(float)


@st.composite
def two_matrices(draw):
    shape = draw(st.tuples(st.integers(1, 6), st.integers(1, 5)))
    first, second = (draw(arrays(np.float64, shape, elements=small)) for _ in range(2))
    first[0, 0] = 7.0  # never zero everywhere
    return second, first


def test_an_unchanged_matrix_has_no_distortion():
    assert matrix_distortion(A, A) == Distortion(vd=0, rp=0, rk=1, cp=0, ck=1)


def test_the_five_measures_are_the_hand_computed_ones():
    P = A.copy()
    P[[0, 3], 0] = P[[3, 0], 0]  # ranks 1 2 3 4 become 4 2 3 1: moved by 3 0 0 3
    P[:, 1] -= 30  # keeps its ranks, but its average falls from the largest to the smallest
    found = matrix_distortion(P, A)
    size = np.sqrt((A**2).sum())
    assert found.vd == pytest.approx(np.sqrt(9 + 9 + 4 * 900) / size)
    assert found.rp == pytest.approx((6 / 4 + 0 + 0) / 3)
    assert found.rk == pytest.approx((2 / 4 + 1 + 1) / 3)
    # Averages 2.5, 25, 4.5 have ranks 1 3 2; afterwards 2.5, -5, 4.5 have 2 1 3.
    assert found.cp == pytest.approx((1 + 2 + 1) / 3)
    assert found.ck == 0


def test_an_average_that_keeps_its_rank_counts_as_one():
    """The printed definition gives 0 in both cases, so CK would always be 0."""
    assert matrix_distortion(A + 0.1, A).ck == 1
    assert matrix_distortion(A[:, [0, 2, 1]], A).ck == pytest.approx(1 / 3)


def test_a_shift_moves_values_and_no_rank():
    found = matrix_distortion(A + 5, A)
    assert found.vd > 0
    assert (found.rp, found.rk) == (0, 1)


def test_ties_share_the_mean_of_their_places_or_take_them_in_order():
    original, broken = [[1.0], [1.0], [1.0], [9.0]], [[1.2], [1.1], [1.0], [9.0]]
    shared = matrix_distortion(broken, original)
    assert (shared.rp, shared.rk) == ((1 + 0 + 1 + 0) / 4, 2 / 4)  # 2 2 2 4 become 3 2 1 4
    ordered = matrix_distortion(broken, original, ties="order")
    assert (ordered.rp, ordered.rk) == ((2 + 0 + 2 + 0) / 4, 2 / 4)  # 1 2 3 4 become 3 2 1 4


def test_only_shared_places_do_not_depend_on_the_order_of_the_rows():
    original = np.array([[1.0], [1.0], [2.0]])
    perturbed = np.array([[1.1], [1.2], [2.0]])
    swap = [1, 0, 2]
    for ties, same in (("average", True), ("order", False)):
        there = matrix_distortion(perturbed, original, ties=ties)
        swapped = matrix_distortion(perturbed[swap], original[swap], ties=ties)
        assert (there == swapped) == same


@given(two_matrices(), st.randoms(use_true_random=False))
def test_with_shared_places_the_order_of_rows_and_columns_does_not_matter(pair, random):
    P, X = pair
    rows, columns = (random.sample(range(k), k) for k in X.shape)
    there = matrix_distortion(P, X)
    again = matrix_distortion(P[rows][:, columns], X[rows][:, columns])
    assert there.vd == pytest.approx(again.vd)
    assert (there.rp, there.rk) == pytest.approx((again.rp, again.rk))


@given(two_matrices())
def test_the_measures_stay_within_their_bounds(pair):
    P, X = pair
    n, m = X.shape
    for ties in ("average", "order"):
        found = matrix_distortion(P, X, ties=ties)
        assert found.vd >= 0
        assert 0 <= found.rp <= n / 2  # a list turned round moves by half its length
        assert 0 <= found.cp <= m / 2
        assert 0 <= found.rk <= 1
        assert 0 <= found.ck <= 1


@given(two_matrices(), st.sampled_from([0.5, 4.0]))
def test_the_unit_does_not_matter(pair, factor):
    P, X = pair
    assert matrix_distortion(P * factor, X * factor) == matrix_distortion(P, X)


def test_distortion_is_no_privacy(rng):
    """A rotation distorts everything and hides nothing from who knows three records."""
    X = rng.normal(size=(500, 3)) + 5
    P = X @ np.linalg.qr(rng.normal(size=(3, 3)))[0]
    found = matrix_distortion(P, X)
    assert found.vd > 0.5
    assert found.rp > 50
    assert found.rk < 0.02
    assert procrustes_attack(P, X, known=[0, 1, 2]).success.value < 1e-9


def test_the_run_time_is_kept_where_it_is_given():
    assert matrix_distortion(A, A).seconds is None
    assert matrix_distortion(A, A, seconds=0.25).seconds == 0.25
    assert distortion(clinic(9), clinic(9), CLINICAL, seconds=0.25).seconds == 0.25


def test_a_release_read_from_a_file_is_the_same(tmp_path):
    patients = clinic(100)
    noisy = sf.publish(
        patients, schema=CLINICAL, method="identity-laplace", epsilon=5, seed=1
    ).table
    pacsv.write_csv(noisy, tmp_path / "release.csv")
    direct = distortion(noisy, patients, CLINICAL)
    assert distortion(tmp_path / "release.csv", patients, CLINICAL) == direct
    assert distortion(noisy.to_pandas(), patients.to_pandas(), CLINICAL) == direct


def test_more_noise_is_more_distortion():
    patients = clinic(400)

    def found(epsilon):
        release = sf.publish(
            patients, schema=CLINICAL, method="identity-laplace", epsilon=epsilon, seed=1
        )
        return distortion(release.table, patients, CLINICAL)

    little, much = found(10_000), found(1)
    assert little.vd < much.vd
    assert little.rp < much.rp
    assert little.rk > much.rk


@pytest.mark.parametrize(
    ("perturbed", "original", "rule"),
    [
        (A[1:], A, "same shape"),
        (A[:, 1:], A, "same shape"),
        (A, 0 * A, "zero everywhere"),
        (A * np.nan, A, "matrix must be finite"),
        (A, [1.0, 2.0], "matrix must have rows and columns"),
    ],
)
def test_matrices_that_cannot_be_compared_are_refused(perturbed, original, rule):
    with pytest.raises(DataError, match=rule):
        matrix_distortion(perturbed, original)


def test_tables_that_cannot_be_compared_are_refused():
    patients = clinic(20)
    with pytest.raises(DataError, match="one row per record"):
        distortion(patients.slice(1), patients, CLINICAL)
    with pytest.raises(DataError, match="column age of the schema is not in the data"):
        distortion(patients.drop_columns(["age"]), patients, CLINICAL)
    flags = {"name": "t", "columns": {"smoker": {"kind": "boolean"}}}
    with pytest.raises(SchemaError, match="no number, integer or date"):
        distortion(patients, patients, flags)
    with pytest.raises(ParameterError, match="ties must be average or order"):
        distortion(patients, patients, CLINICAL, ties="first")
    with pytest.raises(DataError, match="there are no records"):
        distortion(patients.slice(0, 0), patients.slice(0, 0), CLINICAL)
