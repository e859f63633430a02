"""What may lie in a received folder besides plain files: refused at once, never followed."""

import json
import os
import resource
import shutil

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from received.readers import KINDS, copied, readers, resealed, run
from sfumato.errors import ReleaseError
from sfumato.release.file import read_batches

TEXT = pa.schema([pa.field("key", pa.string(), nullable=False)])


def pipe(path):
    os.mkfifo(path)


def device(path):
    path.symlink_to("/dev/zero")


def link(path):
    path.symlink_to(shutil.move(f"{path}.kept", path.parent.parent / f"outside-{path.name}"))


def folder(path):
    path.mkdir()


def hole(path):
    with path.open("wb") as file:
        file.truncate(2**41)  # takes no room on the disk


def checks(said):
    """The findings of `sfumato verify`, by the name of the check."""
    rows = [line.strip("│").split("│") for line in said.splitlines() if line.startswith("│")]
    return {row[0].strip(): row[1].strip() for row in rows if row[0].strip()}


@pytest.mark.parametrize("name", ["release.json", "synopsis.json", "data.csv"])
@pytest.mark.parametrize("instead", [pipe, device, link, folder])
def test_what_is_no_plain_file_is_refused_by_every_reader(
    name, instead, tmp_path, monkeypatch, capsys
):
    place = copied("network", tmp_path)
    (place / name).rename(place / f"{name}.kept")
    instead(place / name)
    (place / f"{name}.kept").unlink(missing_ok=True)
    for arguments in readers("network", place, tmp_path):
        code, said = run(arguments, monkeypatch, capsys)
        needs = arguments[0] != "graph" or name != "synopsis.json"
        assert (code, "internal error" in said) == (1, False) or not needs, (arguments, said)
    said = run(["verify", str(place)], monkeypatch, capsys)[1]
    assert "plain file" in said or "a link" in said or "directory" in said


def test_a_certificate_beyond_the_limit_is_refused_before_it_is_read(tmp_path, monkeypatch, capsys):
    place = copied("stream", tmp_path)
    hole(place / "release.json")
    code, said = run(["verify", str(place)], monkeypatch, capsys)
    assert code == 1
    assert "it has more than" in said


@pytest.mark.parametrize("kind", KINDS)
def test_everything_in_the_folder_is_named_or_foreign(kind, tmp_path, monkeypatch, capsys):
    place = copied(kind, tmp_path)
    assert run(["verify", str(place)], monkeypatch, capsys)[0] == 0
    for name in (".hidden", "notes.txt", "data.csv.bak", "synopsis.json~", "data.parquet"):
        (place / name).write_text("x")
        code, said = run(["verify", str(place)], monkeypatch, capsys)
        assert (code, checks(said)["files"]) == (1, "FAILED"), name
        (place / name).unlink()
    (place / "sub").mkdir()
    assert run(["verify", str(place)], monkeypatch, capsys)[0] == 1


def test_a_page_passes_only_as_the_one_that_the_release_gives(tmp_path, monkeypatch, capsys):
    place = copied("stream", tmp_path)
    page = place / "report.html"
    assert run(["report", str(place)], monkeypatch, capsys)[0] == 0
    code, said = run(["verify", str(place)], monkeypatch, capsys)
    assert (code, checks(said)["report"]) == (0, "passed")
    made = page.read_bytes()
    for text in (made.replace("ε = 1".encode(), "ε = 0.1".encode()), made + b" ", b""):
        assert text != made
        page.write_bytes(text)
        code, said = run(["verify", str(place)], monkeypatch, capsys)
        assert (code, checks(said)["report"]) == (1, "FAILED")
        assert checks(said)["files"] == "passed"
    page.unlink()
    (tmp_path / "same.html").write_bytes(made)
    page.symlink_to(tmp_path / "same.html")
    code, said = run(["verify", str(place)], monkeypatch, capsys)
    assert (code, checks(said)["report"]) == (1, "FAILED")


def test_a_page_that_cannot_be_made_again_has_not_passed(tmp_path, monkeypatch, capsys):
    place = copied("stream", tmp_path)
    assert run(["report", str(place)], monkeypatch, capsys)[0] == 0
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    code, said = run(["verify", str(place)], monkeypatch, capsys)
    assert (code, checks(said)["report"]) == (1, "FAILED")
    assert "pip install matplotlib" in said


