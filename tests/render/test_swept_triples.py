"""Records moved to three-way tables: an interaction that no pair shows, compiled and plain."""

import numpy as np
import pytest

from sfumato.render import sweeps
from sfumato.render.sweeps import Sweeps
from sfumato.render.swept_triples import SweptTriples
from sfumato.synopsis.triples import Triples

OFFSET = np.array([0, 3, 5, 9])  # the last column is the target, in two bands of two bins
BAND = np.array([0, 0, 1, 1])
ROWS = 2_400


def exclusive():
    """The target is high where exactly one of the others is: every pair is even."""
    table = np.zeros((2, 3, 2))
    table[1, 0, 1] = table[1, 1, 0] = table[0, 0, 0] = table[0, 1, 1] = 1 / 6
    table[:, 2] = 1 / 12
    return table


def even(triples):
    bins = np.diff(OFFSET)
    by_cell = np.repeat(1 / bins, bins)
    share = np.outer(by_cell, by_cell)[None]
    never = np.zeros(share.shape[1:], bool)
    return Sweeps(OFFSET, share, np.log(by_cell)[None], never, triples)


def swept(what, rng, passes=3.0):
    bins = np.stack([rng.integers(0, size, ROWS) for size in np.diff(OFFSET)], axis=1)
    return what.moved(bins, np.zeros(ROWS, np.int64), passes, rng)


def in_bands(bins):
    found = np.zeros((2, 3, 2))
    np.add.at(found, (BAND[bins[:, 2]], bins[:, 0], bins[:, 1]), 1 / len(bins))
    return found


@pytest.fixture(params=["compiled", "plain"])
def _path(request, monkeypatch):
    if request.param == "plain":
        monkeypatch.setattr(sweeps, "HAVE_NUMBA", False)
        monkeypatch.setattr(sweeps, "_line", getattr(sweeps._line, "py_func", sweeps._line))


@pytest.mark.usefixtures("_path")
def test_records_reach_a_triple_and_keep_their_pairs(rng):
    triples = SweptTriples.of(Triples(2, BAND, {}), {(0, 1): exclusive()}, OFFSET)
    found = swept(even(triples), rng)
    assert np.abs(in_bands(found) - exclusive()).sum() / 2 < 0.03
    for i, j in ((0, 1), (0, 2), (1, 2)):
        counts = np.zeros((np.diff(OFFSET)[i], np.diff(OFFSET)[j]))
        np.add.at(counts, (found[:, i], found[:, j]), 1 / ROWS)
        assert np.abs(counts - 1 / counts.size).sum() / 2 < 0.03
    without = swept(even(SweptTriples.of(None, {}, OFFSET)), rng)
    assert np.abs(in_bands(without) - exclusive()).sum() / 2 > 0.3  # pairs alone do not


@pytest.mark.usefixtures("_path")
def test_no_count_of_a_triple_is_lost_on_the_way(rng, monkeypatch):
    """What the loop keeps up to date is what the records have in the end."""
    kept = []
    sweep = sweeps._sweep if sweeps.HAVE_NUMBA else sweeps._sweep_in_blocks
    name = "_sweep" if sweeps.HAVE_NUMBA else "_sweep_in_blocks"

    def spied(*given):
        sweep(*given)
        kept.append(given[0].beyond.copy())

    monkeypatch.setattr(sweeps, name, spied)
    two = {(0, 1): exclusive(), (0, 2): rng.dirichlet(np.ones(24)).reshape(2, 3, 4)}
    offset = np.array([0, 3, 5, 9, 13])
    bins = np.diff(offset)
    by_cell = np.repeat(1 / bins, bins)
    triples = SweptTriples.of(Triples(3, BAND, {}), two, offset)
    both = np.outer(by_cell, by_cell)
    never = np.zeros(both.shape, bool)
    what = Sweeps(offset, both[None], np.log(by_cell)[None], never, triples)
    start = np.stack([rng.integers(0, size, 500) for size in bins], axis=1)
    end = what.moved(start, np.zeros(500, np.int64), 2.0, rng)
    assert len(kept) == 2
    assert (end != start).any()
    wanted = triples.counted(end) - np.float32(500) * triples.share
    assert kept[-1] == pytest.approx(wanted, abs=1e-3)
    assert triples.counted(end).sum() == 2 * 500


def test_triples_count_as_work_and_large_releases_are_gone_over_less_often():
    triples = SweptTriples.of(Triples(2, BAND, {}), {(0, 1): exclusive()}, OFFSET)
    more, fewer = even(triples), even(SweptTriples.of(None, {}, OFFSET))
    assert triples.steps == 3 + 2 + 4
    assert more.passes(10**9) < fewer.passes(10**9) < 1
    assert more.passes(1_000) == fewer.passes(1_000)
