"""Joint counts: those of a plain loop, whatever the groups, batches, path and bins."""

import pickle
from itertools import product
from math import prod

import numpy as np
import pytest

from sfumato.measure import joint, joint_step
from sfumato.measure.joint import JointCounts
from sfumato.measure.joint_table import JointTables
from sfumato.numeric.compiled import HAVE_NUMBA
from sfumato.schema import Schema
from sfumato.schema.domain import MISSING, Domain
from sfumato.synopsis.bins import Fine, Merged, Partition
from sfumato.table.statistic import folded

DOMAIN = Domain.of(
    Schema.of(
        {
            "name": "t",
            "columns": {
                "x": {"kind": "integer", "low": 0, "high": 3, "missing": "allowed"},
                "w": {"kind": "category", "values": ["a", "b", "c"]},
                "y": {"kind": "boolean", "role": "label"},
                "v": {"kind": "boolean"},
                "z": {"kind": "integer", "low": 0, "high": 6},
                "u": {"kind": "category", "values": ["a"]},
            },
        }
    )
)
LABEL = 2
RECORDS = list(product((0, 1, 2, 3, MISSING), range(3), range(2), range(2), range(7), [0]))
FINE = tuple(Fine.of(i, axis) for i, axis in enumerate(DOMAIN.axes) if i != LABEL)
COARSE = ((0, 0, 1, 1, 2), (0, 1, 1), (0, 1), (1, 1, 0, 0, 2, 2, 1), (0,))


def partition(groups=None, label=LABEL, columns=5):
    groups = groups or [np.arange(fine.bins) for fine in FINE]
    pairs = list(zip(FINE, groups, strict=True))[:columns]
    merged = tuple(Merged(fine, np.array(group)) for fine, group in pairs)
    return Partition(merged, label, 1 if label is None else 2)


def drawn(rng, count=400):
    return np.array(RECORDS, np.int32)[rng.integers(0, len(RECORDS), count)]


def counted(codes, part, batches=1, **how):
    counts = JointCounts(part, **how)
    return JointTables(counts, folded(counts, np.array_split(codes, batches)))


def oracle(codes, part):
    """Pair counts one record at a time, in Python's own integers."""
    found = np.zeros((part.classes, part.cells, part.cells), np.int64)
    for record in codes.tolist():
        cells = []
        for k, column in enumerate(part.columns):
            code, fine = record[column.fine.axis], column.fine
            (place,) = (b for b in range(fine.bins) if fine.start[b] <= code < fine.stop[b])
            cells.append(int(part.offset[k] + column.group[place]))
        kind = 0 if part.label is None else record[part.label]
        for one, other in product(cells, cells):
            found[kind, one, other] += 1
    return found


@pytest.mark.parametrize("label", [LABEL, None])
@pytest.mark.parametrize("columns", [1, 2, 5])
@pytest.mark.parametrize("largest", [1, 6, 12, 1000])
def test_counts_are_those_of_a_plain_loop(label, columns, largest, rng, monkeypatch):
    monkeypatch.setattr(joint, "_LARGEST", (largest,))
    codes = drawn(rng)
    fine, coarse = (partition(groups, label, columns) for groups in (None, COARSE))
    expected = oracle(codes, coarse)
    for found in (counted(codes, fine), counted(codes, coarse)):
        assert found.rows == len(codes)
        assert np.array_equal(found.by_pair(coarse), expected)
        assert np.array_equal(found.by_class(coarse), np.diagonal(expected, axis1=1, axis2=2))
    alone = counted(codes, fine, pairs=False)
    assert np.array_equal(alone.by_class(coarse), np.diagonal(expected, axis1=1, axis2=2))
    for found in (alone, counted(codes, fine)):
        for column, table in zip(fine.columns, found.columns, strict=True):
            place = column.place[codes[:, column.fine.axis]]
            assert np.array_equal(table, np.bincount(place, minlength=column.bins))


@pytest.mark.parametrize("way", ["_in_numpy", "_one_by_one"])
@pytest.mark.parametrize("few", [0, 8, 10**9])
def test_order_batches_and_paths_change_nothing(way, few, rng, monkeypatch):
    """The loops that numba compiles run here as they stand; compiled, in the next test."""
    kernel = getattr(joint_step, way)
    kernel = getattr(kernel, "py_func", kernel)
    for name in ("_in_numpy", "_one_by_one"):
        monkeypatch.setattr(joint_step, name, kernel)
    codes, part = drawn(rng, 200), partition()
    whole = counted(codes, part).total
    monkeypatch.setattr(joint_step, "_FEW", few)
    for batches in (1, 7, 200, 300):
        assert np.array_equal(counted(rng.permutation(codes), part, batches).total, whole)


@pytest.mark.skipif(not HAVE_NUMBA, reason="numba is not installed")
def test_numba_counts_what_numpy_counts(rng, monkeypatch):
    codes, part = drawn(rng), partition()
    found = []
    for chosen in (True, False):
        monkeypatch.setattr(joint_step, "_worthwhile", lambda _, chosen=chosen: chosen)
        found.append(counted(codes, part, batches=3).total)
    assert np.array_equal(*found)


def test_a_statistic_that_is_sent_away_counts_the_same(rng):
    codes, counts = drawn(rng), JointCounts(partition())
    whole = folded(counts, [codes])
    sent = pickle.loads(pickle.dumps(counts))
    parts = [folded(sent, [part]) for part in np.array_split(codes, 5)]
    total = sent.merge(parts[4], sent.merge(sent.merge(parts[0], parts[3]), parts[1]))
    assert np.array_equal(sent.merge(total, parts[2]), whole)


def test_counts_pass_the_32_bits_of_a_batch(rng):
    counts, codes = JointCounts(partition()), drawn(rng, 50)
    total = counts.add(np.full(counts.shape, 2**32 - 1), codes)
    assert np.array_equal(total, folded(counts, [codes]) + (2**32 - 1))


def test_many_small_columns_are_counted_in_few_groups_and_memory_is_bounded(monkeypatch):
    bins = [2] * 40 + [100]
    steps = {g: joint._steps(g, bins, 1) for g in (joint._packed(bins, m) for m in (1, 64, 512))}
    assert min(steps, key=steps.get) != joint._packed(bins, 1)
    assert all(prod(bins[c] for c in group) <= 512 for group in joint._packed(bins, 512)[:-1])
    monkeypatch.setattr(joint, "_MOST_CELLS", 1)  # then twice what the columns have
    assert joint._steps(joint._packed(bins, 64), bins, 1) == np.inf
    assert joint._steps(joint._packed(bins, 1), bins, 1) < np.inf


def test_an_empty_table_has_tables_of_nothing():
    part = partition()
    found = counted(np.empty((0, 6), np.int32), part)
    assert (found.rows, int(found.by_pair(part).sum())) == (0, 0)
