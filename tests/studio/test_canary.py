"""Canary: every cell is a word of its own, and none comes up anywhere but in the file."""

import subprocess
from pathlib import Path

import pytest

from studio_journey import FIELDS, first_release
from studio_world import running

SOURCES = Path(__file__).parents[2] / "src" / "sfumato" / "studio"


@pytest.fixture
def place(tmp_path):
    """A project with one file, and an empty folder for all that is temporary."""
    (tmp_path / "project" / "data").mkdir(parents=True)
    (tmp_path / "temporary").mkdir()
    rows = ["".join(f"canary{row}x{k}," for k in range(len(FIELDS)))[:-1] for row in range(50)]
    text = "\n".join([",".join(FIELDS), *rows, '"canary', ""])
    (tmp_path / "project" / "data" / "patients.csv").write_text(text)
    return tmp_path


def world(place):
    """Where a process puts what is temporary, and what it remembers."""
    own = {"TMPDIR": str(place / "temporary"), "XDG_STATE_HOME": str(place)}
    return own | {"XDG_RUNTIME_DIR": ""}


def files_with(folder, word):
    return [
        path
        for path in folder.rglob("*")
        if path.is_file() and word in path.read_bytes() and "data" not in path.parts
    ]


def test_no_cell_is_answered_said_or_kept(place):
    with running(place / "project", **world(place)) as (visitor, process):
        first_release(visitor)
        (place / "project/data/patients.csv").write_text("canary1,canary2\ncanary3,canary4\n")
        answers = {"file": "patients.csv", "header": "no", "unit": "one", "held": "secret"}
        visitor.post("/new", answers)
        visitor.post("/quit")
        said, complained = process.communicate(timeout=60)
    assert len(visitor.seen) > 15
    assert not any(b"canary" in reply.body + str(reply.headers).encode() for reply in visitor.seen)
    assert "canary" not in said + complained
    assert process.returncode == 0
    assert files_with(place, b"canary") == []
    assert list((place / "temporary").iterdir()) == []


def test_a_studio_that_is_killed_leaves_no_cell_anywhere(place):
    with running(place / "project", **world(place)) as (visitor, process):
        first_release(visitor)
        process.kill()
        process.wait(10)
    assert files_with(place, b"canary") == []


def test_a_fault_that_quotes_a_cell_is_not_told(place):
    script = (
        "import sfumato.studio.pages.file as page\n"
        "def read_header(path): raise ValueError('canary of ' + path.read_text())\n"
        "page.read_header = read_header\n"
        "from sfumato.cli import main; import sys\n"
        f"sys.argv = ['sfumato', 'studio', {str(place / 'project')!r}, '--no-browser']\n"
        "main()\n"
    )
    with running(place / "project", script=script) as (visitor, process):
        answers = {"file": "patients.csv", "header": "yes", "unit": "one", "held": "secret"}
        assert visitor.post("/new", answers).status == 500
        visitor.post("/quit")
        said, complained = process.communicate(timeout=60)
    assert "canary" not in visitor.seen[1].text + said + complained
    assert complained.count("\n") == 1
    assert "internal error: ValueError" in complained


def test_records_are_opened_by_the_worker_and_those_of_public_files_by_one_module():
    opening = (
        "open_source",
        "open_file",
        "table.draft import draft",
        "import publish",
        "sfumato.inspection",
    )
    opening += ("TextFile", "table.source", "read_csv", "open_csv", "Path.open", "read_table")
    found = {
        path.relative_to(SOURCES).as_posix()
        for path in SOURCES.rglob("*.py")
        if any(word in path.read_text() for word in opening)
    }
    assert found == {"work.py", "public_file.py"}


def test_the_key_is_in_no_list_of_processes_and_in_no_line_that_is_printed(place):
    with running(place / "project") as (visitor, process):
        session = visitor.cookie.partition("=")[2]
        listed = subprocess.run(["ps", "-ef"], capture_output=True, text=True, check=True).stdout
        visitor.post("/quit")
        said, complained = process.communicate(timeout=60)
    for secret in (session, visitor.used):
        assert len(secret) > 40
        assert secret not in listed + said + complained + "".join(visitor.said)
