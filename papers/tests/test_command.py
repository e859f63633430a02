"""`python -m papers`: what it lists, what it says of each paper, how it refuses."""

import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from papers import STUDIES, jiang2013
from papers.command import app
from sfumato.cli import run


def said(words, capsys):
    """The exit code, and what reaches standard output and standard error."""
    with pytest.raises(SystemExit) as left:
        run(lambda: app(words, prog_name="python -m papers"), package="papers")
    return left.value.code, *capsys.readouterr()


def test_without_a_paper_the_five_are_listed_with_a_line_each():
    shown = CliRunner().invoke(app, [], env={"COLUMNS": "200"})
    assert shown.exit_code == 0
    assert len(STUDIES) == 5
    for study, what in STUDIES.items():
        assert study in shown.output
        assert what in shown.output


@pytest.mark.parametrize("study", STUDIES)
def test_the_help_of_each_paper_has_its_options_and_an_example(study):
    shown = CliRunner().invoke(app, [study, "--help"], env={"COLUMNS": "200"})
    assert shown.exit_code == 0
    assert f"python -m papers {study} --" in shown.output
    for option in ("output", "figures", "chapter", "trials", "epsilons", "rows", "nodes", "seed"):
        assert f"--{option}" in shown.output


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (["nobody\x1b[2K"], 1, "refused: there is no study 'nobody\\x1b[2K'; choose one of jiang"),
        (["jiang2013", "--figures", "7"], 1, "refused: figures must be of 1, 2, 3, 4, got ['7']"),
        (["jiang2013", "--trials", "many"], 2, "wrong usage: Invalid value for '--trials'"),
        (["jiang2013", "--colour"], 2, "wrong usage: No such option: --colour"),
        (["jiang2013", "--figures", "2"], 1, "refused: the data set Adult is needed"),
        (["jiang2013", "--figures", "1", "-o", "."], 1, "refused: . exists"),
    ],
)
def test_bad_input_is_refused_in_a_line(words, code, told, monkeypatch, capsys):
    monkeypatch.delenv("SFUMATO_DATA", raising=False)
    left, out, err = said(words, capsys)
    assert left == code
    assert err.startswith(told)
    assert not out


def test_a_fault_of_the_program_is_placed_in_the_module_of_the_paper(monkeypatch, capsys):
    def broken(*given, **named):
        raise RuntimeError("never shown")

    monkeypatch.setattr(jiang2013, "reproduce", broken)
    left, _, err = said(["jiang2013"], capsys)
    assert left == 1
    assert "internal error: RuntimeError at tests/test_command.py:" in err
    assert "never shown" not in err


def test_it_runs_as_a_module_and_refuses_without_a_traceback():
    words = [sys.executable, "-m", "papers", "nobody2020"]
    home = Path(__file__).parents[2]
    ran = subprocess.run(words, cwd=home, capture_output=True, text=True, check=False)
    assert ran.returncode == 1
    assert ran.stderr.startswith("refused: there is no study 'nobody2020'")
    assert "Traceback" not in ran.stderr
