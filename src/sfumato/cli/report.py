"""`sfumato report`: the page that is published beside a release, and one for the officer."""

from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli.screen import say

__all__ = ["report"]


def report(
    release: Annotated[Path, typer.Argument(help="The folder of a release.")],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Another file; report.html in the folder by default."),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace an existing file that differs.")
    ] = False,
    ledger: Annotated[
        str | None,
        typer.Option(
            envvar="SFUMATO_LEDGER", help="The ledger it was charged to; --officer needs it."
        ),
    ] = None,
    officer: Annotated[
        Path | None,
        typer.Option(
            help="Also write an internal page for the data-protection officer (mode 0600): grant, "
            "spent and left, looks, declared facts to tick. Needs --ledger."
        ),
    ] = None,
) -> None:
    """Write a page that says what was published, what is promised and how good it is.

    It is made from the release alone, so it may be published; the same release gives the same
    bytes. What only the ledger knows goes to the officer's page, which is no part of the release.
    A release that does not verify is refused.

    Example: sfumato report release/

    Example: sfumato report release/ --officer officer.html --ledger budget.db
    """
    from sfumato.errors import ParameterError
    from sfumato.inspection.page import check_place, write_privately
    from sfumato.publishing.page import checked_page
    from sfumato.release import Release

    internal = None
    if officer is not None:
        if ledger is None:
            raise ParameterError(
                "the officer's page tells what the ledger knows: add --ledger FILE"
            )
        check_place(officer, release)
        internal = _internal(release, ledger)
    place, text = checked_page(Release.load(release), output)
    _public(place, text, force=force)
    if officer is None or internal is None:
        return
    write_privately(internal, officer)
    say(
        f"written {officer}, readable by you alone: it tells what the ledger knows, not the records"
    )


def _public(place: Path, text: bytes, *, force: bool) -> None:
    from sfumato.publishing.page import holds, put

    if holds(place, text):
        say(f"{place} is up to date")
        return
    put(place, text, force=force)
    say(f"written {place}, {len(text) / 1000:,.0f} kB")


def _internal(release: Path, ledger: str) -> str:
    from sfumato.ledger import Ledger
    from sfumato.publishing.officer import officer_page

    with Ledger(ledger) as opened:
        return officer_page(release, opened)
