"""Fine bins: one per code where these are few enough for the noise; every code is in one."""

import numpy as np
import pytest

from sfumato.schema import Schema
from sfumato.schema.domain import MISSING, Domain
from sfumato.synopsis.bins import Fine

CODES = (2, 100, 101, 169, 256, 257, 512, 513, 30_000)


def axis_of(codes, missing=False):
    """A number with so many codes."""
    facts = {"kind": "integer", "low": 1, "high": codes}
    if missing:
        facts["missing"] = "allowed"
    return Domain.of(Schema.of({"name": "t", "columns": {"x": facts}})).axes[0]


def column(codes, missing=False, **asked):
    return Fine.of(0, axis_of(codes, missing), **asked)


def first(codes, most=10**9, missing=False):
    """As releases have them that do not state their bins."""
    return Fine.first(0, axis_of(codes, missing), most)


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("codes", CODES)
def test_every_code_lies_in_one_bin_and_both_ends_are_alone(codes, missing):
    for fine in (
        column(codes, missing),
        column(codes, missing, single=0, most=96),
        first(codes, missing=missing),
        first(codes, 0, missing),
    ):
        ordered = fine.ordered
        assert fine.bins == ordered + missing
        assert fine.start[0] == 0
        assert fine.stop[ordered - 1] == codes
        assert (fine.start[1:ordered] == fine.stop[: ordered - 1]).all()
        assert (fine.stop - fine.start)[[0, ordered - 1]].tolist() == [1, 1]
        assert len(fine.place) == codes + missing
        assert np.array_equal(fine.edges, np.append(fine.start[:ordered], codes))
        assert fine.width.shape == (ordered,)
        assert (fine.width > 0).all()
        if missing:
            assert fine.place[-1] == ordered  # of code -1
            assert (fine.start[-1], fine.stop[-1]) == (MISSING, MISSING + 1)


@pytest.mark.parametrize("codes", [2, 100, 101, 169, 256, 257, 512])
def test_up_to_512_codes_have_a_bin_each(codes):
    for fine in (column(codes), first(codes)):
        np.testing.assert_array_equal(fine.place, np.arange(codes))
        assert fine.single


def test_noise_decides_between_single_codes_and_fewer_bins():
    assert column(169, single=169).bins == 169
    fewer = column(169, single=168, most=96)
    assert 48 < fewer.bins < 169
    assert not fewer.single
    assert column(513, single=10**9).bins == 513  # whoever asks says how many are worth it


def test_categories_have_a_bin_for_each_value_and_no_order():
    facts = {"kind": "category", "values": list("abc"), "missing": "allowed"}
    (axis,) = Domain.of(Schema.of({"name": "t", "columns": {"x": facts}})).axes
    for fine in (Fine.of(4, axis, 0, 96), Fine.first(4, axis, 0)):
        assert (fine.axis, fine.ordered, fine.single, fine.width) == (4, 0, True, None)
        assert fine.place.tolist() == [0, 1, 2, 3]


def test_dates_have_no_logarithm():
    facts = {"kind": "date", "low": "1900-01-01", "high": "2030-01-01"}
    (axis,) = Domain.of(Schema.of({"name": "t", "columns": {"x": facts}})).axes
    assert Fine.of(0, axis, 96, 96).width is None


@pytest.mark.parametrize("missing", [False, True])
def test_codes_that_are_split_off_have_bins_of_their_own(missing):
    axis = axis_of(30_000, missing)
    fine = Fine.of(3, axis, 512, 128)
    wide = int(np.argmax(fine.stop - fine.start))
    inside = int(fine.start[wide]) + 2
    codes = [inside, inside, int(fine.start[wide]), 0]
    found = fine.split(codes, axis)
    assert (found.axis, found.bins) == (3, fine.bins + 3)  # a start, what is between, a code
    for code in codes:
        assert (found.place == found.place[code]).sum() == 1
    assert set(fine.edges) < set(found.edges)
    assert found.place[-1] == found.bins - 1
    assert fine.split([], axis).edges.tolist() == fine.edges.tolist()


def test_the_first_releases_have_single_codes_or_a_hundred_even_bins():
    assert first(513).bins == 100
    assert [first(codes, 0).bins for codes in (2, 100, 101, 512, 513)] == [2, 100, 100, 100, 100]
    assert first(101, 0, missing=True).bins == 101
    assert [first(169, most).bins for most in (0, 168, 169, 10**9)] == [100, 100, 169, 169]
    assert [first(80, most).bins for most in (0, 10**9)] == [80, 80]


def test_the_hundred_bins_of_the_first_releases_are_even():
    inner = np.diff(first(30_000).edges)[1:-1]
    assert len(inner) == 98
    assert inner.max() - inner.min() <= 1
    assert np.diff(column(30_000, single=0, most=100).edges)[1:-1].max() > 2 * inner.max()
