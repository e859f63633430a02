"""Archives: one table inside, unpacked out of sight and within a bound."""

import gc
import stat
import zipfile
from pathlib import Path

import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest

from sfumato.errors import DataError
from sfumato.table.file import archive
from sfumato.table.source import open_source
from table.sources_world import SECRET, codes, records, texts


@pytest.fixture(autouse=True)
def temporary(tmp_path, monkeypatch):
    """The folder for temporary files."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(archive, "mkdtemp", lambda prefix: _made(folder / prefix))
    return folder


def _made(folder):
    folder.mkdir(mode=0o700)
    return str(folder)


def packed(path, **files):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in files.items():
            made.writestr(name, content)
    return path


def as_csv(folder):
    plain = records()
    plain = plain.set_column(7, "at", plain["at"].cast("timestamp[us]"))
    pacsv.write_csv(plain, folder / "t.csv")
    return (folder / "t.csv").read_bytes()


def test_an_archive_gives_the_codes_of_the_table_in_it(tmp_path, temporary):
    pq.write_table(records(), tmp_path / "t.parquet")
    files = {"a/visits.csv": as_csv(tmp_path), "t.PARQUET": (tmp_path / "t.parquet").read_bytes()}
    for name, content in files.items():
        beside = {"__MACOSX/._t.csv": b"x", "a/": b"", ".DS_Store": b"x"}
        path = packed(tmp_path / "x.zip", **{name: content}, **beside)
        assert codes(path) == codes(records())
        assert open_source(path).kind in ("csv", "parquet")
        gc.collect()
        assert list(temporary.iterdir()) == []  # it goes with the source


def test_what_is_unpacked_is_for_nobody_else_and_can_be_read_again(tmp_path, temporary):
    source = open_source(packed(tmp_path / "x.ZIP", **{"t\n*.csv": as_csv(tmp_path)}))
    (folder,) = temporary.iterdir()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert [path.name for path in folder.iterdir()] == ["data.csv"]
    first, second = (list(source.batches(["age"])) for _ in range(2))
    assert first == second


def zeros(size):
    return b"age\n" + bytes(size)


REFUSED = {
    "several": ({"a.csv": SECRET, "b.csv": SECRET}, "holds 2 files: put the table alone"),
    "none": ({}, "holds 0 files"),
    "nested": ({"a.zip": SECRET}, "holds another .zip: unpack it once"),
    "another kind": ({"a.doc": SECRET}, "holds no table: the file in it must be .csv, .tsv"),
    "a bomb": ({"a.csv": zeros(2**21)}, "unpacks to more than 1 MB: unpack it and give"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_archives_are_refused_by_what_they_list(tmp_path, temporary, monkeypatch, name):
    files, words = REFUSED[name]
    monkeypatch.setattr(archive, "MOST_BYTES", 2**20)
    with pytest.raises(DataError, match=words) as error:
        open_source(packed(tmp_path / "x.zip", **files))
    assert SECRET not in "".join(texts(error.value))
    assert list(temporary.iterdir()) == []


def test_locked_and_damaged_archives_are_refused(tmp_path, temporary):
    path = packed(tmp_path / "x.zip", **{"a.csv": as_csv(tmp_path)})
    whole = path.read_bytes()
    locked = bytearray(whole)
    for mark, place in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        locked[whole.index(mark) + place] |= 1
    path.write_bytes(locked)
    with pytest.raises(DataError, match="is locked with a password"):
        open_source(path)
    damaged = whole[:60] + bytes(20) + whole[80:]
    for broken in (b"", whole[:-30], damaged, SECRET.encode()):
        path.write_bytes(broken)
        with pytest.raises(DataError, match="it is damaged or half-written") as error:
            open_source(path)
        assert SECRET not in "".join(texts(error.value))
    assert list(temporary.iterdir()) == []


def test_a_list_that_understates_a_size_unpacks_no_further(tmp_path):
    path = packed(tmp_path / "x.zip", **{"a.csv": zeros(2**20)})
    whole = path.read_bytes()
    path.write_bytes(whole.replace((2**20 + 4).to_bytes(4, "little"), (9).to_bytes(4, "little")))
    with pytest.raises(DataError, match="damaged"):
        open_source(path)


def test_a_sheet_of_a_workbook_in_an_archive_is_named_behind_it(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.append(["x"])
    book.create_sheet("b").append(["y"])
    book.save(tmp_path / "t.xlsx")
    path = packed(tmp_path / "x.zip", **{"t.xlsx": (tmp_path / "t.xlsx").read_bytes()})
    assert open_source(Path(f"{path}#b")).names == ("y",)
    plain = packed(tmp_path / "y.zip", **{"a.csv": b"age\n1\n"})
    with pytest.raises(DataError, match="has no sheets and no labels"):
        open_source(f"{plain}#b")
