"""An even order of classes, any stretch of it by itself and in little memory."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.render.labelled import interleaved


def in_one_go(sizes):
    """All records put in order, as the order is defined."""
    labels = np.repeat(np.arange(len(sizes)), sizes)
    places = np.concatenate([(np.arange(size) + 0.5) / max(size, 1) for size in sizes])
    return labels[np.argsort(places, kind="stable")]


@given(st.lists(st.integers(0, 60), min_size=1, max_size=12), st.integers(1, 40))
def test_stretches_side_by_side_are_the_whole_order(sizes, length):
    sizes = np.array(sizes)
    rows = int(sizes.sum())
    starts = range(0, rows, length)
    found = [interleaved(sizes, start, min(start + length, rows)) for start in starts]
    assert [int(label) for part in found for label in part] == in_one_go(sizes).tolist()
    assert interleaved(sizes).tolist() == in_one_go(sizes).tolist()


def test_classes_are_well_mixed():
    order = interleaved(np.array([3, 9]))
    assert np.bincount(order).tolist() == [3, 9]
    assert all(1 <= (order[start : start + 8] == 0).sum() <= 3 for start in range(5))


MANY = np.array([6 * 10**9 + 7, 1, 3 * 10**9 + 1, 0, 10**9 - 12])


@pytest.mark.parametrize("start", [0, 5_000_000_000 - 500, int(MANY.sum()) - 3_000])
def test_a_stretch_of_ten_thousand_million_takes_little_memory(start):
    tracemalloc.start()
    whole = interleaved(MANY, start, start + 3_000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10**6
    cut = [interleaved(MANY, start + a, start + b) for a, b in ((0, 1_000), (1_000, 3_000))]
    assert np.concatenate(cut).tolist() == whole.tolist()
    expected = 3_000 * MANY / MANY.sum()
    assert (np.abs(np.bincount(whole, minlength=5) - expected) <= 2).all()


def test_classes_whose_places_no_number_can_tell_apart_lose_no_record():
    """Sizes next to each other: their places differ by less than a float shows."""
    sizes = np.array([2**31 - 1, 2**31, 2**31 + 1])
    for middle in (10**3, 2**30, 2**32, int(sizes.sum()) - 10**3):
        around = interleaved(sizes, middle - 300, middle + 300).tolist()
        for cut in range(-4, 5):
            left = interleaved(sizes, middle - 300, middle + cut).tolist()
            assert left + interleaved(sizes, middle + cut, middle + 300).tolist() == around
