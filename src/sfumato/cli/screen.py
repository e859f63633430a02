"""Output to the terminal: whatever a command prints goes through here.

Names come from files that others made, so a text is never taken for markup, and characters that
a terminal would obey are written out (`sfumato.untrusted.visible`).  Colour is given beside the
text.  No other module of the commands prints; a test reads their source for that.
"""

import sys
from collections.abc import Sequence
from contextlib import suppress

from rich.cells import cell_len
from rich.console import Console
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from sfumato.untrusted.visible import visible

__all__ = [
    "Cell",
    "Grid",
    "asked",
    "document",
    "panel",
    "say",
    "show",
    "somebody_answers",
    "styled",
    "terminal",
]

Cell = str | Text  # a text in a colour of its own is made by `styled`


def terminal(*, err: bool = False) -> Console:
    """Where lines go; asked for anew each time, because its width may have changed."""
    return Console(stderr=err, markup=False, emoji=False, highlight=False)


def styled(text: object, style: str = "") -> Text:
    r"""A text in a colour or weight.

    >>> styled("[bold]clinic[/bold]\x1b[2K", "red").plain
    '[bold]clinic[/bold]\\x1b[2K'
    """
    return Text(visible(str(text)), style=style)


def say(*parts: Cell, style: str = "", err: bool = False) -> None:
    """One line, broken nowhere: it may be copied."""
    line = Text(style=style)
    for part in parts:
        line.append_text(_text(part))
    terminal(err=err).print(line, soft_wrap=True)


def asked(question: str) -> str:
    """What is typed, or comes through a pipe, in answer to this; EOFError where nothing does."""
    with suppress(ImportError):
        import readline  # noqa: F401  lines can then be edited
    answer = input(visible(question))
    if not sys.stdin.isatty():
        say(answer)  # nobody saw it being typed
    return answer


def somebody_answers() -> bool:
    """Whether a person sees a question and can answer it."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def document(text: str) -> None:
    """Lines for a program or a file: no colour, no wrapping."""
    lines = text.removesuffix("\n").split("\n")
    terminal().file.write("".join(f"{visible(line)}\n" for line in lines))


class Grid(Table):
    """A table whose headings and cells are texts."""

    def __init__(self, *headings: Cell, title: str = "") -> None:
        super().__init__(title=styled(title) if title else None, title_justify="left")
        for heading in headings:
            self.add_heading(heading)

    @classmethod
    def plain(cls) -> "Grid":
        """Rows without lines and headings."""
        made = cls()
        made.box, made.show_header, made.padding = None, False, (0, 2, 0, 0)
        return made

    def add_heading(self, heading: Cell, **layout: object) -> None:
        """One more column; a name that is too long is broken, never cut."""
        kept: dict[str, object] = {"overflow": "fold", **layout}
        self.add_column(_text(heading), **kept)  # type: ignore[arg-type]  # as Table has them

    def line(self, *cells: Cell) -> None:
        """One more row."""
        self.add_row(*(_text(cell) for cell in cells))

    def narrow(self, width: int) -> None:
        """Break lines between words where there is room for it: in headings before cells."""
        if self.box is None:
            return
        headings = [[str(column.header)] for column in self.columns]
        texts = [
            [*heading, *(str(cell) for cell in column.cells)]
            for heading, column in zip(headings, self.columns, strict=True)
        ]
        room = width - 3 * len(texts) - 1  # a line and two blanks beside each column
        widths = [min(max(map(cell_len, column)), max(room, 1)) for column in texts]
        floors = next((f for f in (_floors(texts), _floors(headings)) if sum(f) <= room), None)
        if floors is None or sum(widths) <= room:
            return
        while sum(widths) > room:
            wide = [k for k, floor in enumerate(floors) if widths[k] > floor]
            widths[max(wide, key=widths.__getitem__)] -= 1
        for column, given in zip(self.columns, widths, strict=True):
            column.width = given


def _floors(texts: Sequence[Sequence[str]]) -> list[int]:
    return [max((cell_len(w) for t in column for w in t.split()), default=1) for column in texts]


def show(shown: Grid | Panel | Text) -> None:
    """A table, or a framed one."""
    console = terminal()
    if isinstance(shown, Grid):
        shown.narrow(console.width)
    console.print(shown)


def panel(lines: Grid, title: str) -> Panel:
    """A table in a frame with a title."""
    return Panel(lines, title=styled(title), title_align="left", expand=False)


def _text(part: Cell) -> Text:
    return part if isinstance(part, Text) else styled(part)
