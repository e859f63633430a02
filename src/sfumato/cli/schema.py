"""`sfumato schema`: draft one, buy what it lacks, check one, suggest constraints; JSON Schema."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli.estimate import estimate
from sfumato.cli.file_format import Delimiter, Encoding, declared_format
from sfumato.cli.new_file import check_free, write_new
from sfumato.cli.schema_from import from_dictionary
from sfumato.cli.schema_suggest import suggest
from sfumato.cli.schema_wizard import wizard
from sfumato.cli.screen import Grid, document, say, show
from sfumato.cli.table_argument import Data, Sheet, Table, named

if TYPE_CHECKING:
    from sfumato.schema import Schema

__all__ = ["app"]

app = typer.Typer(
    name="schema",
    help="Draft and check schemas: the public facts that a release uses.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
    epilog="Example: sfumato schema wizard patients.csv -o patients.yaml",
)

app.command(
    "from",
    epilog="Examples: sfumato schema from dictionary.csv -o patients.yaml · "
    "sfumato schema from datapackage.json --table visits",
)(from_dictionary)
app.command(epilog="Example: sfumato schema wizard patients.csv -o patients.yaml")(wizard)


@app.command(
    epilog="Examples: sfumato schema draft patients.parquet -o patients.yaml · "
    "sfumato schema draft public_sample.csv --public"
)
def draft(
    data: Data,
    public: Annotated[
        bool,
        typer.Option("--public", help="The data is public: read its records as well."),
    ] = False,
    sheet: Sheet = None,
    table: Table = None,
    encoding: Encoding = None,
    delimiter: Delimiter = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write here, to a new file.")
    ] = None,
) -> None:
    """Draft a schema to edit.

    Only the header is read, and what a person must declare is left blank.
    """
    from sfumato.table.draft import draft as drafted

    if output is not None:
        check_free(output)
    how = declared_format(encoding, delimiter)
    text = drafted(named(data, sheet, table), public=public, how=how)
    if output is None:
        document(text)
        return
    write_new(output, text)
    say(f"{output} is written: edit it, then run sfumato schema check {output}")


app.command(
    epilog="Examples: sfumato schema estimate visits.parquet --epsilon 0.1 --delta 1e-9 "
    "--ledger budget.db -o visits.yaml · sfumato schema estimate visits.csv --schema kinds.yaml "
    "--epsilon 0.1 -o visits.yaml"
)(estimate)


@app.command(epilog="Example: sfumato schema check patients.yaml")
def check(file: Annotated[Path, typer.Argument(help="Schema in YAML or JSON.")]) -> None:
    """Say what each column becomes, or what is still to fill in or to correct."""
    from sfumato.errors import SchemaError
    from sfumato.render.rules import Rules
    from sfumato.schema.blank import read_or_partial, to_buy
    from sfumato.schema.domain import Domain
    from sfumato.schema.partial import PartialSchema

    schema = read_or_partial(file)
    if isinstance(schema, PartialSchema):
        raise SchemaError(to_buy(schema, file))
    Rules.of(Domain.of(schema))  # refuses constraints that no record keeps
    show(_table(schema))
    say(
        f"{file} is valid: {len(schema.released)} of {len(schema.columns)} columns are "
        f"released; neighbours: {schema.neighbours}"
    )
    if schema.people is not None:
        say(f"the unit of protection is {schema.people}")
    facts = schema.to_json().get("file", {}).items()
    if said := ", ".join(f"{fact} {_listed(words)}" for fact, words in facts):
        say(f"text is read with {said}; a column may say otherwise")


app.command(
    epilog="Examples: sfumato schema suggest release/ · "
    "sfumato schema suggest release/ --share 0.02 --json"
)(suggest)


@app.command(name="json", epilog="Example: sfumato schema json > schema.json")
def published() -> None:
    """Print the JSON Schema of schema files, for editors and other programs."""
    import json

    from sfumato.schema import Schema

    document(json.dumps(Schema.model_json_schema(), indent=2))


def _table(schema: "Schema") -> Grid:
    from sfumato.schema.column_facts import HEADINGS, column_facts

    table = Grid(*HEADINGS, title=schema.name)
    for row in column_facts(schema):
        table.line(*row)
    return table


def _listed(words: "str | list[str]") -> str:
    return repr(words) if isinstance(words, str) else " or ".join(map(repr, words))
