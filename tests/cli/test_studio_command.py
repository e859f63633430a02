"""The command: what it says, and what it refuses in one sentence."""

import os
import re
import signal
import socket
import subprocess
import sys
import time

import pytest
from typer.testing import CliRunner

import sfumato
from sfumato.cli import app
from sfumato.errors import MissingExtra, ParameterError
from studio_world import running


def refused(*args):
    return CliRunner().invoke(app, ["studio", *map(str, args)]).exception


def test_it_says_where_it_is_and_how_to_open_it_and_ctrl_c_ends_it(tmp_path):
    with running(tmp_path / "new") as (visitor, process):
        assert visitor.get("/").status == 200
        process.send_signal(signal.SIGINT)
        begun = time.monotonic()
        said, complained = process.communicate(timeout=60)
        assert time.monotonic() - begun < 10  # two seconds at most on a quiet machine
    assert "Ctrl-C here, ends it" in visitor.said[2]
    assert "stopped: what was typed is kept" in said
    assert (complained, process.returncode) == ("", 0)


def test_a_port_in_use_is_one_sentence(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        refusal = refused(tmp_path, "--port", port, "--no-browser")
    assert isinstance(refusal, ParameterError)
    assert f"port {port} cannot be used" in str(refusal)
    assert "leave --port out" in str(refusal)


def test_a_project_and_a_received_release_are_not_opened_together(tmp_path):
    found = CliRunner().invoke(app, ["studio", str(tmp_path), "--received", str(tmp_path)])
    assert (found.exit_code, "leave out the folder" in " ".join(found.output.split())) == (2, True)


def test_a_folder_that_cannot_be_one_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    for place in (tmp_path / "file", tmp_path / "file" / "below"):
        refusal = refused(place, "--no-browser")
        assert isinstance(refusal, ParameterError)
        assert "cannot be made" in str(refusal)


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_to_is_refused(tmp_path):
    tmp_path.chmod(0o500)
    refusal = refused(tmp_path, "--no-browser")
    tmp_path.chmod(0o700)
    assert isinstance(refusal, ParameterError)


@pytest.mark.parametrize("missing", ["starlette", "uvicorn"])
def test_without_its_extra_it_says_what_to_install(tmp_path, monkeypatch, missing):
    monkeypatch.setattr(sfumato, "studio", None, raising=False)  # whatever is imported meanwhile
    for name in [one for one in sys.modules if one.startswith("sfumato.studio")]:
        monkeypatch.delitem(sys.modules, name)
    for name in [one for one in sys.modules if one.partition(".")[0] == missing]:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setitem(sys.modules, missing, None)
    refusal = refused(tmp_path)
    assert isinstance(refusal, MissingExtra)
    assert "pip install 'sfumato[studio]'" in str(refusal)
    assert not (tmp_path / "data").exists()


def test_it_is_up_in_a_moment(tmp_path):
    begun = os.times().children_user
    with running(tmp_path) as (visitor, _):
        assert visitor.get("/").status == 200
    assert os.times().children_user - begun < 6  # a second and a half on a quiet machine


def test_a_machine_without_a_browser_is_told_which_file_to_open(tmp_path):
    script = (
        "import sys, webbrowser; webbrowser.open = lambda _: False; sys.argv.pop()\n"
        "from sfumato.cli import main; main()"
    )
    with running(tmp_path, script=script) as (visitor, _):
        assert visitor.said[1].startswith("open this file in your browser: ")


def test_the_help_names_it_after_the_demonstration():
    found = subprocess.run(
        [sys.executable, "-m", "sfumato", "--help"], capture_output=True, text=True, check=True
    )
    commands = re.findall(r"^\W*([a-z]+) {2,}[A-Z]", found.stdout, flags=re.M)
    assert commands[commands.index("demo") + 1] == "studio"
