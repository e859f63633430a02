"""Tables on a narrow terminal: broken between words where there is room, never cut."""

import pytest

from sfumato.cli.screen import Grid, show

HEADINGS = ("data set", "granted", "spent", "left", "releases", "looks", "unfinished")
CELLS = ("clinic", "epsilon 100", "epsilon 5.24", "epsilon 94.76", "5, 12 stopped", "1", "0")


def shown(capsys, monkeypatch, width, *rows, headings=HEADINGS):
    monkeypatch.setenv("COLUMNS", str(width))
    table = Grid(*headings)
    for row in rows:
        table.line(*row)
    show(table)
    return capsys.readouterr().out


def test_no_heading_is_broken_within_a_word_at_80_columns(capsys, monkeypatch):
    said = shown(capsys, monkeypatch, 80, CELLS)
    for word in " ".join(HEADINGS + CELLS).split():
        assert f" {word} " in said
    assert max(map(len, said.splitlines())) == 80


def test_cells_are_broken_before_headings(capsys, monkeypatch):
    said = shown(capsys, monkeypatch, 80, [name * 9 for name in HEADINGS])
    for word in " ".join(HEADINGS).split():
        assert f" {word} " in said


@pytest.mark.parametrize("width", [30, 80, 200])
def test_nothing_is_cut(capsys, monkeypatch, width):
    said = shown(capsys, monkeypatch, width, ("x" * 300, "y"), headings=("provenance", "a"))
    assert said.count("x") == 300
    assert max(map(len, said.splitlines())) <= width


def test_where_there_is_room_nothing_changes(capsys, monkeypatch):
    assert len(shown(capsys, monkeypatch, 200, CELLS).splitlines()) == 5
