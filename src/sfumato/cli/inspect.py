"""`sfumato inspect`: a release beside its records, for the owner's eyes."""

from pathlib import Path
from typing import Annotated, Any

import typer

from sfumato.cli.screen import Grid, say, show
from sfumato.cli.table_argument import Table, named

__all__ = ["inspect"]


def inspect(
    release: Annotated[Path, typer.Argument(help="The folder of a release.")],
    original: Annotated[
        str, typer.Option(metavar="DATA", help="The records it was made from: a file, or a URL.")
    ],
    control: Annotated[
        str | None,
        typer.Option(
            metavar="DATA",
            help="Records of the same population that had no part in the release.",
        ),
    ] = None,
    original_persons: Annotated[
        str | None,
        typer.Option(
            metavar="DATA",
            help="Where persons and their events are two tables: that of persons; --original is "
            "that of events.",
        ),
    ] = None,
    control_persons: Annotated[
        str | None,
        typer.Option(metavar="DATA", help="The same of the control: its table of persons."),
    ] = None,
    table: Table = None,
    secret: Annotated[
        str | None, typer.Option(help="The column to infer in the attribute attack.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Also write an internal HTML page (mode 0600)."),
    ] = None,
    ledger: Annotated[
        str | None,
        typer.Option(
            envvar="SFUMATO_LEDGER",
            help="The ledger it was charged to, which counts the inspection.",
        ),
    ] = None,
    uncounted: Annotated[
        bool, typer.Option("--uncounted", help="Do not record the inspection in the ledger.")
    ] = False,
    confidence: Annotated[
        float, typer.Option(help="Confidence that all intervals hold together.")
    ] = 0.95,
) -> None:
    """Show utility, attacks and exposed records. NOT PRIVATE: never publish what this prints.

    A release that was charged to a ledger needs that ledger, which counts the inspection.

    Example: sfumato inspect release/ --original patients.csv --ledger budget.db -o page.html

    Two tables: sfumato inspect release/ --original events.csv --original-persons persons.csv
    """
    from sfumato.errors import ReleaseError
    from sfumato.inspection.counting import UNCOUNTED
    from sfumato.inspection.overview import inspect as run
    from sfumato.inspection.page import WARNING, check_place, write_page
    from sfumato.ledger import Ledger
    from sfumato.release import Release
    from sfumato.release.folder import CERTIFICATE

    if control is None and control_persons is not None:
        raise typer.BadParameter("--control-persons goes with --control, the table of their events")
    published = Release.load(release)
    if published.certificate.seal != published.certificate.digest:
        raise ReleaseError(f"{release} is not as it was released: {CERTIFICATE} was changed")
    if output is not None:
        check_place(output, release)
    opened = None if ledger is None or uncounted else Ledger(ledger)
    found = run(
        published,
        _linked(named(original, table=table), original_persons),
        control=_linked(control, control_persons),
        secret=secret,
        confidence=confidence,
        ledger=opened,
        uncounted=uncounted,
        pictures=output is not None,
    )
    if opened is not None:
        opened.close()
    if output is not None:
        write_page(found, output, release=release)
    say(WARNING, style="bold red")
    say(f"{found.dataset} · {found.rows:,} rows by {found.method} · {found.promise}")
    if not found.counted:
        say(UNCOUNTED, style="yellow")
    for section in found.sections:
        listed = Grid(*section.headings, title=section.title)
        for line in section.lines:
            listed.line(line.what, line.value, line.meaning)
        if section.lines:
            show(listed)
        if section.remark:
            say(section.remark, style="dim")
    if output is not None:
        say(f"written {output}, readable by you alone")


def _linked(events: Any, persons: str | None) -> Any:
    """One table, or two under their names."""
    return events if persons is None else {"persons": persons, "events": events}
