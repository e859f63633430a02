"""What is put aside on disk: without a name, for its owner alone, and refused when it is full."""

import errno
import os
import tempfile

import numpy as np
import pytest

from people_world import people_of
from sfumato.errors import DataError
from sfumato.table.people import store as store_module
from sfumato.table.people.grouping import Room
from sfumato.table.people.panel import Persons
from sfumato.table.people.store import Store

ROWS = [(str(k), "f", k % 3, "a") for k in range(20_000)]
SMALL = Room(rows=2**10, held=2**10)


@pytest.fixture
def disk(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_the_file_has_no_name_and_is_its_owners(disk, monkeypatch):
    modes = []

    def opened(**given):
        file = made(**given)
        modes.append(os.fstat(file.fileno()).st_mode & 0o777)
        assert list(disk.iterdir()) == []
        return file

    made = tempfile.TemporaryFile
    monkeypatch.setattr(tempfile, "TemporaryFile", opened)
    assert people_of(ROWS, room=SMALL).persons == len(ROWS)
    assert set(modes) == {0o600}


def test_a_full_disk_is_refused_without_a_value_and_leaves_nothing(disk, monkeypatch):
    class Full:
        def __getattr__(self, name):
            return lambda *_: None

        def write(self, _):
            raise OSError(errno.ENOSPC, "No space left on device", "SECRET")

    monkeypatch.setattr(store_module.tempfile, "TemporaryFile", lambda **_: Full())
    with pytest.raises(DataError, match=r"No space left on device.*TMPDIR") as error:
        people_of(ROWS, room=SMALL).fold(Persons())
    assert "SECRET" not in str(error.value)
    assert list(disk.iterdir()) == []


def test_arrays_come_back_as_they_were_put():
    rng = np.random.default_rng(1)
    arrays = [rng.integers(0, 100, n).astype(t) for n in (0, 1, 300) for t in ("i1", "i4", "u8")]
    for held in (0, 1000, 10**6):
        with Store(held) as store:
            pieces = [store.put(array) for array in arrays]
            for array, piece in zip(arrays, pieces, strict=True):
                np.testing.assert_array_equal(store.get(piece), array)
                assert store.get(piece).dtype == array.dtype


def test_a_file_that_ends_too_early_is_refused():
    with Store(0) as store:
        piece = store.put(np.arange(10))
        store._file.truncate(8)
        with pytest.raises(DataError, match="ends too early"):
            store.get(piece)
