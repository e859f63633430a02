"""normalise: moments kept column by column, flat columns, and what that betrays."""

import numpy as np
import pytest

from sfumato.errors import DataError
from sfumato.perturb.normalise import normalise
from sfumato.perturb.wavelet import wavelet


def test_means_and_deviations_are_those_of_the_original(rng):
    A = rng.normal(size=(100, 4)) * [1, 10, 1e-6, 1e6] + [0, 5, 1, -3e7]
    perturbed = wavelet(A, share=0.2)
    found = normalise(perturbed, A)
    assert not np.allclose(perturbed.std(axis=0, ddof=1), A.std(axis=0, ddof=1))
    np.testing.assert_allclose(found.mean(axis=0), A.mean(axis=0), rtol=1e-12)
    np.testing.assert_allclose(found.std(axis=0, ddof=1), A.std(axis=0, ddof=1), rtol=1e-9)


def test_order_within_a_column_is_kept(rng):
    P, A = rng.normal(size=(2, 50, 3))
    assert np.array_equal(normalise(P, A).argsort(axis=0), P.argsort(axis=0))


@pytest.mark.parametrize("flat", [0.0, 0.1, 1e9 / 3])
def test_a_column_without_deviation_is_set_to_its_mean(flat, rng):
    A = np.column_stack([rng.normal(size=7), np.full(7, 0.1), np.arange(7.0)])
    P = np.column_stack([rng.normal(size=7), rng.normal(size=7), np.full(7, flat)])
    found = normalise(P, A)
    np.testing.assert_allclose(found[:, 1], 0.1, rtol=1e-12)  # the original is constant
    np.testing.assert_allclose(found[:, 2], 3.0, rtol=1e-12)  # the perturbed one is
    assert np.ptp(found[:, 0]) > 0


def test_no_column_with_these_moments_is_nearer_to_the_perturbed_one(rng):
    P, A = rng.normal(size=(2, 30, 1))
    found = normalise(P, A)
    nearest = ((found - P) ** 2).sum()
    for _ in range(200):
        other = normalise(found + 0.01 * rng.normal(size=P.shape), A)
        assert ((other - P) ** 2).sum() >= nearest


def test_whoever_knows_all_records_but_one_reads_the_last_off_the_mean(rng):
    A = rng.normal(size=(40, 2))
    shown = normalise(wavelet(A, share=1), A)
    last = len(A) * shown.mean(axis=0) - A[:-1].sum(axis=0)
    np.testing.assert_allclose(last, A[-1], atol=1e-10)


def test_tables_of_different_shape_are_refused(rng):
    with pytest.raises(DataError, match="agree in shape"):
        normalise(rng.normal(size=(3, 2)), rng.normal(size=(4, 2)))
