"""What is under way: bars in a terminal, a line in a notebook, nothing elsewhere.

Long work asks for one of these by itself.  Its caller may say `progress=False`, or give a function
that is told instead.  Bars go to standard error and are gone when the work is done; the line is
emptied, because notebooks are saved, and holds no number of records.
"""

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from importlib import import_module
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Any

from sfumato.errors import ParameterError
from sfumato.untrusted.visible import visible

if TYPE_CHECKING:
    from rich.progress import Progress, ProgressColumn, TextColumn

__all__ = ["Wish", "done_of", "phases", "rows", "steps", "working"]

Wish = Callable[..., None] | bool | None  # a function to be told, False for silence
Told = AbstractContextManager[Callable[..., None]]
_PHASES = {"read": "reading records", "write": "writing the release"}
_PAUSE = 0.3  # seconds between two lines of a notebook, and before the first


def rows(wish: Wish = None) -> Told:
    """Rows per phase: told the phase and how many more.

    >>> with rows(print) as step:
    ...     step("read", 300)
    read 300
    """
    return _chosen(wish, _row_bars, lambda phase, _rows: _PHASES[phase])


def steps(what: str, total: int | None = None, wish: Wish = None) -> Told:
    """How many steps are done: told what it is doing and how many more."""
    return phases({what: total}, wish)


def done_of(what: str, wish: Wish = None) -> Told:
    """How many are done of how many: told both."""
    return _chosen(wish, lambda: _count_bar(what), lambda done, of: f"{what}: {done:,} of {of:,}")


def phases(totals: Mapping[str, int | None], wish: Wish = None) -> Told:
    """A bar for each phase that is named; what is told of others goes on in the last one."""
    return _chosen(wish, lambda: _phase_bars(totals), lambda phase, _done: phase)


def working(wish: Wish = None) -> Told:
    """What is being done: told in words."""
    return _chosen(wish, _status, lambda what: what)


def _chosen(wish: Wish, bars: Callable[[], Told], text: Callable[..., str]) -> Told:
    """Who is told: a function of the caller's, this notebook, this terminal, or nobody."""
    if callable(wish):
        return nullcontext(wish)
    if wish is not None and not isinstance(wish, bool):
        raise ParameterError(f"progress must be True, False or a function, got {wish!r}")
    if wish is not False and _in_notebook():
        return _line(text)
    return bars() if wish is not False and _in_terminal() else nullcontext(_quiet)


def _in_notebook() -> bool:
    """Whether a kernel shows what is displayed; IPython is there then and need not be loaded."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return hasattr(shell, "kernel")


def _in_terminal() -> bool:
    """Whether a person sees all that is written: not where either goes into a file."""
    return all(getattr(out, "isatty", bool)() for out in (sys.stdout, sys.stderr))


def _quiet(*_told: object) -> None:
    """No progress is shown."""


@contextmanager
def _line(text: Callable[..., str]) -> Iterator[Callable[..., None]]:
    display: Any = import_module("IPython.display").display
    last, handle, lock = monotonic(), None, Lock()

    def step(*told: Any) -> None:
        nonlocal last, handle
        with lock:
            if monotonic() - last < _PAUSE:
                return
            last, shown = monotonic(), {"text/plain": visible(text(*told))}
            if handle is None:
                handle = display(shown, raw=True, display_id=True)
            else:
                handle.update(shown, raw=True)

    try:
        yield step
    finally:
        if handle is not None:
            handle.update({"text/plain": ""}, raw=True)


@contextmanager
def _row_bars() -> Iterator[Callable[[str, int], None]]:
    from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn

    tasks = {}
    counted = TextColumn("{task.completed:,.0f} rows", markup=False)
    bar = _bars(SpinnerColumn(), _what(), counted, TimeElapsedColumn())

    def step(phase: str, rows: int) -> None:
        if phase not in tasks:
            bar.start()  # not before there is something to show: a question may come first
            tasks[phase] = bar.add_task(_PHASES[phase], total=None)
        bar.update(tasks[phase], advance=rows)

    try:
        yield step
    finally:
        bar.stop()


@contextmanager
def _count_bar(what: str) -> Iterator[Callable[[int, int], None]]:
    with _counted() as bar:
        task = bar.add_task(visible(what), total=None)
        yield lambda done, of: bar.update(task, completed=done, total=of)


@contextmanager
def _phase_bars(totals: Mapping[str, int | None]) -> Iterator[Callable[[str, int], None]]:
    with _counted() as bar:
        tasks = {name: bar.add_task(visible(name), total=total) for name, total in totals.items()}
        *_, last = tasks.values()

        def step(phase: str, done: int) -> None:
            bar.update(tasks.get(phase, last), advance=done, description=visible(phase))

        yield step


@contextmanager
def _status() -> Iterator[Callable[[str], None]]:
    from rich.console import Console
    from rich.text import Text

    with Console(stderr=True).status(Text("reading")) as status:
        yield lambda what: status.update(Text(visible(what)))


def _counted() -> "Progress":
    from rich.progress import BarColumn, MofNCompleteColumn, TimeRemainingColumn

    return _bars(_what(), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())


def _bars(*columns: "ProgressColumn") -> "Progress":
    from rich.console import Console
    from rich.progress import Progress

    return Progress(*columns, console=Console(stderr=True), transient=True)


def _what() -> "TextColumn":
    from rich.progress import TextColumn

    return TextColumn("{task.description}", markup=False)
