"""The house style: repeatable files, readable levels, legends outside, nothing global."""

import sys

import matplotlib as mpl
import pytest

from sfumato.errors import MissingExtra
from sfumato.reproduce.figures import COLOURS, MARKERS, canvas, legend_above, level, save, style


def drawn():
    figure = canvas(1, 2, width=4, height=2)
    for k, name in enumerate(("late", "early")):
        figure.axes[0].plot([0, 1], [0, k], label=name, color=COLOURS[k], marker=MARKERS[k])
    level(figure.axes[1], 0.5, "half")
    legend_above(figure, figure.axes[0], first="early")
    return figure


def test_files_are_the_same_byte_for_byte(tmp_path):
    for name in ("one", "two"):
        with style():
            save(drawn(), tmp_path, name)
    for kind in ("png", "svg"):
        one, two = ((tmp_path / f"{name}.{kind}").read_bytes() for name in ("one", "two"))
        assert one == two
        assert len(one) > 1000


def test_text_in_the_svg_stays_text(tmp_path):
    with style():
        save(drawn(), tmp_path, "one")
    assert ">half</text>" in (tmp_path / "one.svg").read_text()


def test_the_legend_lies_outside_and_keeps_the_wanted_first():
    with style():
        figure = drawn()
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["early", "late"]
    assert not [axes for axes in figure.axes if axes.get_legend()]


def test_the_style_is_gone_afterwards():
    before = mpl.rcParams["axes.spines.top"]
    with style():
        assert mpl.rcParams["axes.spines.top"] is False
    assert mpl.rcParams["axes.spines.top"] == before


def test_colours_and_markers_pair_up_without_repeats():
    assert len(set(COLOURS)) == len(set(MARKERS)) == len(COLOURS) == len(MARKERS)


def test_without_matplotlib_the_message_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtra, match=r"pip install 'sfumato\[report\]'"), style():
        pass
