"""What all perturbations share: shape kept, input untouched, refusals by shape and kind."""

import numpy as np
import pytest

from sfumato.errors import DataError, ParameterError
from sfumato.perturb.additive import additive
from sfumato.perturb.matrix import between, deviations
from sfumato.perturb.normalise import normalise
from sfumato.perturb.pca_laplace import pca_laplace
from sfumato.perturb.rotation import rotation
from sfumato.perturb.svd import svd
from sfumato.perturb.wavelet import wavelet
from sfumato.perturb.wavelet_multi import wavelet_multi

SAME_SHAPE = {
    "additive": lambda A, rng: additive(A, rng, 0.1),
    "rotation": lambda A, rng: rotation(A, rng, deviation=0.1),
    "svd": lambda A, rng: svd(A, 1, sparsify=0.1),
    "wavelet": lambda A, rng: wavelet(A),
    "wavelet-multi": lambda A, rng: wavelet_multi(A, parts=[("db2", 0.3)]),
    "normalise": lambda A, rng: normalise(np.ones(np.shape(A)), A),
}
everyone = pytest.mark.parametrize("change", SAME_SHAPE.values(), ids=SAME_SHAPE)


@everyone
@pytest.mark.parametrize("shape", [(1, 1), (1, 5), (5, 1), (7, 3), (3, 7), (64, 8)])
def test_the_shape_is_kept_and_the_input_is_left_as_it_was(change, shape, rng):
    A = rng.normal(size=shape)
    before = A.copy()
    assert change(A, rng).shape == shape
    assert np.array_equal(A, before)


@everyone
def test_the_storage_order_makes_no_difference(change, rng):
    A = rng.normal(size=(20, 6))
    by_rows, by_columns = (
        change(np.array(A, order=order), np.random.default_rng(1)) for order in "CF"
    )
    np.testing.assert_allclose(by_columns, by_rows, atol=1e-12)


@everyone
@pytest.mark.parametrize(
    ("A", "said"),
    [
        ([1.0, 2.0], "rows and columns"),
        (np.empty((0, 3)), "rows and columns"),
        (np.empty((3, 0)), "rows and columns"),
        ([["a", "b"]], "numbers only"),
        ([[1.0, np.nan]], "finite"),
        ([[1.0, np.inf]], "finite"),
        ([[1.0, -np.inf]], "finite"),
    ],
)
def test_what_is_no_finite_matrix_is_refused(change, A, said, rng):
    with pytest.raises(DataError, match=said):
        change(A, rng)


@pytest.mark.parametrize("deviation", [-0.1, np.nan, np.inf, [0.1, 0.2], [[0.1]]])
def test_impossible_deviations_are_refused(deviation):
    with pytest.raises(ParameterError, match="deviation"):
        deviations(deviation, 3)


@pytest.mark.parametrize("value", [-0.1, 1.1, np.nan])
def test_a_share_outside_its_interval_is_refused_by_name(value):
    with pytest.raises(ParameterError, match="share must be from 0 to 1"):
        between("share", value, 0, 1)


def test_chance_comes_from_the_generator_alone():
    A = np.arange(12.0).reshape(4, 3)
    noise = {"basis": np.eye(3), "centre": np.zeros(3), "ranges": np.ones(3), "b": 1.0}
    for change in (
        SAME_SHAPE["additive"],
        SAME_SHAPE["rotation"],
        lambda A, rng: pca_laplace(A, rng, **noise),
    ):
        first, again, other = (change(A, np.random.default_rng(seed)) for seed in (1, 1, 2))
        assert np.array_equal(first, again)
        assert not np.array_equal(first, other)
