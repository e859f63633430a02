"""A command that is gone is refused with the call that took its place."""

import pytest
from typer.testing import CliRunner

from received.readers import run
from sfumato.cli import app


@pytest.mark.parametrize("words", ["", " jiang2013", " jiang2013 --figures 1,2 --rows 500 -o x"])
def test_reproduce_says_where_it_went(words, monkeypatch, capsys):
    code, said = run(f"reproduce{words}".split(), monkeypatch, capsys)
    assert code == 1
    assert said.startswith("refused: the reproductions of papers")
    assert "make reproduce PAPER=jiang2013" in said


def test_and_is_listed_no_more():
    assert "reproduce" not in CliRunner().invoke(app, ["--help"]).output
