"""`sfumato schema`: draft one, check one, or print the published JSON Schema."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli.screen import Grid, document, say, show

if TYPE_CHECKING:
    from sfumato.schema import Schema

__all__ = ["app"]

app = typer.Typer(
    name="schema",
    help="Draft and check schemas: the public facts that a release uses.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)


@app.command(
    epilog="Examples: `sfumato schema draft patients.parquet -o patients.yaml` · "
    "`sfumato schema draft public_sample.csv --public`"
)
def draft(
    file: Annotated[Path, typer.Argument(help="CSV, CSV.gz or Parquet file.")],
    public: Annotated[
        bool,
        typer.Option("--public", help="The file is public: read its records as well."),
    ] = False,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write here, to a new file.")
    ] = None,
) -> None:
    """Draft a schema to edit.

    Only the header is read, and what a person must declare is left blank.
    """
    from sfumato.table.draft import draft as drafted
    from sfumato.untrusted.plain_file import is_there

    if output is not None and is_there(output):
        raise _taken(output)
    text = drafted(file, public=public)
    if output is None:
        document(text)
        return
    _write_new(output, text)
    say(f"{output} is written: edit it, then run sfumato schema check {output}")


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


@app.command(name="json", epilog="Example: `sfumato schema json > schema.json`")
def published() -> None:
    """Print the JSON Schema of schema files, for editors and other programs."""
    import json

    from sfumato.schema import Schema

    document(json.dumps(Schema.model_json_schema(), indent=2))


def _write_new(output: Path, text: str) -> None:
    from sfumato.errors import ParameterError

    try:
        with output.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise _taken(output) from None
    except OSError as error:
        raise ParameterError(f"output {output} cannot be written: {error.strerror}") from None


def _taken(output: Path) -> Exception:
    from sfumato.errors import ParameterError

    return ParameterError(f"output {output} exists: choose another name or remove it first")


def _table(schema: "Schema") -> Grid:
    from sfumato.schema.column_facts import HEADINGS, column_facts

    table = Grid(*HEADINGS, title=schema.name)
    for row in column_facts(schema):
        table.line(*row)
    return table
