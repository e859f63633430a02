"""Release folders: all at once or not at all, and never in place of anything."""

import errno
import os
import resource
import shutil
from pathlib import Path

import pyarrow as pa
import pytest

import sfumato as sf
from killing import in_child
from sfumato.errors import ReleaseError
from sfumato.release.digest import digest
from sfumato.release.folder import FolderWriter, _machine, read_json, sha256, write_whole
from sfumato.release.reading import read_certificate

TABLE = pa.table({"a": [1, 2, 3], "b": ["x", None, "z"]})
PAPER = sf.publish(
    pa.table({"a": [True, False]}),
    schema={"name": "t", "columns": {"a": {"kind": "boolean"}}},
    epsilon=1,
).certificate


def write(folder, format="csv", table=TABLE, synopsis=None):
    with FolderWriter(Path(folder), format) as writer:
        writer.write(iter(table.to_batches()), table.schema)
        writer.finish(PAPER, synopsis)
    return Path(folder)


def names(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_a_folder_holds_data_certificate_and_hashes(tmp_path, format):
    folder = write(tmp_path / "r", format, synopsis={"kind": "moments"})
    data = f"data.{format}"
    assert names(folder) == sorted([data, "release.json", "synopsis.json"])
    paper = read_json(folder / "release.json")
    assert paper["files"] == {n: sha256(folder / n) for n in (data, "synopsis.json")}
    assert paper["seal"] == PAPER.digest == digest(paper)
    assert read_certificate(folder).to_json() == paper


def test_nothing_is_visible_before_the_end(tmp_path):
    def batches():
        assert visible() == []
        yield from TABLE.to_batches()
        assert visible() == []

    def visible():
        return [name for name in names(tmp_path) if not name.startswith(".")]

    with FolderWriter(tmp_path / "r", "csv") as writer:
        assert visible() == []
        writer.write(batches(), TABLE.schema)
        assert visible() == []
        writer.finish(PAPER, None)
        assert visible() == ["r"]
    assert names(tmp_path) == ["r"]


@pytest.mark.parametrize("stage", ["start", "write", "written"])
@pytest.mark.parametrize("kind", [RuntimeError, KeyboardInterrupt, SystemExit, GeneratorExit])
def test_leaving_early_removes_everything(tmp_path, stage, kind):
    def batches():
        yield from TABLE.to_batches()
        if stage == "write":
            raise kind

    def leave():
        with FolderWriter(tmp_path / "r", "parquet") as writer:
            if stage == "start":
                raise kind
            writer.write(batches(), TABLE.schema)
            raise kind

    with pytest.raises(kind):
        leave()
    assert names(tmp_path) == []


def occupy_file(place):
    place.write_text("mine")


def occupy_folder(place):
    place.mkdir()
    (place / "notes").write_text("mine")


def occupy_empty(place):
    place.mkdir()


def occupy_link(place):
    target = place.parent / "target"
    target.mkdir()
    place.symlink_to(target)


def occupy_dangling(place):
    place.symlink_to("nowhere")


OCCUPY = [occupy_file, occupy_folder, occupy_empty, occupy_link, occupy_dangling]


@pytest.mark.parametrize("occupy", OCCUPY)
def test_what_is_in_the_way_is_refused_and_left_untouched(tmp_path, occupy):
    occupy(tmp_path / "r")
    before = snapshot(tmp_path)
    with pytest.raises(ReleaseError, match="exists: choose another folder"):
        write(tmp_path / "r")
    assert snapshot(tmp_path) == before


@pytest.mark.parametrize("occupy", [occupy_file, occupy_folder, occupy_link, occupy_dangling])
def test_what_comes_in_the_way_meanwhile_is_refused_and_left_untouched(tmp_path, occupy):
    before = None

    def late():
        nonlocal before
        with FolderWriter(tmp_path / "r", "csv") as writer:
            writer.write(iter(TABLE.to_batches()), TABLE.schema)
            occupy(tmp_path / "r")
            before = snapshot(tmp_path)
            writer.finish(PAPER, None)

    with pytest.raises(ReleaseError, match="cannot be written"):
        late()
    assert snapshot(tmp_path) == {p: c for p, c in before.items() if "partial" not in p}


def snapshot(folder):
    """Every path below with what it holds: a link's target, a file's bytes."""
    found = {}
    for path in folder.rglob("*"):
        content = path.readlink() if path.is_symlink() else None
        if content is None and path.is_file():
            content = path.read_bytes()
        found[str(path.relative_to(folder))] = content
    return found


@pytest.mark.parametrize("place", ["gone/r", "file/r", "r" * 300])
def test_a_place_that_cannot_be_written_is_refused(tmp_path, place):
    (tmp_path / "file").write_text("mine")
    with pytest.raises(ReleaseError, match="cannot be written: "):
        write(tmp_path / place)
    assert names(tmp_path) == ["file"]


def test_a_name_as_long_as_names_get_is_a_place_like_others(tmp_path):
    assert names(write(tmp_path / ("r" * 255))) == ["data.csv", "release.json"]
    assert names(write(tmp_path / ("é" * 127))) == ["data.csv", "release.json"]
    assert len(names(tmp_path)) == 2


def test_a_folder_that_takes_no_files_is_refused():
    with pytest.raises(ReleaseError, match="cannot be written"):
        write("/proc/r")


def dead_process():
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    return child


@pytest.mark.parametrize("name", ["r", "r[1]", "r*", "r?", "-r", "r partial-9"])
def test_leftovers_of_dead_writers_are_swept_and_those_of_living_ones_are_not(tmp_path, name):
    for owner in (dead_process(), os.getpid(), os.getppid(), "mine"):
        leftover = tmp_path / f".{name}.partial-0123abcd-{_machine()}-{owner}"
        leftover.mkdir()
        (leftover / "data.csv").write_text("half")
    other = tmp_path / f".other.partial-0123abcd-{_machine()}-{dead_process()}"
    other.mkdir()
    elsewhere = tmp_path / f".{name}.partial-0123abcd-ffffffff-{dead_process()}"
    elsewhere.mkdir()
    write(tmp_path / name)
    kept = {str(owner) for owner in (os.getpid(), os.getppid(), "mine")}
    assert elsewhere.is_dir()  # a folder that several machines see
    elsewhere.rmdir()
    found = {n.rpartition("-")[2] for n in names(tmp_path) if n.startswith(f".{name}.")}
    assert found == kept
    assert other.is_dir()


def test_a_leftover_that_is_a_link_does_not_lead_the_broom_astray(tmp_path):
    (tmp_path / "precious").mkdir()
    (tmp_path / "precious" / "file").write_text("mine")
    (tmp_path / f".r.partial-00-{_machine()}-{dead_process()}").symlink_to(tmp_path / "precious")
    write(tmp_path / "r")
    assert (tmp_path / "precious" / "file").read_text() == "mine"


@pytest.mark.parametrize("name", ["state", "s" * 255])
def test_a_file_is_written_whole_in_place_of_an_older_one(tmp_path, name):
    for content in ({"n": 1}, {"n": 2}):
        write_whole(tmp_path / name, content, 0o600)
        assert read_json(tmp_path / name) == content
    assert names(tmp_path) == [name]
    assert (tmp_path / name).stat().st_mode & 0o777 == 0o600


def test_a_file_that_cannot_be_written_leaves_the_older_one(tmp_path):
    write_whole(tmp_path / "state", {"n": 1}, 0o600)
    with pytest.raises(TypeError):
        write_whole(tmp_path / "state", {"n": {1}}, 0o600)
    assert read_json(tmp_path / "state") == {"n": 1}
    assert names(tmp_path) == ["state"]


def test_a_killed_writer_leaves_nothing_visible_and_does_not_stand_in_the_way(tmp_path):
    def die():
        with FolderWriter(tmp_path / "r", "csv") as writer:
            writer.write(iter(TABLE.to_batches()), TABLE.schema)
            os.kill(os.getpid(), 9)

    assert in_child(die) == -9
    assert not (tmp_path / "r").exists()
    assert len(names(tmp_path)) == 1
    write(tmp_path / "r")
    assert names(tmp_path) == ["r"]


def test_an_older_process_of_the_same_number_does_not_stand_in_the_way(tmp_path):
    """In a container every run may have the same process number."""
    with FolderWriter(tmp_path / "r", "csv") as abandoned:
        shutil.copytree(abandoned._partial, tmp_path / "copy")
    (tmp_path / "copy").rename(abandoned._partial)
    write(tmp_path / "r")
    assert (tmp_path / "r" / "release.json").is_file()


@pytest.mark.parametrize("format", ["csv", "parquet"])
@pytest.mark.parametrize("limit", [1, 4096, 200_000])
def test_a_full_disk_leaves_nothing(tmp_path, format, limit):
    table = pa.table({"a": range(100_000), "b": [f"{number:x}" for number in range(100_000)]})

    def fill():
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        with pytest.raises(ReleaseError, match=os.strerror(errno.EFBIG)):
            write(tmp_path / "r", format, table)

    assert in_child(fill) == 0
    assert names(tmp_path) == []


def test_a_disk_that_fills_up_with_the_last_file_leaves_nothing(tmp_path):
    def fill():
        resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
        with pytest.raises(ReleaseError, match="cannot be written"):
            write(tmp_path / "r", synopsis={"entries": list(range(1000))})

    assert in_child(fill) == 0
    assert names(tmp_path) == []


@pytest.mark.parametrize("content", ["", "{", "[1]", "null", '"x"', "9" * 5000, "[" * 100_000])
def test_a_certificate_that_is_none_is_refused(tmp_path, content):
    (tmp_path / "release.json").write_text(content)
    with pytest.raises(ReleaseError, match="not a"):
        read_json(tmp_path / "release.json")
    (tmp_path / "release.json").write_bytes(b"\xff\xfe")
    with pytest.raises(ReleaseError, match="damaged"):
        read_json(tmp_path / "release.json")


def test_the_digest_of_a_certificate_sees_every_field_but_the_files():
    paper = PAPER.to_json()
    assert digest({**paper, "files": {"a": "b"}, "seal": "c"}) == digest(paper) == PAPER.digest
    assert digest(dict(reversed(paper.items()))) == digest(paper)
    for change in ({"rows": 4}, {"rows": "2"}, {"more": None}):
        assert digest(paper | change) != digest(paper)
