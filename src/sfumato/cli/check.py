"""`sfumato check`: does a file fit its schema, exactly; for the owner's eyes."""

from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli.screen import Grid, say, show
from sfumato.cli.table_argument import Data, Sheet, Table, named

__all__ = ["check"]


def check(
    data: Data,
    schema: Annotated[Path, typer.Option(help="The schema, YAML or JSON.")],
    persons: Annotated[
        str | None,
        typer.Option(help="The file of persons, where the schema is of two; DATA is of events."),
    ] = None,
    sheet: Sheet = None,
    table: Table = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Also write an internal HTML page (mode 0600)."),
    ] = None,
    ledger: Annotated[
        str | None,
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

    if output is not None:
        check_place(output)
    opened = None if ledger is None or uncounted else Ledger(ledger)
    given = named(data, sheet, table)
    given = given if persons is None else {"persons": persons, "events": given}
    found = run(given, schema=schema, ledger=opened, uncounted=uncounted)
    if opened is not None:
        opened.close()
    if output is not None:
        write_page(found, output, template="check.html")
    say(WARNING, style="bold red")
    for file in found.files:
        what = f"{found.dataset}, {file.name}" if len(found.files) > 1 else found.dataset
        say(f"{what} · {file.fitting:,} of {file.records:,} {found.unit} fit in every column")
    if found.unit == "rows":
        say("counted by row: those without an id too, and those beyond rows_per_person")
    if found.blank:
        say(
            f"the schema leaves blanks, so values of {', '.join(found.blank)} are held only to "
            "what it declares: kind, formats, the other end"
        )
    if not found.counted:
        say(UNCOUNTED, style="yellow")
    listed = Grid("column", "complaint", "values", "share", "what to do", title="What does not fit")
    for one in found.misfits:
        told = f"{one.hint}: {one.remedy}" if one.hint else one.remedy
        share = f"{found.share(one):.2%}"
        listed.line(one.column, one.complaint, f"{one.values:,}", share, told)
    if found.misfits:
        show(listed)
    if output is not None:
        say(f"written {output}, readable by you alone")
