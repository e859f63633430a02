"""Figures as inline SVG that reads on light and dark pages and shrinks with the page.

Colours of the house become the page's own (`var(--…)`, `currentColor`), fonts are inherited,
and what a page has no use for is taken out: prolog, metadata, ids that nothing refers to.
Text in figures is never mathematics, so that a name with a dollar sign stays as it is.
"""

import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import StringIO
from itertools import accumulate
from typing import TYPE_CHECKING
from unicodedata import east_asian_width

from sfumato.report.style import COLOURS, GRID, INK, QUIET, style
from sfumato.untrusted.visible import visible

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["apart", "canvas", "inline", "picture_style", "room", "short"]

_PAGE = {
    INK: "currentColor",
    QUIET: "var(--quiet)",
    GRID: "var(--grid)",
    COLOURS[0]: "var(--main)",
    COLOURS[1]: "var(--mark)",
}
_LONGEST = 22  # characters of a label
_BROAD = {"M": 1.75, "W": 1.75, "@": 1.75, "m": 1.6, "w": 1.4, "%": 1.6}


@contextmanager
def picture_style(name: str) -> Iterator[None]:
    """The house style for a small picture; its name keeps the ids of pictures apart."""
    rules = {"font.size": 9, "text.parse_math": False, "svg.hashsalt": name}
    with style(**rules), warnings.catch_warnings():
        # Text is drawn by the reader's own fonts, which have the letters that ours lacks.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        yield


def canvas(
    width: float, height: float, *, left: float, bottom: float, top: float = 8, right: float = 10
) -> tuple["Figure", "Axes"]:
    """A figure of one axes, all in points: the same margins for all pictures of a kind."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width / 72, height / 72), facecolor="none")
    inside = ((width - left - right) / width, (height - bottom - top) / height)
    axes = figure.add_axes((left / width, bottom / height, *inside), facecolor="none")
    return figure, axes


def inline(figure: "Figure", label: str) -> str:
    """The figure as an element for a page, with its text alternative.

    >>> with picture_style("p"):
    ...     figure, axes = canvas(100, 50, left=20, bottom=20)
    ...     text = inline(figure, "nothing <yet>")
    >>> text[:73]
    '<svg viewBox="0 0 100 50" role="img" aria-label="nothing &lt;yet&gt;"><g>'
    """
    from html import escape

    label = visible(label)
    out = StringIO()
    figure.savefig(out, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    text = out.getvalue()
    box = re.search(r'viewBox="([^"]*)"', text)
    assert box is not None  # noqa: S101  every SVG of matplotlib has one
    body = text[text.index("<defs>") : text.rindex("</svg>")]
    body = re.sub(r"<metadata>.*?</metadata>", "", body, flags=re.DOTALL)
    body = re.sub(r"<defs>\s*<style[^>]*>[^<]*</style>\s*</defs>", "", body)
    wanted = set(re.findall(r'(?:url\(|href=")#([^")]*)', body))
    body = re.sub(r' id="([^"]*)"', lambda found: found[0] if found[1] in wanted else "", body)
    body = re.sub(r'style="[^"]*"', _own, body)  # in styles only: a value may be called #222222
    body = re.sub(r"\s*\n\s*", "", body)
    size = " ".join(f"{float(part):g}" for part in box[1].split())
    return f'<svg viewBox="{size}" role="img" aria-label="{escape(label)}">{body}</svg>'


def _own(rule: re.Match[str]) -> str:
    """A style in the page's colours and fonts."""
    found = re.sub(r"font: ([0-9.]+)px [^;\"]*", r"font-size: \1px", rule[0])
    for colour, own in _PAGE.items():
        found = re.sub(colour, own, found, flags=re.IGNORECASE)
    return found


def short(text: str, longest: int = _LONGEST) -> str:
    """A label that fits beside a bar, on one line.

    >>> short("cardiology"), short("a ward with a rather long name")
    ('cardiology', 'a ward with a rather …')
    """
    line = visible(" ".join(text.split()))
    return line if len(line) <= longest else line[: longest - 1] + "…"


def apart(texts: Sequence[str], longest: int = _LONGEST) -> list[str]:
    """Labels of one axis, narrow and yet each another: without what all begin with, or numbered.

    >>> apart(["a ward on the first floor", "a ward on the second floor"], 12)
    ['…first floor', '…second flo…']
    >>> apart(["floor one, left side", "floor one, loft"], 8), apart(["x" * 9, "x" * 8 + "y"], 6)
    (['…left s…', '…loft'], ['1. xx…', '2. xx…'])
    """
    lines = [" ".join(text.split()) for text in texts]
    start = _alike(lines) if len(lines) > 1 else 0
    plain = [_narrow(line, longest) for line in lines]
    ends = [f"…{_narrow(line[start:], longest - 1)}" for line in lines]
    for found in (plain, ends if start else plain):
        if len(set(found)) == len(set(texts)):
            return found
    return [f"{k}. {_narrow(line, longest - 3)}" for k, line in enumerate(lines, 1)]


def room(text: str) -> float:
    """How many letters of usual width a text is as wide as.

    >>> room("surgery"), room("MMMM"), room("漢字")
    (7.0, 7.0, 4.0)
    """
    return sum(map(_width, text))


def _width(letter: str) -> float:
    if east_asian_width(letter) in "WF":
        return 2.0
    return _BROAD.get(letter, 1.25 if letter.isupper() else 1.0)


def _narrow(text: str, longest: int) -> str:
    """A label that is as wide as so many letters at most."""
    line = visible(text)
    if room(line) <= longest:
        return line
    wide = accumulate(map(_width, line))
    return line[: sum(1 for reached in wide if reached <= longest - 1)] + "…"


def _alike(lines: Sequence[str]) -> int:
    """How many letters all begin with, up to a blank."""
    first, last = min(lines), max(lines)  # what these two share, all share
    pairs = enumerate(zip(first, last, strict=False))
    same = next((k for k, (a, b) in pairs if a != b), len(first))
    return first[:same].rfind(" ") + 1
