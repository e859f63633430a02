"""wavelet: the published rule, its limits, and what it shows exactly."""

import numpy as np
import pytest
import pywt
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.errors import ParameterError
from sfumato.perturb.wavelet import most_levels, universal, wavelet


def plainly(A, basis, share, levels, threshold="largest"):
    """The same rule written with PyWavelets alone."""
    kept = []
    averages = A
    for _ in range(levels):
        shape = averages.shape
        averages, details = pywt.dwt2(averages, basis, "periodization")
        kept.append((shape, details))
    if threshold == "largest":
        whole = max(np.abs(part).max() for _, details in kept for part in details)
    else:
        first = pywt.dwt2(A, "haar", "periodization")[1]
        middle = np.median(np.abs(np.concatenate([part.ravel() for part in first])))
        whole = np.sqrt(2 * np.log(A.size)) * middle / 0.6745
    threshold = share * whole
    for (rows, columns), details in reversed(kept):
        drawn = tuple(pywt.threshold(part, threshold, "soft") for part in details)
        averages = pywt.idwt2((averages, drawn), basis, "periodization")[:rows, :columns]
    return averages


@pytest.mark.parametrize("basis", ["haar", "db4", "sym5", "bior2.2"])
@pytest.mark.parametrize("shape", [(699, 9), (9, 31), (16, 16), (33, 1), (1, 4)])
def test_it_is_the_rule_written_with_pywavelets(basis, shape, rng):
    A = rng.normal(size=shape)
    expected = plainly(A, basis, 0.3, most_levels(*shape))
    np.testing.assert_allclose(wavelet(A, basis=basis, share=0.3), expected, atol=1e-10)


@pytest.mark.parametrize("basis", ["haar", "db4"])
@pytest.mark.parametrize("shape", [(699, 9), (9, 31), (16, 2)])
def test_the_universal_threshold_is_the_rule_written_with_pywavelets(basis, shape, rng):
    A = rng.normal(size=shape)
    found = wavelet(A, basis=basis, share=0.3, threshold="universal")
    expected = plainly(A, basis, 0.3, most_levels(*shape), "universal")
    np.testing.assert_allclose(found, expected, atol=1e-10)
    assert not np.allclose(found, wavelet(A, basis=basis, share=0.3))


def test_the_universal_threshold_grows_with_scale_and_knows_no_outlier(rng):
    A = rng.normal(size=(300, 9))
    bent = A.copy()
    bent[0, 0] = 1e6
    assert universal(3 * A) == pytest.approx(3 * universal(A))
    assert universal(A.T) == pytest.approx(universal(A))
    assert universal(bent) == pytest.approx(universal(A), rel=0.02)
    whole = wavelet(bent, share=1)  # by the largest detail an outlier wipes out all the others
    assert np.std(whole[100:]) < 0.2 < np.std(wavelet(bent, threshold="universal")[100:])


@pytest.mark.parametrize("shape", [(64, 1), (1, 64)])
def test_a_single_column_has_a_universal_threshold_too(shape, rng):
    """Its details along rows alone; those across it are zero and say nothing."""
    A = rng.normal(size=shape)
    details = np.abs(np.diff(A.reshape(-1, 2), axis=1))  # √2 twice: along rows, and across
    assert universal(A) == pytest.approx(np.sqrt(2 * np.log(64)) * np.median(details) / 0.6745)
    assert not np.allclose(wavelet(A, threshold="universal"), A)


def test_a_table_of_few_details_comes_out_as_it_went_in_by_the_universal_threshold(rng):
    """A counterexample to any promise: most records alike, and one that is not."""
    A = np.zeros((64, 4))
    A[7] = rng.normal(size=4)
    assert universal(A) == 0
    np.testing.assert_allclose(wavelet(A, share=1, threshold="universal"), A, atol=1e-12)


@pytest.mark.parametrize("threshold", ["Universal", "0.5", "", None])
def test_unknown_thresholds_are_refused(threshold, rng):
    with pytest.raises(ParameterError, match="threshold must be largest or universal"):
        wavelet(rng.normal(size=(4, 4)), threshold=threshold)


@settings(max_examples=40)
@given(rows=st.integers(1, 60), columns=st.integers(1, 60), share=st.floats(0, 1))
def test_any_shape_is_kept_and_turning_the_table_turns_the_result(rows, columns, share):
    A = np.random.default_rng(rows).normal(size=(rows, columns))
    found = wavelet(A, share=share)
    assert found.shape == A.shape
    np.testing.assert_allclose(wavelet(A.T, share=share), found.T, atol=1e-10)


def test_a_larger_share_takes_more_away(rng):
    A = rng.normal(size=(64, 8))
    away = [np.linalg.norm(wavelet(A, share=share) - A) for share in (0, 0.1, 0.3, 0.6, 1)]
    assert away[0] < 1e-12
    assert all(np.diff(away) > 0.1)


def test_without_any_details_only_block_averages_stay(rng):
    A = rng.normal(size=(8, 4))
    means = A.reshape(2, 4, 1, 4).mean(axis=(1, 3), keepdims=True)
    blocks = np.broadcast_to(means, (2, 4, 1, 4)).reshape(8, 4)
    np.testing.assert_allclose(wavelet(A, share=1), blocks, atol=1e-12)


def test_levels_are_those_of_the_smaller_side():
    assert [most_levels(699, m) for m in (1, 2, 3, 8, 9, 30)] == [1, 1, 2, 3, 4, 5]
    assert most_levels(3, 500) == 2


def test_a_table_without_details_comes_out_as_it_went_in(rng):
    """A counterexample to any promise: pairs of equal rows and columns, one level."""
    A = np.kron(rng.normal(size=(5, 3)), np.ones((2, 2)))
    np.testing.assert_allclose(wavelet(A, share=1, levels=1), A, atol=1e-12)


def test_whoever_knows_the_other_entries_of_a_block_knows_the_last(rng):
    A = rng.normal(size=(64, 8))
    shown = wavelet(A, share=0.9, levels=1)
    others = A[0, 1] + A[1, 0] + A[1, 1]
    assert shown[:2, :2].sum() - others == pytest.approx(A[0, 0], abs=1e-12)


@pytest.mark.parametrize("levels", [0, -1, 65, 1.5, True, "2"])
def test_impossible_levels_are_refused(levels, rng):
    with pytest.raises(ParameterError, match="levels must be a whole number from 1 to 64"):
        wavelet(rng.normal(size=(4, 4)), levels=levels)


@pytest.mark.parametrize("share", [-0.1, 1.5, np.nan])
def test_impossible_shares_are_refused(share, rng):
    with pytest.raises(ParameterError, match="share must be from 0 to 1"):
        wavelet(rng.normal(size=(4, 4)), share=share)


def test_more_levels_than_the_table_has_do_no_harm(rng):
    A = rng.normal(size=(5, 3))
    np.testing.assert_allclose(wavelet(A, share=0, levels=64), A, atol=1e-10)
