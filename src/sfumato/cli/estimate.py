"""`sfumato schema estimate`: buy the ranges and values that nobody declared."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO, TYPE_CHECKING, Annotated

import typer

from sfumato.cli.key import Sign
from sfumato.cli.table_argument import Data, Sheet, Table, named
from sfumato.cli.whole_number import integer

if TYPE_CHECKING:
    from sfumato.publishing.estimate import Estimate

__all__ = ["estimate"]


def estimate(
    data: Data,
    epsilon: Annotated[str, typer.Option(help="Privacy budget of the estimate, above 0.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Schema to write: a new file.")],
    schema: Annotated[
        Path | None,
        typer.Option(
            help="Kinds of the columns and whatever is known; blank low, high and values are "
            "bought. Default: the kinds that a Parquet file or a database stores."
        ),
    ] = None,
    sheet: Sheet = None,
    table: Table = None,
    delta: Annotated[
        str | None, typer.Option(help="Delta, which categories need: well below 1/rows.")
    ] = None,
    ledger: Annotated[
        str | None, typer.Option(envvar="SFUMATO_LEDGER", help="Ledger to charge.")
    ] = None,
    same_range: Annotated[
        list[str] | None,
        typer.Option(help="Columns of one meaning, a,b,c: they share a range; repeatable."),
    ] = None,
    records: Annotated[
        int | None,
        typer.Option(
            parser=integer, help="About how many records there are; under add-remove only."
        ),
    ] = None,
    share: Annotated[
        str, typer.Option(help="Part of epsilon for categories, beside ranges.")
    ] = "2/3",
    name: Annotated[
        str | None, typer.Option(help="Data set in the ledger, where there is no schema.")
    ] = None,
    folder: Annotated[
        Path | None, typer.Option(help="Folder to create: the estimate as a release.")
    ] = None,
    release: Annotated[
        str | None, typer.Option(help="Id of the release; the same id is never charged twice.")
    ] = None,
    sign: Sign = None,
    seed: Annotated[
        int | None,
        typer.Option(parser=integer, help="Test run: repeatable noise, no guarantee, no ledger."),
    ] = None,
) -> None:
    """Buy the ranges, steps and categories that are blank, and write the whole schema.

    Declared facts stay as they are and cost nothing. What is bought is a release: it is charged,
    and the schema says which release paid for it.
    """
    from sfumato.cli.show import promise
    from sfumato.ledger import Ledger
    from sfumato.publishing.estimate import estimate_schema

    opened = Ledger(ledger) if ledger is not None else None
    groups = [[one.strip() for one in group.split(",")] for group in same_range or ()]
    with _new_file(output) as file:
        found = estimate_schema(
            named(data, sheet, table),
            schema=schema,
            epsilon=epsilon,
            delta=delta,
            ledger=opened,
            groups=groups,
            records=records,
            share=share,
            name=name,
            folder=folder,
            release=release,
            sign=sign,
            seed=seed,
        )
        file.write(found.schema.to_yaml())
    promise(found.release)
    _bought(found, output)


def _bought(found: "Estimate", output: Path) -> None:
    """What was bought, as it stands in the schema."""
    from sfumato.cli.screen import Grid, say, show

    facts: dict[str, dict[str, list[str]]] = {}
    for row in found.release.table.to_pylist():
        facts.setdefault(row["column"], {}).setdefault(row["fact"], []).append(row["value"])
    table = Grid("column", "bought")
    for column, stated in facts.items():
        table.line(column, "; ".join(f"{fact}: {_few(v)}" for fact, v in stated.items()))
    show(table)
    say(f"{output} is written: look it over, then run sfumato schema check {output}")


def _few(values: list[str]) -> str:
    more = [f"… {len(values) - 4} more"] * (len(values) > 4)
    return ", ".join(values[:4] + more)


@contextmanager
def _new_file(output: Path) -> Iterator[IO[str]]:
    """A file that appears whole when all is done; refused before anything is charged."""
    from sfumato.errors import ParameterError
    from sfumato.untrusted.plain_file import is_there

    if is_there(output):
        raise ParameterError(f"output {output} exists: choose another name or remove it first")
    try:
        file = NamedTemporaryFile(  # noqa: SIM115  closed and renamed below
            "w", encoding="utf-8", dir=output.parent, prefix=".", suffix=".part", delete=False
        )
    except OSError as error:
        raise ParameterError(f"output {output} cannot be written: {error.strerror}") from None
    try:
        with file:
            yield file
        mask = os.umask(0)
        os.umask(mask)
        Path(file.name).chmod(0o666 & ~mask)
        Path(file.name).replace(output)
    except BaseException:
        Path(file.name).unlink(missing_ok=True)
        raise
