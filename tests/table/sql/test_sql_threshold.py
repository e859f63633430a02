"""Thresholds: counting those that a value has reached gives its code, for every type and value."""

import numpy as np
import pyarrow as pa
import pytest

from sfumato.schema.domain import Grid
from sfumato.table.complaint import Complaint
from sfumato.table.sql.threshold import Thresholds, order_of, read_alone
from table.sources_world import domain_of

NUMBERS = {
    "narrow": {"kind": "number", "low": -1, "high": 3},
    "money": {"kind": "number", "low": 0, "high": 100_000, "step": "0.01", "missing": "allowed"},
    "small": {"kind": "number", "low": 1e-7, "high": 2e-7},
    "age": {"kind": "integer", "low": -7, "high": 110},
    "large": {"kind": "integer", "low": -(10**15), "high": 10**15},
}
DATES = {
    "day": {"kind": "date", "low": "1900-01-01", "high": "2030-12-31"},
    "month": {"kind": "date", "low": "2020-01-01", "high": "2021-01-01", "step": "month"},
    "second": {"kind": "date", "low": "1969-12-31", "high": "1970-01-02", "step": "second"},
}
STORED = {
    "numbers": [
        *(pa.int16(), pa.int32(), pa.int64(), pa.float32(), pa.float64()),
        *(pa.decimal128(4, 0), pa.decimal128(8, 2), pa.decimal128(18, 6), pa.decimal128(18, 18)),
    ],
    "dates": [pa.date32(), pa.timestamp("us"), pa.timestamp("us", "UTC")],
}
CASES = [
    *((name, facts, stored) for name, facts in NUMBERS.items() for stored in STORED["numbers"]),
    *((name, facts, stored) for name, facts in DATES.items() for stored in STORED["dates"]),
]


@pytest.mark.parametrize(("name", "facts", "stored"), CASES)
def test_the_thresholds_that_a_value_has_reached_are_its_code(name, facts, stored, rng):
    domain = domain_of({name: facts})
    (axis,) = domain.axes
    assert isinstance(axis, Grid)
    order = order_of(stored)
    cuts = Thresholds.of(domain, axis, order)
    ends = np.array([order.least, order.greatest, cuts.fits, cuts.above or 0])
    some = rng.choice(cuts.codes, 300) if len(cuts.codes) else ends
    keys = np.concatenate([ends, some, some - 1, some + 1, rng.integers(-1000, 1000, 200)])
    keys = np.clip(keys, order.least, order.greatest)
    codes, said = read_alone(domain, axis, order.values(keys))
    np.testing.assert_array_equal(np.searchsorted(cuts.codes, keys, "right"), codes)
    above = keys >= cuts.above if cuts.above is not None else np.zeros(len(keys), bool)
    below = np.where(keys < cuts.fits, Complaint.BELOW, Complaint.FITS)
    np.testing.assert_array_equal(np.where(above, Complaint.ABOVE, below), said)


def test_types_without_an_order_of_ours_are_not_searched():
    for stored in (pa.string(), pa.bool_(), pa.decimal128(19, 2), pa.time64("us"), pa.binary()):
        assert order_of(stored) is None
