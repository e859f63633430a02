"""Heavy codes: those above a public threshold, in their order, each with a bin of its own."""

import numpy as np
import pytest

from sfumato.schema import Schema
from sfumato.schema.domain import Domain
from sfumato.synopsis.bins import Fine
from sfumato.synopsis.heavy import HeavyCodes

COLUMN = {"kind": "integer", "low": 0, "high": 9_999, "missing": "allowed"}
(AXIS,) = Domain.of(Schema.of({"name": "t", "columns": {"x": COLUMN}})).axes
WITHIN = Fine.of(0, AXIS, 512, 100)


def heavy(codes, counts):
    return {"codes": codes, "counts": counts}


def read(record, classes=2):
    return HeavyCodes.from_json(record, WITHIN, AXIS, classes)


def test_a_code_is_kept_with_all_its_classes_if_it_is_above_in_one():
    noisy = np.full((2, 10_000), -3)
    noisy[:, [0, 7, 9_999]] = [[50, 20, 21], [0, 20, -5]]
    found = HeavyCodes.above(20.0, noisy, WITHIN, AXIS)
    assert found.codes.tolist() == [0, 9_999]  # the threshold itself is not above
    assert found.counts.tolist() == [[50, 21], [0, -5]]
    assert found.all_above(20.0)
    assert not found.all_above(21.0)


def test_every_code_lies_in_one_bin_and_heavy_ones_are_alone():
    found = read(heavy([0, 5_000, 5_001, 7_298], [[1] * 4] * 2))
    bins = found.bins
    assert (bins.stop - bins.start)[bins.place[found.codes]].tolist() == [1] * 4
    assert len(bins.place) == len(WITHIN.place) == 10_001
    assert bins.place[-1] == bins.bins - 1  # missing
    assert set(WITHIN.start) <= set(bins.start)


@pytest.mark.parametrize("codes", [[], [3], [0, 9_999]])
def test_what_is_written_is_read_again(codes):
    record = heavy(codes, [[40] * len(codes)] * 2)
    assert read(record).to_json() == record
    assert read(record).all_above(39.0)
    assert read(heavy([], [[], []])).bins.bins == WITHIN.bins


@pytest.mark.parametrize(
    "record",
    [
        heavy([5, 4], [[9, 9], [9, 9]]),
        heavy([4, 4], [[9, 9], [9, 9]]),
        heavy([-1], [[9], [9]]),
        heavy([10_000], [[9], [9]]),
        heavy([4], [[9]]),
        heavy([4], [[9, 9], [9, 9]]),
        heavy([4.5], [[9], [9]]),
        heavy([4], [[9.5], [9]]),
        heavy([[4]], [[9], [9]]),
        heavy([], []),
    ],
)
def test_what_are_no_codes_in_their_order_with_a_count_by_class_is_refused(record):
    with pytest.raises(ValueError, match="not "):
        read(record)
