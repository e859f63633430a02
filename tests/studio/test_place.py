"""Names lead into the folder and nowhere else; files are whole, and their owner's."""

import os
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import ParameterError
from sfumato.studio.draft import Draft, TypedColumn
from sfumato.studio.place import inside, is_slug, slug_of, write_whole
from sfumato.studio.project import Project
from sfumato.studio.turn import is_taken
from studio_world import studio


@given(st.text(max_size=80))
def test_whatever_a_data_set_is_called_its_folder_has_a_plain_name(text):
    assert is_slug(slug_of(text))


@given(st.text(max_size=20))
def test_a_plain_name_is_one_part_of_a_path_and_no_more(text):
    if is_slug(text):
        assert text == Path(text).name == text.lower()
        assert not text.startswith((".", "-"))
        assert text.isascii()


@pytest.mark.parametrize("name", ["con", "nul", "aux", "prn", "com1", "lpt9", "com0"])
def test_names_that_windows_takes_for_devices_are_no_folders(name):
    assert not is_slug(name)
    assert slug_of(name) != name


@pytest.mark.parametrize(
    "parts", [("..",), ("a", "..", ".."), ("/etc",), ("a\0b",), ("link",), ("link", "x")]
)
def test_what_leads_out_is_refused(tmp_path, parts):
    (tmp_path / "home").mkdir()
    (tmp_path / "out").mkdir()
    (tmp_path / "home" / "link").symlink_to(tmp_path / "out")
    with pytest.raises(ParameterError, match="leads out"):
        inside(tmp_path / "home", *parts)


def test_a_link_in_a_circle_leads_nowhere(tmp_path):
    (tmp_path / "a").symlink_to(tmp_path / "a")
    with pytest.raises(ParameterError, match="leads out"):
        inside(tmp_path, "a")


def test_a_project_that_is_a_link_itself_is_opened_where_it_leads(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert Project(tmp_path / "link").folder == (tmp_path / "real").resolve()


def test_a_folder_of_the_project_that_leads_elsewhere_is_refused(tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "data").symlink_to(tmp_path / "out")
    with pytest.raises(ParameterError, match="leads out"):
        Project(tmp_path / "home")


def test_files_that_are_links_out_are_not_offered(tmp_path):
    project = Project(tmp_path / "home")
    (tmp_path / "secret.csv").write_text("a\n")
    (project.data / "link.csv").symlink_to(tmp_path / "secret.csv")
    (project.data / "own.csv").write_text("a\n")
    assert project.files == ["own.csv"]
    for name in ("link.csv", "../secret.csv", "own.csv/..", ".", "", "own.csv\0"):
        with pytest.raises(ParameterError, match="there is no file"):
            project.file(name)


def test_folders_and_drafts_are_for_their_owner_alone(tmp_path):
    project = Project(tmp_path / "new")
    draft = project.begin(Draft("", "Klinik Süd", "a.csv", [TypedColumn("a")]))
    path = project.folder / "datasets" / draft.slug / "draft.json"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    for folder in (project.folder, project.data, path.parent):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert project.dataset("klinik-sud") == draft


def test_a_draft_is_whole_or_the_old_one(tmp_path, monkeypatch):
    path = tmp_path / "draft.json"
    write_whole(path, "old")
    monkeypatch.setattr(os, "fsync", lambda _: (_ for _ in ()).throw(OSError(28, "no space")))
    with pytest.raises(ParameterError, match="no space"):
        write_whole(path, "new")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_where_nothing_can_be_written_any_more_it_is_said_and_locks_are_asked(
    tmp_path, monkeypatch
):
    lock, real = tmp_path / "lock", os.open
    lock.touch()

    def read_only(path, flags, *mode, **rest):
        if flags & (os.O_WRONLY | os.O_RDWR):
            raise OSError(30, "Read-only file system")
        return real(path, flags, *mode, **rest)

    def kept(*_, **__):
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(os, "open", read_only)
    monkeypatch.setattr(Path, "unlink", kept)
    with pytest.raises(ParameterError, match="Read-only file system"):
        write_whole(tmp_path / "draft.json", "new")
    assert not is_taken(lock)


def test_the_same_name_is_not_begun_twice_and_like_ones_get_folders_of_their_own(tmp_path):
    project = Project(tmp_path)
    assert [project.begin(Draft("", name, "a.csv")).slug for name in ("A b", "a-b")] == [
        "a-b",
        "a-b-2",
    ]
    with pytest.raises(ParameterError, match=r"already.* can be answered anew at its first step"):
        project.begin(Draft("", "A b", "a.csv"))
    (tmp_path / "datasets" / "a-b").rename(tmp_path / "aside")
    assert project.begin(Draft("", "A b", "a.csv")).slug == "a-b"


@pytest.mark.parametrize(
    "text", ["", "{}", '{"format": 2}', '{"format": 1, "columns": 3}', "[" * 999]
)
def test_a_damaged_draft_is_refused_in_words(tmp_path, text):
    project = Project(tmp_path)
    draft = project.begin(Draft("", "a", "a.csv"))
    (tmp_path / "datasets" / "a" / "draft.json").write_text(text)
    with pytest.raises(ParameterError, match="no draft of this version"):
        project.dataset(draft.slug)


def test_one_damaged_draft_does_not_hide_the_others(tmp_path):
    with studio(tmp_path) as visitor:
        visitor.post("/example")
        (tmp_path / "datasets" / "broken").mkdir()
        (tmp_path / "datasets" / "broken" / "draft.json").write_text("{")
        (tmp_path / "datasets" / "away").symlink_to(tmp_path / "datasets" / "made-up-clinic")
        found = visitor.get("/").text
    assert "datasets/broken/draft.json is no draft of this version" in found
    assert found.count("made-up-clinic/schema") == 1
