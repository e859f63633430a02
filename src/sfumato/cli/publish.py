"""`sfumato publish`: one release, from file to folder."""

import shlex
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli.key import Sign
from sfumato.cli.release_options import (
    DeltaOfTable,
    Epsilon,
    Method,
    MethodOptions,
    Rho,
    SchemaFile,
)
from sfumato.cli.screen import asked, say, somebody_answers, styled
from sfumato.cli.table_argument import Data, Sheet, Table, named
from sfumato.cli.whole_number import integer

__all__ = ["publish"]


def publish(
    data: Data,
    schema: SchemaFile,
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder to create.")],
    method: Method = "mosaic",
    epsilon: Epsilon = None,
    delta: DeltaOfTable = None,
    rho: Rho = None,
    ledger: Annotated[
        str | None, typer.Option(envvar="SFUMATO_LEDGER", help="Ledger to charge.")
    ] = None,
    part: Annotated[
        list[str] | None,
        typer.Option(
            help="Read only these records: region=North, age=18..30. Parts of one table that have "
            "no record in common cost the ledger their maximum (neighbours: add-remove)."
        ),
    ] = None,
    fit: Annotated[
        bool,
        typer.Option(
            "--fit/--no-fit",
            help="Count first, for 2 % of the budget, what does not fit the schema.",
        ),
    ] = True,
    misfit: Annotated[
        str | None,
        typer.Option(
            help="Stop there if more than this share of the records do not fit; default: 0.05."
        ),
    ] = None,
    rows: Annotated[
        int | None,
        typer.Option(
            parser=integer,
            help="Rows to draw, or persons where a person is the unit; default: as many as there "
            "are (noisy under add-remove).",
        ),
    ] = None,
    model: Annotated[
        str | None, typer.Option(help="mosaic: latent (classes) or forest (joined pairs).")
    ] = None,
    where: Annotated[
        list[str] | None,
        typer.Option(
            help="mosaic: draw only these records: sex=f, age=18..30; repeatable, costs no budget."
        ),
    ] = None,
    persons: Annotated[
        str | None,
        typer.Option(
            help="The file of persons, where the schema is of two (tables); DATA is that of events."
        ),
    ] = None,
    sheet: Sheet = None,
    table: Table = None,
    in_database: Annotated[
        bool,
        typer.Option(
            "--in-database", help="mosaic: PostgreSQL counts the records, and none of them leaves."
        ),
    ] = False,
    format: Annotated[
        str | None, typer.Option(help="csv or parquet; default: parquet for Parquet, else csv.")
    ] = None,
    option: MethodOptions = None,
    release: Annotated[
        str | None, typer.Option(help="Id of the release; the same id is never charged twice.")
    ] = None,
    basis: Annotated[
        Path | None,
        typer.Option(
            help="Public file of the same columns to take the components from, or a release of "
            "components (folder); costs no budget here."
        ),
    ] = None,
    basis_source: Annotated[
        str | None, typer.Option(help="Where that comes from; the certificate repeats it.")
    ] = None,
    as_published: Annotated[
        bool,
        typer.Option("--as-published", help="lip, lop: the algorithm as published; not private."),
    ] = False,
    accept_no_guarantee: Annotated[
        bool,
        typer.Option(
            "--accept-no-guarantee", help="Publish although the method has no privacy proof."
        ),
    ] = False,
    yes: Annotated[
        bool,
        typer.Option(
            "--yes", help="Publish also what is expected to be hardly better than guessing."
        ),
    ] = False,
    sign: Sign = None,
    seed: Annotated[
        int | None,
        typer.Option(parser=integer, help="Test run: repeatable noise, no guarantee, no ledger."),
    ] = None,
) -> None:
    """Publish a table under differential privacy: a folder with the data and its certificate.

    Example: sfumato publish patients.csv --schema patients.yaml --epsilon 1 -o release/

    A part of it: sfumato publish patients.csv --schema patients.yaml --part sex=f --epsilon 1 -o f/

    Persons and their events: sfumato publish events.csv --persons persons.csv --schema visits.yaml
    --epsilon 1 -o visits/

    A database: sfumato publish postgresql://ann@host/db --table visits --schema v.yaml --epsilon 1
    -o v/
    """
    from sfumato.cli.method_options import method_options
    from sfumato.cli.show import promise, unfinished
    from sfumato.errors import MisfitError
    from sfumato.ledger import Ledger
    from sfumato.publishing.doubt import unheard
    from sfumato.publishing.misfit_words import LOOK
    from sfumato.publishing.table import publish as run
    from sfumato.release.folder import is_release
    from sfumato.schema import Schema

    public = Schema.read(schema)
    options = method_options(
        option,
        run,
        model=model or None,
        where=",".join(where) if where else None,
        basis=basis,
        basis_source=basis_source or None,
        as_published=True if as_published else None,
    )
    if misfit is not None:
        options["misfit"] = misfit
    opened = Ledger(ledger) if ledger is not None else None
    if opened is not None:
        unfinished(opened, public.name, release)
    existed = is_release(output)
    given = named(data, sheet, table, in_database=in_database)
    if persons is not None:
        given = {"persons": persons, "events": given}
    try:
        result = run(
            given,
            schema=public,
            method=method,
            epsilon=epsilon,
            delta=delta,
            rho=rho,
            part=",".join(part) if part else None,
            fit=fit,
            ledger=opened,
            folder=output,
            format=format,  # type: ignore[arg-type]  # checked by publish itself
            rows=rows,
            release=release,
            sign=sign,
            seed=seed,
            accept_no_guarantee=accept_no_guarantee,
            on_doubt=unheard if yes else _agreed,
            **options,
        )
    except MisfitError as stopped:
        told = str(stopped).replace(LOOK, _look(data, schema, sheet, table, ledger))
        raise MisfitError(told) from None
    promise(result, again=existed)


def _agreed(doubt: str) -> None:
    """Go on if whoever sits there says yes; the release has been neither charged nor begun."""
    from sfumato.errors import Refused

    if not somebody_answers():
        raise Refused(f"{doubt} Nothing was charged; add --yes to publish it all the same")
    say(styled("doubt: ", "yellow"), doubt)
    answer = ""
    with suppress(EOFError):
        answer = asked("Publish all the same? [y/N] ")
    if answer.strip().lower() not in ("y", "yes"):
        say("nothing was charged or published")
        raise typer.Exit(1)


def _look(data: str, schema: Path, sheet: str | None, table: str | None, ledger: str | None) -> str:
    """The command that shows what does not fit, ready to be copied."""
    words = ["sfumato", "check", str(data), "--schema", str(schema)]
    words += ["--sheet", sheet] if sheet is not None else []
    words += ["--table", table] if table is not None else []
    if ledger is None:
        return shlex.join([*words, "--uncounted"])
    return f"{shlex.join([*words, '--ledger', str(ledger)])} (or --uncounted)"
