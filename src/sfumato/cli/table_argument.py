"""The table that a command reads: a file, or a table of a database."""

from typing import Annotated, Any

import typer

__all__ = ["Data", "Sheet", "Table", "named"]

Data = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        help="The table: .csv, .parquet, .xlsx, .jsonl, .sav, .duckdb …, or postgresql://user@host/db.",
    ),
]
Sheet = Annotated[str | None, typer.Option(help="Sheet of an .xlsx workbook that has several.")]
Table = Annotated[
    str | None,
    typer.Option(help="Table or view of a database: visits, or clinic.visits with its schema."),
]


def named(
    data: str, sheet: str | None = None, table: str | None = None, *, in_database: bool = False
) -> Any:
    """The data, with the sheet or table that was named behind it."""
    from sfumato.table.file.opening import with_sheet
    from sfumato.table.sql.opening import counted, with_table

    found = with_table(with_sheet(data, sheet), table)
    return counted(found) if in_database else found
