"""`sfumato check`: does a file fit its schema, exactly; for the owner's eyes."""

from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli.screen import Grid, say, show

__all__ = ["check"]


def check(
    data: Annotated[Path, typer.Argument(help="The file to be published.")],
    schema: Annotated[Path, typer.Option(help="The schema, YAML or JSON.")],
    sheet: Annotated[
        str | None, typer.Option(help="Sheet of an .xlsx workbook that has several.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Also write an internal HTML page (mode 0600)."),
    ] = None,
    ledger: Annotated[
        Path | None,
        typer.Option(envvar="SFUMATO_LEDGER", help="The ledger, which counts this look."),
    ] = None,
    uncounted: Annotated[
        bool, typer.Option("--uncounted", help="Do not record the look in the ledger.")
    ] = False,
) -> None:
    """Show how many values do not fit the schema. NOT PRIVATE: never publish what this prints.

    A release tells the same under noise, for 2 % of its budget.

    Example: sfumato check patients.csv --schema patients.yaml --ledger budget.db
    """
    from sfumato.inspection.counting import UNCOUNTED
    from sfumato.inspection.fit import check as run
    from sfumato.inspection.page import WARNING, check_place, write_page
    from sfumato.ledger import Ledger
    from sfumato.table.file.opening import with_sheet

    if output is not None:
        check_place(output)
    opened = None if ledger is None or uncounted else Ledger(ledger)
    found = run(with_sheet(data, sheet), schema=schema, ledger=opened, uncounted=uncounted)
    if opened is not None:
        opened.close()
    if output is not None:
        write_page(found, output, template="check.html")
    say(WARNING, style="bold red")
    say(f"{found.dataset} · {found.fitting:,} of {found.records:,} records fit in every column")
    if found.blank:
        say(
            f"the schema leaves blanks, so values of {', '.join(found.blank)} are held only to "
            "what it declares: kind, formats, the other end"
        )
    if not found.counted:
        say(UNCOUNTED, style="yellow")
    table = Grid("column", "complaint", "values", "share", "what to do", title="What does not fit")
    for one in found.misfits:
        told = f"{one.hint}: {one.remedy}" if one.hint else one.remedy
        share = f"{found.share(one):.2%}"
        table.line(one.column, one.complaint, f"{one.values:,}", share, told)
    if found.misfits:
        show(table)
    if output is not None:
        say(f"written {output}, readable by you alone")
