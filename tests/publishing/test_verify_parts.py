"""Forged parts are refused: moved records, renamed, left out, doubled, swapped and linked files."""

import json
import shutil

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato as sf
from parts_world import published
from sfumato.errors import ReleaseError
from sfumato.release.content import Content, PartsContent
from sfumato.release.digest import digest
from sfumato.release.folder import sha256

PARTS = [f"data/part-{k:05}.parquet" for k in range(3)]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return published(tmp_path_factory.mktemp("parts") / "release").folder


@pytest.fixture
def copy(made, tmp_path):
    return shutil.copytree(made, tmp_path / "copy")


def failed(folder):
    return [check.name for check in sf.verify(folder) if not check.passed]


def resealed(folder):
    """What a forger writes who knows how files are sealed."""
    paper = json.loads((folder / "release.json").read_text())
    names = sorted(f"data/{path.name}" for path in (folder / "data").iterdir())
    paper["files"] = {name: sha256(folder / name) for name in [*names, "synopsis.json"]}
    paper["seal"] = digest(paper)
    (folder / "release.json").write_text(json.dumps(paper))


def rewritten(folder, tables):
    for name, table in zip(PARTS, tables, strict=True):
        pq.write_table(table, folder / name)


def moved_row(folder):
    first, second, third = (pq.read_table(folder / name) for name in PARTS)
    rows = pa.concat_tables([first.slice(first.num_rows - 1), second])
    rewritten(folder, [first.slice(0, first.num_rows - 1), rows, third])


def changed_row(folder):
    tables = [pq.read_table(folder / name) for name in PARTS]
    other = pa.concat_tables([tables[2].slice(1, 1), tables[2].slice(1)])
    rewritten(folder, [*tables[:2], other])


def swapped(folder):
    first, second = (folder / name for name in PARTS[:2])
    kept = first.read_bytes()
    first.write_bytes(second.read_bytes())
    second.write_bytes(kept)


def renamed(folder):
    (folder / PARTS[2]).rename(folder / "data/part-00003.parquet")


def left_out(folder):
    (folder / PARTS[2]).unlink()


def doubled(folder):
    shutil.copy(folder / PARTS[2], folder / "data/part-00003.parquet")


def emptied(folder):
    table = pq.read_table(folder / PARTS[1])
    rewritten(folder, [pq.read_table(folder / PARTS[0]), table.slice(0, 0), table])


FORGERIES = [moved_row, changed_row, swapped, left_out, doubled, emptied]


@pytest.mark.parametrize("forge", FORGERIES)
def test_a_forged_part_is_refused_with_and_without_its_hash_adjusted(copy, forge):
    forge(copy)
    assert failed(copy) == ["files"] or "data" in failed(copy)
    assert "files" in failed(copy)
    resealed(copy)
    assert failed(copy) == ["data"]


def test_a_certificate_that_lists_parts_with_a_gap_is_none(copy):
    renamed(copy)
    assert failed(copy) == ["files", "data"]
    resealed(copy)
    with pytest.raises(ReleaseError, match="without a gap"):
        sf.verify(copy)


def test_the_control_is_accepted_when_it_is_sealed_again(copy):
    resealed(copy)
    assert failed(copy) == []


@pytest.mark.parametrize("forge", [moved_row, left_out])
def test_a_forgery_that_adjusts_the_content_too_has_another_digest(copy, made, forge):
    """Which the ledger knows: parts are bound to the digest that it keeps."""
    forge(copy)
    resealed(copy)
    paper, total = json.loads((copy / "release.json").read_text()), PartsContent()
    release = sf.Release.load(copy)
    for name in release.certificate.data_files:
        content = Content()
        table = pq.read_table(copy / name).cast(sf.Release.load(made).table.schema)
        for batch in table.to_batches():
            content.update(batch)
        total.add(name, content.rows, content.hexdigest())
    paper["rows"], paper["content"] = total.rows, {"sha256-tree": total.hexdigest()}
    (copy / "release.json").write_text(json.dumps(paper))
    resealed(copy)
    assert "data" not in failed(copy)
    forged, kept = (sf.Release.load(folder).certificate for folder in (copy, made))
    assert forged.digest != kept.digest


def test_a_file_or_folder_that_does_not_belong_there_is_named(copy):
    (copy / "data" / "notes.txt").write_text("x")
    assert sf.verify(copy)[0].detail.startswith("data/notes.txt is not part of the release")


def test_a_link_is_no_folder_of_data(copy, tmp_path):
    (copy / "data").rename(tmp_path / "elsewhere")
    (copy / "data").symlink_to(tmp_path / "elsewhere")
    assert failed(copy) == ["files", "data"]
    with pytest.raises(ReleaseError, match="is a link"):
        _ = sf.Release.load(copy).table


def test_a_part_that_is_a_link_is_refused(copy, tmp_path):
    (copy / PARTS[0]).rename(tmp_path / "elsewhere.parquet")
    (copy / PARTS[0]).symlink_to(tmp_path / "elsewhere.parquet")
    assert failed(copy) == ["files", "data"]


def test_an_empty_folder_of_data_beside_the_data_is_foreign(tmp_path):
    schema = sf.Schema.parse(sf.example.CLINIC)
    release = sf.publish(sf.example.clinic(50), schema=schema, epsilon=1)
    place = release.save(tmp_path / "r")
    (place / "data").mkdir()
    assert sf.verify(place)[0].detail.startswith("data is not part of the release")
