"""The rows of a person that are kept, when hashes agree by chance and rows come without end."""

import numpy as np
import pyarrow as pa
import pytest

from people_world import DOMAIN, KEY, LAYOUT
from sfumato.table.people.grouping import Room
from sfumato.table.people.keep import Keeper, _Ids
from sfumato.table.people.panel import Persons
from sfumato.table.people.people import People
from sfumato.table.people.store import Store


@pytest.mark.parametrize("low", [0, 2**20])
def test_persons_are_told_apart_by_all_bits_of_their_hashes(low):
    rng = np.random.default_rng(2)
    hi = 2**60 + rng.integers(0, 3, 500).astype(np.uint64) * np.uint64(max(low, 1))
    lo, priority = (rng.integers(0, most, 500).astype(np.uint64) for most in (3, 2**63))
    order = _Ids(hi, lo).order(priority)
    np.testing.assert_array_equal(order, np.lexsort((priority, lo, hi)))
    rows = np.zeros(500, [("hi", "<u8"), ("lo", "<u8"), ("0", "i1")])
    rows["hi"], rows["lo"] = hi, lo
    kept = Keeper(2, 1, KEY).of([rows])
    assert list(zip(kept.hi, kept.lo, strict=True)) == sorted(set(zip(hi, lo, strict=True)))
    assert np.diff(kept.start).tolist() == [2] * 9


@pytest.mark.parametrize("size", [1, 7, 100])
def test_rows_in_chunks_are_kept_as_all_at_once(size):
    rng = np.random.default_rng(4)
    rows = np.zeros(300, [("hi", "<u8"), ("lo", "<u8"), ("0", "i1")])
    rows["hi"], rows["0"] = rng.integers(0, 4, 300), rng.integers(0, 5, 300)
    keeper = Keeper(10, 1, KEY)
    whole = keeper.of([rows])
    parts = keeper.of(rows[k : k + size] for k in range(0, 300, size))
    for one, other in zip(whole, parts, strict=True):
        np.testing.assert_array_equal(one, other)


class OfOne:
    """Rows of one person, made as they are read."""

    kind, names, types = "arrow", ["patient", "sex", "year", "ward"], {}

    def __init__(self, batches):
        self.count = batches

    def batches(self, columns):
        for k in range(self.count):
            year, ward = np.arange(4096) % 3, np.where(np.arange(4096) % 7 == k % 7, "a", "b")
            given = {"patient": [7] * 4096, "sex": ["f"] * 4096, "year": year, "ward": ward}
            yield pa.RecordBatch.from_pydict({name: given[name] for name in columns})


def test_no_more_rows_of_a_person_are_held_than_there_is_room_for(monkeypatch):
    """Of 160,000 rows: what is grouped at a time, and what is in memory of all that waits."""
    grouped, held = [], []
    kept, put = Keeper._kept, Store.put

    def watched_kept(self, rows, *hashes):
        grouped.append(len(rows))
        return kept(self, rows, *hashes)

    def watched_put(self, array):
        piece = put(self, array)
        held.append(self._held)
        return piece

    monkeypatch.setattr(Keeper, "_kept", watched_kept)
    monkeypatch.setattr(Store, "put", watched_put)
    room = Room(2**12, 2**16)
    people = People(OfOne(40), DOMAIN, LAYOUT, key=KEY, room=room)
    assert people.fold(Persons()) == (1,)
    assert sum(grouped) >= 40 * 4096
    assert max(grouped) <= 2**14 + 2 * 4096  # a piece of a pile, which ends with a batch
    assert max(held) <= room.held
