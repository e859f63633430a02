"""The style of figures: nothing global, colour never alone, a refusal with a remedy."""

import sys

import matplotlib as mpl
import pytest

from sfumato.errors import MissingExtra
from sfumato.report.style import COLOURS, MARKERS, style


def test_the_style_is_gone_afterwards():
    before = mpl.rcParams["axes.spines.top"]
    with style():
        assert mpl.rcParams["axes.spines.top"] is False
    assert mpl.rcParams["axes.spines.top"] == before


def test_colours_and_markers_pair_up_without_repeats():
    assert len(set(COLOURS)) == len(set(MARKERS)) == len(COLOURS) == len(MARKERS)


def test_without_matplotlib_the_message_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtra, match="pip install matplotlib"), style():
        pass
