"""Fine bins: one per code up to 512, else a hundred; every code is in one of them."""

import numpy as np
import pytest

from sfumato.schema import Schema
from sfumato.schema.domain import Domain
from sfumato.synopsis.bins import Fine


def column(codes, missing=False):
    """The fine bins of a number with so many codes."""
    facts = {"kind": "integer", "low": 1, "high": codes}
    if missing:
        facts["missing"] = "allowed"
    return Fine.of(0, Domain.of(Schema.of({"name": "t", "columns": {"x": facts}})).axes[0])


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("codes", [2, 100, 101, 169, 256, 257, 512, 513, 30_000])
def test_every_code_lies_in_one_bin_and_both_ends_are_alone(codes, missing):
    every = column(codes, missing)
    for fine in (every, every.few):
        first = fine.ordered
        assert fine.bins == first + missing
        assert fine.start[0] == 0
        assert fine.stop[first - 1] == codes
        assert (fine.start[1:first] == fine.stop[: first - 1]).all()
        assert (fine.stop - fine.start)[[0, first - 1]].tolist() == [1, 1]
        assert len(fine.place) == codes + missing
        if missing:
            assert fine.place[-1] == first  # of code -1


@pytest.mark.parametrize("codes", [2, 100, 101, 169, 256, 257, 512])
def test_up_to_512_codes_have_a_bin_each(codes):
    np.testing.assert_array_equal(column(codes).place, np.arange(codes))


def test_more_codes_share_a_hundred_bins_and_few_bins_are_a_hundred_at_most():
    assert column(513).bins == 100
    assert [column(codes).few.bins for codes in (2, 100, 101, 512, 513)] == [2, 100, 100, 100, 100]
    assert column(101, missing=True).few.bins == 101


def test_noise_decides_between_single_codes_and_few_bins():
    assert [column(169).single(most).bins for most in (0, 168, 169, 10**9)] == [100, 100, 169, 169]
    assert [column(80).single(most).bins for most in (0, 10**9)] == [80, 80]


@pytest.mark.parametrize("missing", [False, True])
def test_a_release_is_read_in_the_bins_it_has_if_these_are_its_own_or_few(missing):
    fine = column(169, missing)
    assert fine.as_many_as(169 + missing) is fine
    assert fine.as_many_as(100 + missing) is fine.few
    for bins in (0, 99, 100 + (not missing), 256):
        assert fine.as_many_as(bins) is fine  # whose number the release then has not
