"""`sfumato audit`: how much of its budget can a method be caught spending?"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli.publish import pair

__all__ = ["audit"]


def audit(
    method: Annotated[str | None, typer.Argument(help="See: sfumato methods.")] = None,
    epsilon: Annotated[str | None, typer.Option(help="The claim: privacy budget.")] = None,
    delta: Annotated[str | None, typer.Option(help="The claim: delta, with epsilon.")] = None,
    rho: Annotated[str | None, typer.Option(help="The claim: zCDP, in place of both.")] = None,
    schema: Annotated[
        Path | None, typer.Option(help="Audit on this schema; default: several that suit.")
    ] = None,
    option: Annotated[
        list[str] | None, typer.Option("--option", help="Method option, NAME=VALUE; repeatable.")
    ] = None,
    runs: Annotated[
        int | None, typer.Option(help="Runs on each of two tables; more find more.")
    ] = None,
    effort: Annotated[
        int | None,
        typer.Option(help="Tables searched with frozen noise, per setting; 0: a few only."),
    ] = None,
    confidence: Annotated[float, typer.Option(help="With which the bounds hold.")] = 0.99,
    picture: Annotated[
        Path | None, typer.Option(help="Draw both distributions: FILE.svg or FILE.png.")
    ] = None,
    controls: Annotated[
        bool, typer.Option("--controls", help="Audit mechanisms that are known to be broken.")
    ] = False,
    seed: Annotated[
        int | None, typer.Option(help="Another number, another repeatable run.")
    ] = None,
) -> None:
    """Try to contradict a method's promise on made-up tables; exit code 1 if it is contradicted.

    First noise is frozen and the worst neighbours are searched for; then the method is run many
    times. No data is read, and nothing is proved: docs/guide/audit.md says what an audit shows.

    Example: sfumato audit dp-lda --epsilon 1 --runs 20000 --picture audit.svg
    """
    if controls == (method is not None):
        raise typer.BadParameter("name a METHOD, or ask for --controls, not both or neither")
    if controls:
        _controls(epsilon or "1", runs, confidence, seed)
        return
    from sfumato.cli.audit_picture import canvas_for
    from sfumato.cli.audit_show import show
    from sfumato.inspection.audit import DEFAULT_EFFORT, default_runs
    from sfumato.inspection.audit import audit as run

    drawn = None if picture is None else canvas_for(picture)
    count = default_runs(str(method)) if runs is None else runs
    with _progress(4 * count) as tick:
        found = run(
            str(method),
            epsilon=epsilon,
            delta=delta,
            rho=rho,
            schema=schema,
            runs=count,
            effort=DEFAULT_EFFORT if effort is None else effort,
            confidence=confidence,
            seed=seed,
            progress=tick,
            **dict(pair(text) for text in option or []),
        )
    show(found)
    if drawn is not None:
        drawn(found)
    if found.caught:
        raise typer.Exit(1)


@contextmanager
def _progress(total: int) -> Iterator[Callable[[str, int], None]]:
    """Runs on standard error, where it is a terminal; gone when done."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    there = Console(stderr=True)
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=there,
        transient=True,
        disable=not there.is_terminal,
    )
    with bar:
        frozen = bar.add_task("frozen noise", total=None)  # how many settings fit is not known yet
        task = bar.add_task("runs", total=total)

        def tick(phase: str, done: int) -> None:
            which = frozen if phase == "frozen noise" else task
            bar.update(which, advance=done, description=phase)

        yield tick


def _controls(epsilon: str, runs: int | None, confidence: float, seed: int | None) -> None:
    from sfumato.cli.audit_show import show_controls
    from sfumato.inspection.audit.controls import BROKEN, DEFAULT_RUNS, run

    count, found = DEFAULT_RUNS if runs is None else runs, []
    with _progress(len(BROKEN)) as tick:
        for name in BROKEN:
            tick(name, 0)
            found.append(run(name, epsilon=epsilon, runs=count, confidence=confidence, seed=seed))
            tick(name, 1)
    show_controls(found)
    if not all(conviction.caught for conviction in found):
        raise typer.Exit(1)
