"""Files of figures: repeatable, readable levels, legends outside."""

from papers.figures import COLOURS, MARKERS, legend_above, level, save, style, subplots


def drawn():
    figure = subplots(1, 2, width=4, height=2)
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
