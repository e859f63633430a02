"""Rows are moved to the tables they should have, compiled or in blocks."""

import numpy as np
import pytest

from sfumato.render.panel import sweeps
from sfumato.render.panel.sweeps import FREE, RISING, STRICT, PanelSweeps

PERSONS, BINS = 1_500, 4


def drawn(rng):
    """Two columns of rows without any order, and one that rises."""
    counts = rng.integers(1, 6, PERSONS)
    start = np.append(0, np.cumsum(counts))
    owner = np.repeat(np.arange(PERSONS), counts)
    free = rng.integers(0, BINS, (len(owner), 2))
    rising = rng.integers(0, BINS, len(owner))
    rising = rising[np.lexsort((rising, owner))]
    times = np.arange(len(owner)) - start[owner]
    return np.column_stack([free, rising, times]).astype(np.int64), start, owner


def wanted(gone=-1):
    even = np.full(BINS, 1 / BINS)
    sticky = 0.8 * np.diag(even) + 0.2 * np.outer(even, even)
    offset = np.array([0, BINS, 2 * BINS, 3 * BINS, 3 * BINS + 5])
    cells = offset[-1]
    pairs = np.zeros((cells, cells))
    for i in range(3):
        for j in range(3):
            if i != j:
                block = np.outer(even, even) if {i, j} != {0, 1} else sticky
                pairs[i * BINS : (i + 1) * BINS, j * BINS : (j + 1) * BINS] = block
    following = np.zeros((4, 5, 5))
    following[0, :BINS, :BINS] = sticky
    return PanelSweeps(
        offset,
        np.arange(4),
        np.log(np.concatenate([np.tile(even, 3), np.full(5, 0.2)])),
        pairs,
        following,
        np.zeros((4, 5, 5)),
        np.array([FREE, FREE, RISING, STRICT]),
        np.full(4, gone),
        np.full(4, -1),
        4_500.0,
    )


@pytest.mark.parametrize("numba", [True, False])
def test_rows_come_to_have_their_tables_and_what_must_not_fall_does_not(numba, monkeypatch):
    if numba and not sweeps.HAVE_NUMBA:
        pytest.skip("numba is not installed")
    monkeypatch.setattr(sweeps, "HAVE_NUMBA", numba)
    rng = np.random.default_rng(0)
    bins, start, owner = drawn(rng)
    before = bins.copy()
    moved = wanted().moved(bins, start, np.arange(len(bins)), rng)
    later = np.flatnonzero(np.diff(owner) == 0) + 1

    counts = np.diff(start)[owner]
    steps = 1 / np.maximum(counts - 1, 1)[later]  # a person weighs the same, however many rows

    def staying(found):
        return np.average(found[later, 0] == found[later - 1, 0], weights=steps)

    assert staying(before) < 0.35
    assert staying(moved) == pytest.approx(0.85, abs=0.04)
    together = np.average(moved[:, 0] == moved[:, 1], weights=1 / counts)
    assert together == pytest.approx(0.85, abs=0.04)
    assert (moved[later, 2] >= moved[later - 1, 2]).all()
    assert (moved[later, 3] > moved[later - 1, 3]).all()


@pytest.mark.parametrize("numba", [True, False])
def test_missing_values_are_skipped_where_nothing_may_fall(numba, monkeypatch):
    if numba and not sweeps.HAVE_NUMBA:
        pytest.skip("numba is not installed")
    monkeypatch.setattr(sweeps, "HAVE_NUMBA", numba)
    rng = np.random.default_rng(3)
    bins, start, owner = drawn(rng)
    gone = BINS - 1
    bins[:, 2] = np.where(bins[:, 2] == gone, gone, bins[:, 2])
    moved = wanted(gone).moved(bins, start, np.arange(len(bins)), rng)
    there = np.flatnonzero(moved[:, 2] != gone)
    same = np.diff(owner[there]) == 0
    assert (np.diff(moved[there, 2])[same] >= 0).all()
    assert 0 < len(there) < len(moved)
