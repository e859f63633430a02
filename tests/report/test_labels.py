"""Labels keep apart: inside the picture, not over each other, and each another."""

import numpy as np
import pytest

from sfumato.report import figures
from sfumato.report.columns import Bars, Column, Span
from sfumato.report.figures import bars, heat, histogram
from sfumato.report.pairs import Pair
from sfumato.report.svg import apart

LONG = tuple(f"Occupational group {k}: a rather long description" for k in range(12))
SHORT = ("false", "true")
WORDS = ("Married civilian", "Never married", "Divorced", "Widowed, with W", "MMMMMMMMMMMMMMMM")


@pytest.fixture
def figure(monkeypatch):
    """The figure behind the last picture."""
    drawn = []
    monkeypatch.setattr(figures, "inline", lambda figure, _label: drawn.append(figure) or "")
    return drawn


def boxes(figure):
    """Where every text of a figure is drawn, in points."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.text import Text

    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    found = [text for text in figure.findobj(Text) if text.get_text() and text.get_visible()]
    return [(t.get_text(), t.get_window_extent(canvas.get_renderer())) for t in found]


def faults(figure):
    """Texts outside of the picture, and pairs that lie over each other."""
    placed, width = boxes(figure), figure.bbox.width
    outside = [text for text, box in placed if box.x0 < -1 or box.x1 > width + 1 or box.y0 < -1]
    over = [
        (a, b)
        for k, (a, one) in enumerate(placed)
        for b, other in placed[k + 1 :]
        if one.padded(-1).overlaps(other.padded(-1))
    ]
    return outside + over


@pytest.mark.parametrize("values", [LONG, SHORT, WORDS, ("x" * 200, "y" * 200)])
def test_labels_of_bars_have_room(figure, values):
    lengths = np.linspace(3, 100, len(values))
    bars("b", values, lengths, "", intervals=[(1.0, 99.0)] * len(values))
    assert faults(figure[-1]) == []


def column(name, bins):
    return Column(name, "category", bins, np.ones(len(bins), np.int64), 0)


@pytest.mark.parametrize("across", [LONG, SHORT, WORDS])
@pytest.mark.parametrize("up", [LONG, WORDS])
def test_labels_of_a_heat_map_have_room(figure, across, up):
    counts = np.ones((len(up), len(across)), np.int64)
    heat(Pair(column("a", Bars(across)), column("b", Bars(up)), 0.5, counts), "h", "")
    assert faults(figure[-1]) == []


def test_the_line_of_the_mean_is_clear_of_the_unit(figure):
    span = Span((0.0, 1.0, 2.0), (1.0, 1.0), str)
    histogram("h", np.array([99.0, 1.0]), span, "", mean=(0.0, 0.4))
    assert faults(figure[-1]) == []
    (unit,) = [box for text, box in boxes(figure[-1]) if text == "% of rows"]
    axes = figure[-1].axes[0]
    line = axes.lines[-1]
    height = axes.transData.transform(line.get_xydata())[:, 1].min()
    assert height > unit.y1


@pytest.mark.parametrize("longest", [6, 14, 17, 52])
@pytest.mark.parametrize("values", [LONG, WORDS, ("a", "a b", "a b c"), ("x" * 90, "x" * 91)])
def test_different_values_have_different_labels_that_are_short(values, longest):
    found = apart(values, longest)
    assert len(set(found)) == len(values)
    assert max(map(len, found)) <= longest + 1  # two digits of a number


def test_values_that_stand_for_several_keep_their_name_on_an_axis():
    bins = Bars((*LONG[:3], "5 other values"), 5)
    assert figures._values(bins, 17)[-1] == "5 other values"
    assert figures._values(bins, 17)[0].startswith("…0: a")


@pytest.mark.parametrize("text", ["5", "2024-12-31", "1,234,567,890,123", "-1.234567e+300" * 3])
def test_ends_of_a_range_have_room(figure, text):
    span = Span((0.0, 1.0, 2.0), (1.0, 1.0), lambda place: f"{place:g}{text}")
    histogram("h", np.array([99.0, 1.0]), span, "")
    assert faults(figure[-1]) == []
    heat(Pair(column("a", span), column("b", span), 0.5, np.ones((2, 2), np.int64)), "h", "")
    assert faults(figure[-1]) == []
