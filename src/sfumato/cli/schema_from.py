"""`sfumato schema from`: a schema from a dictionary that somebody else keeps."""

from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli.new_file import check_free, write_new
from sfumato.cli.screen import document, say

__all__ = ["from_dictionary"]


def from_dictionary(
    dictionary: Annotated[
        Path,
        typer.Argument(
            help="REDCap data dictionary (CSV), Frictionless datapackage.json or Table Schema, or "
            "CSVW metadata."
        ),
    ],
    table: Annotated[
        str | None, typer.Option(help="Which table, where the dictionary describes several.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write here, to a new file.")
    ] = None,
) -> None:
    """Draft a schema from a data dictionary.

    Kinds, ranges, values and spellings that it states are taken over; the rest is left blank.
    """
    from sfumato.schema.dictionary import schema_from

    if output is not None:
        check_free(output)
    text = schema_from(dictionary, table=table)
    if output is None:
        document(text)
        return
    write_new(output, text)
    say(f"{output} is written: edit it, then run sfumato schema check {output}")
