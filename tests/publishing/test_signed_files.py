"""The files of a signed release: nobody but who signed says what programs read in them."""

import pickle
import shutil

import pyarrow as pa
import pytest

import sfumato as sf
from forging import read, sealed
from sfumato.signature import create_key

SCHEMA = {"name": "clinic", "columns": {"age": {"kind": "integer", "low": 0, "high": 30}}}
TABLE = pa.table({"age": [3, 14, 25] * 9})


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """A key, and two releases that are signed with it."""
    place = tmp_path_factory.mktemp("files")
    create_key(place / "publisher.key")
    for name in ("own", "twin"):
        sf.publish(
            TABLE, schema=SCHEMA, epsilon=1, folder=place / name, sign=place / "publisher.key"
        )
    return place


@pytest.fixture
def own(world, tmp_path):
    return shutil.copytree(world / "own", tmp_path / "r")


def failed(folder, **given):
    """Names and findings of what did not pass."""
    return {check.name: check.detail for check in sf.verify(folder, **given).failed}


def origin(folder):
    (check,) = [check for check in sf.verify(folder) if check.name == "origin"]
    return check


def test_files_are_signed_byte_by_byte(world, own):
    """03 is the age that 3 is, and some programs take it for a text."""
    header, *rows = (own / "data.csv").read_text().splitlines()
    (own / "data.csv").write_text("\n".join([header, *(f"0{row}" for row in rows)]) + "\n")
    assert list(failed(own)) == ["files"]
    sealed(own, read(own))
    assert "signature of its files does not fit" in failed(own)["origin"]
    paper = read(own)
    del paper["signature"]["files"]
    sealed(own, paper)
    assert origin(own).detail.startswith("its figures are signed, not its files: by key")
    assert "its files are not" in failed(own, key=world / "publisher.key.pub")["origin"]
    paper["signature"]["files"] = read(world / "twin")["signature"]["files"]
    sealed(own, paper)
    assert "signature of its files does not fit" in failed(own)["origin"]


@pytest.mark.parametrize("more", [b" ", b"PAR1"])
def test_what_some_programs_read_beside_the_values_of_a_parquet_file_is_signed(
    world, tmp_path, more
):
    """Bytes that no reader here looks at: other readers find a second copy of a column there."""
    key = world / "publisher.key"
    folder = sf.Release.load(world / "own").save(tmp_path / "p", format="parquet", sign=key)
    assert failed(folder, key=world / "publisher.key.pub") == {}
    file = folder / "data.parquet"
    whole = file.read_bytes()
    footer = int.from_bytes(whole[-8:-4], "little") + 8
    file.write_bytes(whole[:-footer] + more + whole[-footer:])
    sealed(folder, read(folder))
    assert list(failed(folder)) == ["origin"]


def test_a_release_signs_its_files_when_it_is_saved_and_not_once_it_was_pickled(world, tmp_path):
    key = world / "publisher.key"
    made = sf.publish(TABLE, schema=SCHEMA, epsilon=1, sign=key)
    assert failed(made.save(tmp_path / "own"), key=world / "publisher.key.pub") == {}
    copied = pickle.loads(pickle.dumps(made))
    assert b"PRIVATE" not in pickle.dumps(made)
    folder = copied.save(tmp_path / "copied")
    assert list(failed(folder, key=world / "publisher.key.pub")) == ["origin"]
    assert failed(folder) == {}
