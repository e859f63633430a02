"""The house style of figures: legible, safe for colour-blind readers, and nothing to spare.

Colours are those of Okabe and Ito (2008); every line also has its own marker, so that no
figure relies on colour alone.  Figures are drawn without a display and come out the same
byte for byte: no dates, no random ids.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from sfumato.errors import MissingExtra

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

__all__ = ["COLOURS", "GRID", "INK", "MARKERS", "QUIET", "style", "subplots"]

# Okabe and Ito's eight without black and yellow: yellow is too pale for lines on white.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
MARKERS = ("o", "s", "^", "D", "v", "P")
INK, QUIET, GRID = "#222222", "#6B6B6B", "#E4E4E4"

_RULES: dict[str, Any] = {
    "font.family": "DejaVu Sans",  # comes with matplotlib, so every machine draws the same
    "font.size": 10,
    "axes.titlesize": 11,
    "axes.titlelocation": "left",
    "axes.labelcolor": INK,
    "axes.edgecolor": QUIET,
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.grid.axis": "y",
    "axes.axisbelow": True,
    "grid.color": GRID,
    "grid.linewidth": 0.8,
    "xtick.color": QUIET,
    "ytick.color": QUIET,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "lines.linewidth": 1.6,
    "lines.markersize": 5,
    "legend.frameon": False,
    "legend.fontsize": 9,
    "figure.dpi": 100,
    "savefig.dpi": 160,
    "savefig.facecolor": "white",
    "svg.fonttype": "none",  # text stays text: it can be searched, read aloud and scaled
    "svg.hashsalt": "sfumato",
}


@contextmanager
def style(**changes: Any) -> Iterator[None]:
    """The house style for whatever is drawn and saved inside, with rules of one's own.

    >>> with style():
    ...     import matplotlib
    ...     matplotlib.rcParams["svg.hashsalt"]
    'sfumato'
    """
    try:
        from matplotlib import rc_context
    except ImportError:
        raise MissingExtra("figures need matplotlib: pip install matplotlib") from None
    with rc_context(_RULES | changes):  # type: ignore[arg-type]  # names are checked when set
        yield


def subplots(rows: int = 1, columns: int = 1, *, width: float, height: float) -> "Figure":
    """A figure with a grid of axes, apart from any global state."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout=_layout())
    figure.subplots(rows, columns, squeeze=False)
    return figure


def _layout() -> "ConstrainedLayoutEngine":
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    return ConstrainedLayoutEngine(w_pad=0.1, h_pad=0.08, wspace=0.03, hspace=0.04)