def test_a_list_of_files_never_leads_out_of_the_folder(tmp_path, monkeypatch, capsys):
    place = copied("stream", tmp_path)
    (tmp_path / "secret").write_text("x")
    for name in ("../secret", "/etc/hostname", "x" * 300, "", "."):
        paper = json.loads((place / "release.json").read_text())
        paper["files"][name] = "0" * 64
        resealed(place, paper)
        code, said = run(["verify", str(place)], monkeypatch, capsys)
        assert code == 1
        assert "is damaged: files" in said
        shutil.rmtree(place)
        copied("stream", tmp_path)


def test_sizes_that_a_certificate_states_are_not_taken_at_their_word(tmp_path, monkeypatch, capsys):
    place = copied("network", tmp_path)
    paper = json.loads((place / "release.json").read_text())
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for nodes in (10**8, 10**12, 2**62):
        paper["network"]["nodes"] = nodes
        resealed(place, paper)
        for arguments in readers("network", place, tmp_path):
            code, said = run(arguments, monkeypatch, capsys)
            assert (code, "network" in said) == (1, True)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200_000  # kB


@pytest.mark.parametrize(
    "command",
    [
        "graph compare {0}/e.csv {0}/p.csv",
        "query publish {0}/p.csv --epsilon 1 -o {0}/r",
        "schema draft {0}/p.csv",
    ],
)
def test_a_pipe_is_no_edge_list_nor_counts_and_is_not_waited_for(
    command, tmp_path, monkeypatch, capsys
):
    os.mkfifo(tmp_path / "p.csv")
    (tmp_path / "e.csv").write_text("source,target,weight\na,b,1\n")
    words = [word.format(tmp_path) for word in command.split()]
    code, said = run(words + ["--directed"] * (words[0] == "graph"), monkeypatch, capsys)
    assert (code, "not a plain file" in said) == (1, True), said


def parquet(path, table, **how):
    pq.write_table(table, path, **how)
    return path


def test_rows_beyond_those_that_were_stated_are_not_read(tmp_path):
    table = pa.table({"key": ["a"] * 1000})
    path = parquet(tmp_path / "data.parquet", table)
    assert sum(batch.num_rows for batch in read_batches(path, TEXT, 1000)) == 1000
    (tmp_path / "data.csv").write_text("key\n" + "a\n" * 1000)
    for name in ("data.parquet", "data.csv"):
        for rows in (999, 1001):
            with pytest.raises(ReleaseError, match="rows"):
                list(read_batches(tmp_path / name, TEXT, rows))


@pytest.mark.parametrize("codec", ["gzip", "zstd", "brotli", "lz4"])
def test_data_in_a_packing_that_releases_do_not_have_is_refused(tmp_path, codec):
    path = parquet(tmp_path / "data.parquet", pa.table({"key": ["a"]}), compression=codec)
    with pytest.raises(ReleaseError, match="packed in a way"):
        list(read_batches(path, TEXT, 1))


@pytest.mark.slow
def test_a_long_text_that_occurs_often_is_never_written_out_at_once(tmp_path):
    """A million times a text of a million letters: a file of kilobytes, a terabyte of letters."""
    codes = pa.DictionaryArray.from_arrays(pa.array([0] * 10**6, pa.int32()), ["y" * 10**6])
    path = parquet(tmp_path / "data.parquet", pa.table({"key": codes}))
    assert path.stat().st_size < 10**6
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(ReleaseError, match="unpacks into more"):
        list(read_batches(path, TEXT, 10**6))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 900_000  # kB


def test_many_equal_rows_of_a_small_file_are_refused_by_what_it_says_of_itself(tmp_path):
    table = pa.table({"key": pa.array(["y"] * 2 * 10**6).dictionary_encode()})
    path = parquet(tmp_path / "data.parquet", table)
    assert path.stat().st_size < 20_000
    with pytest.raises(ReleaseError, match="another number of rows"):
        next(read_batches(path, TEXT, 10**6))
