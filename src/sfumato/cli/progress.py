"""What is under way, on standard error, where it is a terminal; gone when done."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from sfumato.cli.screen import styled, terminal
from sfumato.untrusted.visible import visible

__all__ = ["phases", "rows", "steps", "working"]

_PHASES = {"read": "reading records", "write": "writing the release"}


@contextmanager
def rows() -> Iterator[Callable[[str, int], None]]:
    """Rows per phase."""
    tasks = {}
    counted = TextColumn("{task.completed:,.0f} rows", markup=False)
    with _bar(SpinnerColumn(), _what(), counted, TimeElapsedColumn()) as bar:

        def step(phase: str, rows: int) -> None:
            if phase not in tasks:
                tasks[phase] = bar.add_task(_PHASES[phase], total=None)
            bar.update(tasks[phase], advance=rows)

        yield step


@contextmanager
def steps(what: str, total: int | None = None) -> Iterator[Callable[..., None]]:
    """How many steps are done; told what it is doing and how many more, or how many of how many."""
    with _bar(_what(), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()) as bar:
        task = bar.add_task(visible(what), total=total)

        def step(
            doing: str | None = None, advance: int = 0, *, done: int | None = None, of: int = 0
        ) -> None:
            shown = None if doing is None else visible(doing)
            if done is not None:
                bar.update(task, completed=done, total=of, description=shown)
            else:
                bar.update(task, advance=advance, description=shown)

        yield step


@contextmanager
def phases(totals: Mapping[str, int | None]) -> Iterator[Callable[[str, int], None]]:
    """A bar for each phase that is named; what is told of others goes on in the last one."""
    with _bar(_what(), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()) as bar:
        tasks = {name: bar.add_task(name, total=total) for name, total in totals.items()}
        *_, last = tasks.values()

        def step(phase: str, done: int) -> None:
            bar.update(tasks.get(phase, last), advance=done, description=visible(phase))

        yield step


@contextmanager
def working() -> Iterator[Callable[[str], None]]:
    """What is being done."""
    with terminal(err=True).status(styled("reading")) as status:
        yield lambda what: status.update(styled(what))


def _bar(*columns: ProgressColumn) -> Progress:
    where = terminal(err=True)
    return Progress(*columns, console=where, transient=True, disable=not where.is_terminal)


def _what() -> TextColumn:
    return TextColumn("{task.description}", markup=False)
