"""Drawings for internal pages, in the house style."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from sfumato.inspection.section import Picture
from sfumato.report.style import style
from sfumato.report.svg import inline, picture_style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["drawn", "needed"]


def needed() -> None:
    """Refuse where nothing can be drawn, before anything is computed."""
    with style():
        pass


def drawn(
    title: str,
    text: str,
    draw: Callable[["Axes"], Any],
    *,
    width: float = 3.4,
    height: float = 2.4,
    caption: str = "",
) -> Picture:
    """One drawing on one pair of axes, in inches at the size it is read at.

    >>> picture = drawn("A line", "It rises.", lambda axes: axes.plot([0, 1], color="#0072B2"))
    >>> 'aria-label="It rises."' in picture.svg, "var(--main)" in picture.svg
    (True, True)
    """
    with picture_style(title):
        from matplotlib.figure import Figure

        figure = Figure(figsize=(width, height), layout="constrained")
        draw(figure.subplots())
        return Picture(title, caption, inline(figure, text))
