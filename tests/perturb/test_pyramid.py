"""The fast transform against PyWavelets itself, for wavelets of every family and any shape."""

import sys

import numpy as np
import pytest
import pywt
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.errors import MissingExtra, ParameterError
from sfumato.perturb.pyramid import Pyramid, check_wavelet

WAVELETS = ["haar", "db4", "db20", "sym5", "coif3", "bior2.2", "bior3.1", "rbio4.4", "dmey"]
MODE = "periodization"


def quarters(A, basis):
    averages, (across, down, both) = pywt.dwt2(A, basis, MODE)
    return np.block([[averages, down], [across, both]])


@pytest.mark.parametrize("basis", WAVELETS)
@pytest.mark.parametrize("shape", [(1, 1), (2, 2), (7, 3), (70, 9), (3_001, 5), (9_000, 64)])
def test_every_level_has_the_coefficients_of_pywavelets(basis, shape, rng):
    A = rng.normal(size=shape)
    pyramid = Pyramid(A, basis, 3)
    for C in pyramid.coefficients:
        np.testing.assert_allclose(C, quarters(A, basis), atol=1e-10)
        A = C[: len(C) // 2, : C.shape[1] // 2]


@settings(max_examples=60)
@given(
    basis=st.sampled_from([name for name in WAVELETS if name != "dmey"]),  # not exactly invertible
    columns=st.integers(1, 40),
    more=st.integers(0, 300),
    levels=st.integers(1, 8),
)
def test_the_way_back_gives_the_matrix_in_its_own_shape(basis, columns, more, levels):
    A = np.random.default_rng(more).normal(size=(columns + more, columns))
    # Filters are printed to twelve digits in places, and errors grow with the levels.
    np.testing.assert_allclose(Pyramid(A, basis, levels).rebuilt(), A, atol=1e-8)


def test_orthonormal_wavelets_keep_the_energy(rng):
    A = rng.normal(size=(64, 8))
    C = Pyramid(A, "db4", 1).coefficients[0]
    assert (C**2).sum() == pytest.approx((A**2).sum())


def test_suppression_touches_details_alone_and_stops_at_zero():
    pyramid = Pyramid(np.arange(16.0).reshape(4, 4) ** 2, "haar", 2)
    before = [C.copy() for C in pyramid.coefficients]
    threshold = pyramid.largest_detail() / 3
    pyramid.suppress(threshold)
    details = 0
    for C, old in zip(pyramid.coefficients, before, strict=True):
        drawn = np.sign(old) * np.maximum(np.abs(old) - threshold, 0)
        half = len(C) // 2
        assert np.array_equal(C[:half, :half], old[:half, :half])
        drawn[:half, :half] = old[:half, :half]
        np.testing.assert_allclose(C, drawn, atol=1e-12)
        details += np.count_nonzero(old != C)
    assert details > 0


@pytest.mark.parametrize("basis", ["harr", "", "morl", "db99", 4])
def test_an_unknown_wavelet_is_refused_with_some_that_exist(basis):
    with pytest.raises(ParameterError, match=r"no discrete wavelet.*haar, db2 to db38"):
        check_wavelet(basis)


def test_every_wavelet_that_a_refusal_names_exists():
    for name in ("haar", "db2", "db38", "sym2", "sym20", "coif1", "coif17", "bior1.1", "bior6.8"):
        check_wavelet(name)
    check_wavelet("rbio1.1")
    check_wavelet("rbio6.8")


def test_without_pywavelets_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "pywt", None)
    with pytest.raises(MissingExtra, match=r"sfumato\[wavelet\]"):
        check_wavelet("haar")
