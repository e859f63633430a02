"""`sfumato forecast`: how far off a release will be, before a record is read."""

import json
from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli.release_options import (
    DeltaOfTable,
    Epsilon,
    Method,
    MethodOptions,
    Rho,
    SchemaFile,
)
from sfumato.cli.screen import Grid, document, say, show, styled
from sfumato.cli.whole_number import integer

if TYPE_CHECKING:
    from sfumato.publishing.forecast import Forecast

__all__ = ["forecast"]

_MOST_LINES = 40


def forecast(
    schema: SchemaFile,
    records: Annotated[
        int, typer.Option(parser=integer, help="How many records there will be, or about.")
    ],
    method: Method = "mosaic",
    epsilon: Epsilon = None,
    delta: DeltaOfTable = None,
    rho: Rho = None,
    want: Annotated[
        list[str] | None,
        typer.Option(
            help='In place of --epsilon: "mean age within 1", "means within 2%", "counts of ward '
            'within 50", "counts within 1%"; repeatable.'
        ),
    ] = None,
    most: Annotated[
        str | None, typer.Option(help="Largest epsilon to look for; default: 100.")
    ] = None,
    columns: Annotated[
        list[str] | None,
        typer.Option("--column", help="COLUMN: show only this one; repeatable."),
    ] = None,
    fit: Annotated[
        bool,
        typer.Option("--fit/--no-fit", help="As publish: 2 % of the budget counts what misfits."),
    ] = True,
    option: MethodOptions = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Say how far off each figure of a release will be; no record is read, nothing is charged.

    With 95 % confidence, worst first. With --want, find the epsilon that is needed.

    Example: sfumato forecast --schema clinic.yaml --records 45000 --epsilon 1

    Example: sfumato forecast --schema clinic.yaml --records 45000 --want "mean age within 1"
    """
    from sfumato.cli.method_options import method_options
    from sfumato.errors import ParameterError
    from sfumato.publishing.forecast import forecast as run

    if any(text.startswith("records=") for text in option or ()):
        raise ParameterError(
            "no forecast is made with the option records of mosaic: leave out --option records=…, "
            "and the forecast is of a release without it"
        )
    options = method_options(option, run)
    if most is not None:
        options["most"] = most
    found = run(
        schema,
        records=records,
        method=method,
        epsilon=epsilon,
        delta=delta,
        rho=rho,
        want=want or (),
        fit=fit,
        **options,
    )
    found = found.only(columns) if columns else found
    if as_json:
        document(json.dumps(found.to_json(), indent=2, ensure_ascii=False))
    else:
        _show(found)


def _show(found: "Forecast") -> None:
    """A table for a person."""
    from sfumato.publishing.forecast import HEADINGS

    if found.found:
        say(styled(found.found, "bold"))
    grid = Grid(*HEADINGS, title=f"forecast of {found.title}")
    for line in found.lines[:_MOST_LINES]:
        grid.line(line.column, *line.cells)
    show(grid)
    if (more := len(found.lines) - _MOST_LINES) > 0:
        say(f"{more:,} more columns are nearer to the truth: --column COLUMN, or --json for all")
    say("With 95 % confidence, by noise and the width of bins; worst first. No record was read.")
    for note in found.notes:
        if note != found.found:
            say(note)
