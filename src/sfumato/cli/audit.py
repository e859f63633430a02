"""`sfumato audit`: how much of its budget can a method be caught spending?"""

from pathlib import Path
from pkgutil import iter_modules
from typing import Annotated

import typer

from sfumato.cli.release_options import MethodOptions
from sfumato.cli.whole_number import integer

__all__ = ["MECHANISMS", "audit"]

# What is no table: one module each, whose names are read off so that --help need not load them.
_MODULES = Path(__file__).parents[1] / "inspection" / "audit" / "mechanism"
MECHANISMS = tuple(module.name.replace("_", "-") for module in iter_modules([str(_MODULES)]))


def audit(
    method: Annotated[
        str | None,
        typer.Argument(help=f"A table method (see: sfumato methods), or {', '.join(MECHANISMS)}."),
    ] = None,
    epsilon: Annotated[str | None, typer.Option(help="Claimed epsilon.")] = None,
    delta: Annotated[str | None, typer.Option(help="Claimed delta, with epsilon.")] = None,
    rho: Annotated[str | None, typer.Option(help="Claimed rho (zCDP), in place of both.")] = None,
    schema: Annotated[
        Path | None, typer.Option(help="Audit on this schema; default: several that suit.")
    ] = None,
    option: MethodOptions = None,
    runs: Annotated[
        int | None,
        typer.Option(parser=integer, help="Runs on each of two tables; more runs, tighter bounds."),
    ] = None,
    effort: Annotated[
        int | None,
        typer.Option(
            parser=integer, help="Tables searched with frozen noise, per setting; 0: a few only."
        ),
    ] = None,
    confidence: Annotated[float, typer.Option(help="Confidence of the bounds.")] = 0.99,
    picture: Annotated[
        Path | None, typer.Option(help="Draw both distributions: FILE.svg or FILE.png.")
    ] = None,
    controls: Annotated[
        bool, typer.Option("--controls", help="Audit mechanisms that are known to be broken.")
    ] = False,
    seed: Annotated[
        int | None, typer.Option(parser=integer, help="Seed: the same number repeats the run.")
    ] = None,
) -> None:
    """Try to contradict a method's promise on made-up data; exit code 1 if it is contradicted.

    Methods that promise something, for tables, networks and streams; count-query is query publish
    and the answer desk, private-choice is compare --private-choice, parts is publish --part,
    ranges is schema estimate.

    First noise is frozen and the worst neighbours are searched for; then the method is run many
    times. No data is read, and nothing is proved: docs/guide/audit.md says what an audit shows.

    Example: sfumato audit dp-lda --epsilon 1 --runs 20000 --picture audit.svg
    """
    if controls == (method is not None):
        raise typer.BadParameter("name a METHOD, or ask for --controls, not both or neither")
    if controls:
        _controls(epsilon or "1", runs, confidence, seed)
        return
    if method in MECHANISMS:
        for name, value in (("schema", schema), ("option", option), ("picture", picture)):
            if value:
                raise typer.BadParameter(f"--{name} is for methods for tables: leave it out")
        from sfumato.cli.audit_mechanism import run_mechanism

        claim = {"epsilon": epsilon, "delta": delta, "rho": rho}
        if run_mechanism(method, runs, confidence=confidence, seed=seed, **claim):
            raise typer.Exit(1)
        return
    from sfumato.cli.audit_picture import canvas_for
    from sfumato.cli.audit_show import show
    from sfumato.cli.method_options import method_options
    from sfumato.inspection.audit import DEFAULT_EFFORT, default_runs
    from sfumato.inspection.audit import audit as run

    drawn = None if picture is None else canvas_for(picture)
    count = default_runs(str(method)) if runs is None else runs
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
        **method_options(option, run),
    )
    show(found)
    if drawn is not None:
        drawn(found)
    if found.caught:
        raise typer.Exit(1)


def _controls(epsilon: str, runs: int | None, confidence: float, seed: int | None) -> None:
    from sfumato.cli.audit_show import show_controls
    from sfumato.inspection.audit.controls import BROKEN, DEFAULT_RUNS, run
    from sfumato.progress import steps

    count, found = DEFAULT_RUNS if runs is None else runs, []
    with steps("controls", len(BROKEN)) as tick:
        for name in BROKEN:
            tick(name, 0)
            found.append(run(name, epsilon=epsilon, runs=count, confidence=confidence, seed=seed))
            tick(name, 1)
    show_controls(found)
    if not all(conviction.caught for conviction in found):
        raise typer.Exit(1)
