"""wavelet: the published rule, its limits, and what it shows exactly."""

import numpy as np
import pytest
import pywt
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.errors import ParameterError
from sfumato.perturb.wavelet import most_levels, wavelet


def plainly(A, basis, share, levels):
    """The same rule written with PyWavelets alone."""
    kept = []
    averages = A
    for _ in range(levels):
        shape = averages.shape
        averages, details = pywt.dwt2(averages, basis, "periodization")
        kept.append((shape, details))
    threshold = share * max(np.abs(part).max() for _, details in kept for part in details)
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
