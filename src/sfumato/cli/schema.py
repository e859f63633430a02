"""`sfumato schema`: draft one, buy what it lacks, check one, or print the JSON Schema."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli.estimate import estimate
from sfumato.cli.new_file import check_free, write_new
from sfumato.cli.schema_from import from_dictionary
from sfumato.cli.schema_wizard import wizard
from sfumato.cli.screen import Grid, document, say, show

if TYPE_CHECKING:
    from sfumato.schema import Schema
    from sfumato.schema.domain import Axis

__all__ = ["app"]

app = typer.Typer(
    name="schema",
    help="Draft and check schemas: the public facts that a release uses.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)

app.command(
    "from",
    epilog="Examples: `sfumato schema from dictionary.csv -o patients.yaml` · "
    "`sfumato schema from datapackage.json --table visits`",
)(from_dictionary)
app.command(epilog="Example: `sfumato schema wizard patients.csv -o patients.yaml`")(wizard)

_SHOWN = 4  # category values in the table; the file has them all


@app.command(
    epilog="Examples: `sfumato schema draft patients.parquet -o patients.yaml` · "
    "`sfumato schema draft public_sample.csv --public`"
)
def draft(
    file: Annotated[Path, typer.Argument(help="The table: .csv, .parquet, .xlsx, .dta, .sav …")],
    public: Annotated[
        bool,
        typer.Option("--public", help="The file is public: read its records as well."),
    ] = False,
    sheet: Annotated[
        str | None, typer.Option(help="Sheet of an .xlsx workbook that has several.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write here, to a new file.")
    ] = None,
) -> None:
    """Draft a schema to edit.

    Only the header is read, and what a person must declare is left blank.
    """
    from sfumato.table.draft import draft as drafted
    from sfumato.table.file.opening import with_sheet

    if output is not None:
        check_free(output)
    text = drafted(with_sheet(file, sheet), public=public)
    if output is None:
        document(text)
        return
    write_new(output, text)
    say(f"{output} is written: edit it, then run sfumato schema check {output}")


app.command(
    epilog="Examples: `sfumato schema estimate visits.parquet --epsilon 0.1 --delta 1e-9 "
    "--ledger budget.db -o visits.yaml` · `sfumato schema estimate visits.csv --schema kinds.yaml "
    "--epsilon 0.1 -o visits.yaml`"
)(estimate)


@app.command(epilog="Example: `sfumato schema check patients.yaml`")
def check(file: Annotated[Path, typer.Argument(help="Schema in YAML or JSON.")]) -> None:
    """Say what each column becomes, or what is still to fill in or to correct."""
    from sfumato.render.rules import Rules
    from sfumato.schema import Schema
    from sfumato.schema.domain import Domain

    schema = Schema.read(file)
    Rules.of(Domain.of(schema))  # refuses constraints that no record keeps
    show(_table(schema))
    say(
        f"{file} is valid: {len(schema.released)} of {len(schema.columns)} columns are "
        f"released; neighbours: {schema.neighbours}"
    )
    facts = schema.to_json().get("file", {}).items()
    if said := ", ".join(f"{fact} {_listed(words)}" for fact, words in facts):
        say(f"text is read with {said}; a column may say otherwise")


@app.command(name="json", epilog="Example: `sfumato schema json > schema.json`")
def published() -> None:
    """Print the JSON Schema of schema files, for editors and other programs."""
    import json

    from sfumato.schema import Schema

    document(json.dumps(Schema.model_json_schema(), indent=2))


def _table(schema: "Schema") -> Grid:
    from sfumato.schema.domain import Domain

    axes = {axis.name: axis for axis in Domain.of(schema).axes}
    headings = ("column", "kind", "domain", "codes", "missing", "role", "provenance")
    table = Grid(*headings, title=schema.name)
    for name, column in schema.columns.items():
        cells = _cells(axes[name]) if name in axes else ["never read", "", "", "", ""]
        table.line(name, column.kind, *cells)
    return table


def _cells(axis: "Axis") -> list[str]:
    column = axis.column
    paid = column.provenance
    origin = paid if isinstance(paid, str) else f"release {paid.release}, ε {paid.epsilon:g}"
    origin += f": {column.source}" if column.source else ""
    if not isinstance(paid, str) and paid.delta is not None:
        origin += f", δ {paid.delta:g}"
    return [_domain(axis), _codes(axis), _missing(axis), column.role or "", origin]


def _listed(words: "str | list[str]") -> str:
    return repr(words) if isinstance(words, str) else " or ".join(map(repr, words))


def _domain(axis: "Axis") -> str:
    from sfumato.schema import Date
    from sfumato.schema.domain import Levels

    column = axis.column
    if isinstance(axis, Levels):
        values = [_spelt(value) for value in axis.values]
        more = [f"… {len(values) - _SHOWN} more"] * (len(values) > _SHOWN)
        return ", ".join(values[:_SHOWN] + more)
    ends = f"{_spelt(axis.column.low)} … {_spelt(axis.column.high)}"
    if isinstance(column, Date):
        return f"{ends} by {column.step}"
    return ends if axis.column.step in (None, 1) else f"{ends} by {_spelt(axis.column.step)}"


def _codes(axis: "Axis") -> str:
    from sfumato.schema.domain import Levels

    if isinstance(axis, Levels):
        return f"{len(axis.values)} levels"
    merged = axis.steps is not None and axis.steps > axis.points
    return f"{axis.points + 1} points" + ", steps merged" * merged


def _missing(axis: "Axis") -> str:
    from sfumato.schema.domain import Levels

    if axis.missing:
        return "its own level"
    if isinstance(axis, Levels):
        return f"becomes {_spelt(axis.values[axis.unusable])}"
    return "becomes the middle"


def _spelt(value: object) -> str:
    """A fact as the schema file would write it."""
    from datetime import datetime

    if isinstance(value, datetime):
        return value.isoformat(" ").removesuffix(" 00:00:00")
    if isinstance(value, float):
        return f"{value:.15g}"
    return str(value).lower() if isinstance(value, bool) else str(value)
