"""wavelet-multi: every part by itself, and how its secret is read off the result."""

import numpy as np
import pytest

from sfumato.errors import ParameterError
from sfumato.perturb.pyramid import Pyramid
from sfumato.perturb.wavelet import wavelet
from sfumato.perturb.wavelet_multi import wavelet_multi

PARTS = [("haar", 0.5), ("db4", 0.3), ("sym5", 0.8)]


@pytest.mark.parametrize(("cut", "axis"), [("horizontal", 0), ("vertical", 1)])
def test_each_part_is_its_own_table(cut, axis, rng):
    A = rng.normal(size=(50, 7))
    found = np.array_split(wavelet_multi(A, cut=cut, parts=PARTS), 3, axis=axis)
    pieces = np.array_split(A, 3, axis=axis)
    for part, piece, (basis, share) in zip(found, pieces, PARTS, strict=True):
        assert np.array_equal(part, wavelet(piece, basis=basis, share=share))


def test_the_universal_threshold_is_that_of_each_part(rng):
    A = rng.normal(size=(50, 6)) * [1, 1, 1, 100, 100, 100]
    first, second = np.array_split(wavelet_multi(A, threshold="universal"), 2, axis=1)
    assert np.array_equal(first, wavelet(A[:, :3], threshold="universal"))
    assert np.array_equal(second, wavelet(A[:, 3:], basis="db4", threshold="universal"))


def test_one_part_is_the_plain_wavelet(rng):
    A = rng.normal(size=(20, 5))
    assert np.array_equal(
        wavelet_multi(A, parts=[("db2", 0.4)]), wavelet(A, basis="db2", share=0.4)
    )


def vanished(A, basis):
    """Share of the finest details that are zero but for rounding."""
    C = Pyramid(A, basis, 1).coefficients[0]
    return np.mean(np.abs(C[len(C) // 2 :]) < 1e-9)


def test_the_wavelet_of_a_part_can_be_read_off_the_result(rng):
    """Suppressed details are zero in the right basis and in no other."""
    shown = wavelet_multi(rng.normal(size=(256, 16)), parts=[("haar", 0.5), ("db4", 0.5)])
    candidates = ("haar", "db2", "db3", "db4", "sym5")
    for half, used in ((shown[:, :8], "haar"), (shown[:, 8:], "db4")):
        found = {basis: vanished(half, basis) for basis in candidates}
        assert max(found, key=found.get) == used
        assert found[used] > 0.5
        assert max(share for basis, share in found.items() if basis != used) < 0.1


@pytest.mark.parametrize(
    ("cut", "parts", "said"),
    [
        ("vertical", [("haar", 0.5)] * 4, r"from 1 to 3 \(columns"),
        ("horizontal", [("haar", 0.5)] * 6, r"from 1 to 5 \(rows"),
        ("vertical", [], "parts must be from 1 to 3"),
        ("across", [("haar", 0.5)], "cut must be vertical or horizontal"),
        ("vertical", [("harr", 0.5)], "no discrete wavelet"),
        ("vertical", [("haar", 2)], "share must be from 0 to 1"),
    ],
)
def test_a_partition_that_does_not_fit_is_refused(cut, parts, said, rng):
    with pytest.raises(ParameterError, match=said):
        wavelet_multi(rng.normal(size=(5, 3)), cut=cut, parts=parts)
