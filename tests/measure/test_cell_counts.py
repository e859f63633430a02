"""Statistics that a database can count: the same totals out of counts of cells."""

import numpy as np
import pytest

from sfumato.measure.fit import FirstComplaints
from sfumato.measure.joint import JointCounts
from sfumato.schema import Schema
from sfumato.schema.domain import Domain
from sfumato.synopsis.bins import Fine, Merged, Partition
from sfumato.table.cells import Cell
from sfumato.table.statistic import folded

COLUMNS = {
    "x": {"kind": "integer", "low": 0, "high": 300, "missing": "allowed"},
    "w": {"kind": "category", "values": ["a", "b", "c"]},
    "y": {"kind": "boolean"},
    "v": {"kind": "integer", "low": 0, "high": 6},
    "z": {"kind": "number", "low": 0, "high": 1},
}
DOMAIN = Domain.of(Schema.of({"name": "t", "columns": COLUMNS}))


def by_hand(statistic, codes, complaints):
    """Tables with a row for each combination of cells that occurs, and its count."""
    for keys in statistic.tables():
        columns = []
        for key in keys:
            if isinstance(key, Cell):
                cells = np.zeros(len(codes), np.int64)
                for axis, places in key.parts:
                    cells += places[codes[:, axis]]
            else:
                first = (complaints != 0).argmax(axis=1)
                cells = key.places[first, complaints[np.arange(len(codes)), first]]
            columns.append(cells)
        found, counts = np.unique(np.column_stack(columns), axis=0, return_counts=True)
        yield np.column_stack([found, counts]).reshape(-1, len(keys) + 1)


def some_codes(rng, rows):
    ends = [(-1 if axis.missing else 0, axis.codes - axis.missing) for axis in DOMAIN.axes]
    return np.column_stack([rng.integers(*end, rows) for end in ends]).astype(np.int32)


def partition(label):
    fine = [Fine.of(k, axis) for k, axis in enumerate(DOMAIN.axes) if k != label]
    columns = tuple(Merged(one, np.arange(one.bins) // 2) for one in fine)
    return Partition(columns, label, 1 if label is None else DOMAIN.axes[label].codes)


@pytest.mark.parametrize("pairs", [True, False])
@pytest.mark.parametrize("label", [None, 2])
@pytest.mark.parametrize("rows", [500, 1, 0])
def test_counts_of_cells_give_the_tables_of_pairs(pairs, label, rows, rng):
    codes, statistic = some_codes(rng, rows), JointCounts(partition(label), pairs)
    counted = list(by_hand(statistic, codes, None))
    np.testing.assert_array_equal(statistic.gathered(counted), folded(statistic, [codes]))


@pytest.mark.parametrize("rows", [500, 1, 0])
def test_counts_of_cells_give_the_first_complaints(rows, rng):
    complaints = rng.choice(6, (rows, len(DOMAIN.axes)), p=[0.9, *[0.02] * 5]).astype(np.uint8)
    statistic = FirstComplaints(DOMAIN)
    counted = list(by_hand(statistic, some_codes(rng, rows), complaints))
    np.testing.assert_array_equal(statistic.gathered(counted), folded(statistic, [complaints]))
